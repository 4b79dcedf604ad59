"""Python with parameters of types, read by a Python that knows none."""

import ast

import pytest

from repo_tools.environment.python.newer_syntax import parsed_as_older
from repo_tools.environment.python.syntax import parsed
from repo_tools.verification.reach import reaches


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("class A[T: B['int'], **P, *Ts](B[T]):\n    a = 1", "class A(B[T]):\n    a = 1"),
        ("class A:\n    async def f[T: Call[[int], str] = str](self, a: T): pass", None),
        ("class A[\n    T,  # a key\n    U,\n]:\n    pass", None),
        ("if a:\n    type X[T] = list[T]\ntype = 1\ntype Y = X\n", "if a:\n    X = list[T]\ntype = 1\nY = X\n"),
        ("def f(): '''\ndef g[T]()\n'''\ndef h[T](): pass", None),
    ],
)
def test_parameters_of_types_are_read_apart_from_what_has_them(newer: str, older: str | None) -> None:
    module = parsed_as_older(newer)
    if older is not None:
        kept = ast.Module(module.body[: len(ast.parse(older).body)], [])
        assert ast.dump(kept) == ast.dump(ast.parse(older))


@pytest.mark.parametrize("source", ["class A[T", "def f[T: 'B C'](): 1", "print 'a'", "type X[T", b"\xff["])
def test_what_is_no_python_stays_unread(source: str | bytes) -> None:
    assert parsed(source) is None


def test_what_parameters_hold_is_seen() -> None:
    (found,) = reaches(b"import sys\n\ndef f[T: sys.modules](a: T): pass\n") or ()
    assert (found.what, found.line) == ("sys.modules", 3)


def test_nothing_that_runs_is_taken_for_parameters() -> None:
    """The brackets are text of two strings, and what stands between them is code."""
    source = b'def g[T](): pass\nx = """\nclass A[T: """\nexec("a")\ny = """]\n"""\n'
    found = reaches(source)
    assert found is None or [reach.what for reach in found] == ["exec"]


HEADER = "class A[T]: pass\n"


@pytest.mark.parametrize(
    "source",
    [
        'class A[T # ]: """\n ]: import os; os._exit(0)\n"""  # """\n',
        f"{HEADER}x = f'''\nclass A[T=1 #{{exec(1)}}]\n'''\n",
        f"{HEADER}x = f'''\nclass A[T # {{exec(1)}}\n]\n'''\n",
        f"{HEADER}x = '\\\nclass A[ 'f' #{{exec(1)}}\\\n]'\n",
        f"# coding: utf-7\n{HEADER}# +AAo-exec(1)\n",
        f"# coding: rot13\n{HEADER}",
    ],
)
def test_nothing_that_runs_is_taken_for_a_comment(source: str) -> None:
    found = reaches(source.encode())
    assert found is None or found


def test_a_mark_of_the_order_of_bytes_is_no_obstacle() -> None:
    (found,) = reaches(b"\xef\xbb\xbf" + f"{HEADER}exec(1)\n".encode()) or ()
    assert (found.what, found.line) == ("exec", 2)
