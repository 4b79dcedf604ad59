"""What pytest's result file says decides whether a suite is run again without its own options."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from repo_tools.environment.box_programs.account import each_once, known_to, plain
from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import Account
from repo_tools.environment.runners.pytest import PytestRunner

ERRORS = b'<testsuite name="pytest" errors="1" failures="0" skipped="0" tests="1">'
TOLD = b"Direct construction of a.Item has been deprecated"
HEAD = b'<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">'


@pytest.mark.parametrize(
    ("results", "again"),
    [
        (HEAD + ERRORS + TOLD, True),
        (ERRORS + TOLD, True),
        (HEAD + b'<testsuite name="pytest" errors="1" failures="1" tests="2">' + ERRORS + TOLD, False),
    ],
)
def test_only_the_suite_that_a_result_file_begins_with_counts(results: bytes, again: bool) -> None:
    tried = PytestRunner().second_try(TestCommand("pytest", ("pytest",)), Account(1, results))
    assert (tried is not None) is again


@pytest.mark.parametrize(
    ("selector", "told"),
    [("sub/test_a.py::TestA::test_b[x//y::1]", "test_a.py::TestA::test_b[x//y::1]"), ("sub", "."), ("sub/", ".")],
)
def test_what_is_selected_is_told_from_the_folder_of_the_command(selector: str, told: str) -> None:
    assert PytestRunner().order(TestCommand("pytest", ("pytest",), "sub"), (selector,)).argv[-1] == told


DEAD = (
    b"Error while loading plugin\npluggy._manager.PluginValidationError: Plugin 'pep8' for hook 'pytest_collect_file'"
)


@pytest.mark.parametrize(
    ("argv", "results", "then"),
    [
        (("pytest",), b"", ("pytest", "-p", "no:pep8")),
        (("pytest", "-p", "no:flakes"), b"", ("pytest", "-p", "no:flakes", "-p", "no:pep8")),
        (("pytest", "-p", "no:pep8"), b"", ("pytest", "-p", "no:pep8", "-o", "addopts=")),
        (("pytest", "-p", "no:pep8", "-o", "addopts="), b"", None),
        (("pytest",), HEAD, None),
    ],
)
def test_a_plug_in_that_pytest_refuses_is_left_out_once(
    argv: tuple[str, ...], results: bytes, then: tuple[str, ...] | None
) -> None:
    tried = PytestRunner().second_try(TestCommand("pytest", argv), Account(3, results, output=DEAD))
    assert (tried and tried[0].argv) == then


@pytest.mark.parametrize(
    ("results", "output", "again"),
    [
        (b"", b"INTERNALERROR> pytest.PytestRemovedIn10Warning: config.inicfg is deprecated", True),
        (HEAD + ERRORS + b"E   pytest.PytestDeprecationWarning: The hookimpl", b"", True),
        (HEAD, b"  test_a.py:3: PytestRemovedIn10Warning: told, and no error", False),
    ],
)
def test_what_a_later_pytest_will_not_do_is_no_error_of_a_suite(results: bytes, output: bytes, *, again: bool) -> None:
    tried = PytestRunner().second_try(TestCommand("pytest", ("pytest",)), Account(3, results, output=output))
    wanted = ("pytest", "-W", "ignore::pytest.PytestDeprecationWarning")
    assert (tried and tried[0].argv) == (wanted if again else None)
    assert tried is None or PytestRunner().second_try(tried[0], Account(3, b"", output=output)) is None


READS = b"OSError: pytest: reading from stdin while output is captured!  Consider using `-s`."


@pytest.mark.parametrize(
    ("argv", "exit_code", "results", "then"),
    [
        (("pytest",), 1, HEAD + READS, ("pytest", "-s")),
        (("pytest",), 1, HEAD + b"OSError: reading from stdin while output is captured", ("pytest", "-s")),
        (("pytest",), 1, HEAD + b"'DontReadFromInput' object has no attribute 'closed'", ("pytest", "-s")),
        (("pytest",), 1, HEAD + b"redirected stdin is pseudofile, has no fileno()", ("pytest", "-s")),
        (("pytest", "-s"), 1, HEAD + READS, None),
        (("pytest",), 0, HEAD + READS, None),
        (("pytest",), 1, HEAD, None),
    ],
)
def test_what_uses_standard_input_while_pytest_refuses_that_is_run_without_capturing(
    argv: tuple[str, ...], exit_code: int, results: bytes, then: tuple[str, ...] | None
) -> None:
    tried = PytestRunner().second_try(TestCommand("pytest", argv), Account(exit_code, results))
    assert (tried and tried[0].argv) == then


def test_a_script_that_ends_when_it_is_imported_for_its_examples_hides_no_suite() -> None:
    command = TestCommand("pytest", ("pytest", "--doctest-modules", "--ignore=docs"))
    ended = Account(3, output=b"INTERNALERROR> SystemExit: usage")
    tried = PytestRunner().second_try(command, ended)
    assert tried is not None
    assert tried[0].argv == ("pytest", "--ignore=docs")
    assert PytestRunner().second_try(tried[0], ended) is None


def test_a_script_that_ends_when_it_is_imported_hides_no_tests_of_other_files() -> None:
    frames = b"".join(
        b'INTERNALERROR>   File "%s", line 9, in %s\nINTERNALERROR>     x()\n' % frame
        for frame in (
            (b"/env/venv/lib/_pytest/python.py", b"importtestmodule"),
            (b"/workspace/sub/test_script.py", b"<module>"),
            (b"/workspace/sub/shop.py", b"<module>"),
        )
    )
    ended = Account(3, output=frames + b"INTERNALERROR> SystemExit: 1\n")
    plain = TestCommand("pytest", ("pytest",))
    again, why = PytestRunner().second_try(plain, ended) or pytest.fail("given up")
    assert (again.argv, why.split()[0]) == (("pytest", "--ignore=sub/test_script.py"), "sub/test_script.py")
    assert "--ignore=sub/test_script.py" not in str(PytestRunner().second_try(again, ended))
    inner, _ = PytestRunner().second_try(replace(plain, directory="sub"), ended) or pytest.fail("given up")
    assert inner.argv == ("pytest", "--ignore=test_script.py")
    conftest = Account(
        3, output=ended.output.replace(b"sub/test_script", b"sub/conftest").replace(b"sub/shop", b"conftest")
    )
    assert "--ignore" not in str(PytestRunner().second_try(plain, conftest))


def test_a_plug_in_that_ended_pytest_is_left_out_once_and_only_where_pytest_itself_names_it() -> None:
    said = b'n["blamed", "sugar"]\n'
    ended = Account(3, said=said, nonce=b"n", results=HEAD)
    tried = PytestRunner().second_try(TestCommand("pytest", ("pytest",)), ended)
    assert tried is not None
    assert tried[0].argv == ("pytest", "-p", "no:sugar")
    assert PytestRunner().second_try(tried[0], ended) is None
    for other in (replace(ended, exit_code=1), replace(ended, nonce=b"m"), replace(ended, said=b'n["blamed"]\n')):
        assert PytestRunner().second_try(TestCommand("pytest", ("pytest",)), other) is None


def test_what_pytest_itself_takes_is_kept_where_a_plug_in_s_options_are_left_out() -> None:
    command = TestCommand("pytest", ("pytest",), own_options=("--doctest-modules", "-m", "not slow"))
    tried = PytestRunner().second_try(command, Account(1, ERRORS + TOLD))
    assert tried is not None
    assert tried[0].argv == ("pytest", "-o", "addopts=--doctest-modules -m 'not slow'")
    assert tried[1].startswith("The project's `addopts` were left out, but for `--doctest-modules -m 'not slow'`: ")
    again = PytestRunner().second_try(tried[0], Account(4, output=b"error: unrecognized arguments: --x"))
    assert again is not None
    assert again[0].argv[-2:] == ("-o", "addopts=")
    assert PytestRunner().second_try(again[0], Account(1, ERRORS + TOLD)) is None


@pytest.mark.parametrize(
    ("version", "taken"),
    [("2.9.2", False), ("3.4.2", False), ("3.5.0", True), ("3.10.1", True), ("10.0.0rc1", True), ("unknown", True)],
)
def test_a_pytest_that_cannot_be_told_its_root_is_asked_without(version: str, *, taken: bool) -> None:
    assert ("--rootdir=/workspace" in known_to(version, ["--rootdir=/workspace", "-o", "cache_dir=/tmp/x"])) is taken


def test_the_statement_of_a_line_is_looked_for_once_in_equal_sources() -> None:
    asked: list[tuple[int, list[str]]] = []

    def search(lineno: int, source: SimpleNamespace, _: object, astnode: object) -> tuple[object, int]:
        asked.append((lineno, source.lines))
        return astnode or f"tree {len(asked)}", lineno + len(asked)

    find = each_once(search)
    one, other = (SimpleNamespace(lines=[f"{name} = 1", ""]) for name in "ab")
    assert [find(0, one), find(0, SimpleNamespace(lines=[*one.lines]))] == [("tree 1", 1)] * 2
    assert [find(1, one), find(0, other)] == [("tree 1", 3), ("tree 3", 3)]
    assert find(1, other, astnode="tree") == ("tree 3", 5)
    assert len(asked) == 4


@pytest.mark.parametrize(
    ("told", "id_"),
    [("a.py::Test::()::test[1]", "a.py::Test::test[1]"), ("a.py::test[::()]", "a.py::test[::()]"), (True, True)],
)
def test_an_old_pytests_instances_are_no_part_of_an_id(told: object, id_: object) -> None:
    assert plain(told) == id_
