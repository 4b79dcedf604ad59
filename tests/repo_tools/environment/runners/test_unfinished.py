"""How far a run came that was cut."""

import json

import pytest

from repo_tools.environment.runners.contract import Account
from repo_tools.environment.runners.unfinished import Unfinished, unfinished

NONCE = b"n0nce"
PYTEST = [["began", "t/a.py::x"], ["ran", "t/a.py::x", "call", False], ["reported", "t/a.py::x", "call", "passed"]]
HANGING = [*PYTEST, ["began", "t/b.py::T::y[1]"]]


def account(*lines: object, silent: float = 300.0, nonce: bytes = NONCE) -> Account:
    told = b"".join(nonce + json.dumps(line).encode() + b"\n" for line in lines)
    return Account(137, b"", told, nonce=NONCE, silent=silent)


def test_the_tests_that_had_begun_are_those_that_it_waited_for() -> None:
    found = unfinished(account(*HANGING), 600.0)
    assert found == Unfinished(1, "t/a.py::x", ("t/b.py::T::y[1]",), hangs=True)
    assert found.files() == ("t/b.py",)
    assert found.told() == ": 1 tests had ended by then, and t/b.py::T::y[1] had begun"


def test_a_test_that_has_told_its_outcome_may_still_wait_for_what_it_puts_away() -> None:
    assert unfinished(account(*PYTEST), 600.0).files() == ("t/a.py",)
    assert unfinished(account(*PYTEST, ["finishing"]), 600.0).running == ()


@pytest.mark.parametrize(("silent", "hangs"), [(1.0, False), (29.0, False), (100.0, False), (121.0, True)])
def test_a_suite_that_is_only_long_does_not_hang(silent: float, hangs: bool) -> None:
    assert unfinished(account(*HANGING, silent=silent), 600.0).hangs is hangs


@pytest.mark.parametrize(
    ("line", "test"),
    [
        (["case", "t/a.py", "t/a.py::T::x", "passed", 0.1, ""], "t/a.py::T::x"),
        (["case", "t/a.js", ["adds", "one"], "passed", 0.1, ""], "t/a.js::adds > one"),
    ],
)
def test_every_runner_that_says_its_tests_one_by_one_tells_the_last(line: list[object], test: str) -> None:
    assert unfinished(account(line), 600.0).told() == f": 1 tests had ended by then, {test} the last of them"


def test_of_files_that_are_run_alone_the_last_is_told() -> None:
    assert unfinished(account({"path": "t/a.js", "code": 0}, nonce=b""), 600.0).last == "t/a.js"


@pytest.mark.parametrize("line", [b"", b"\xff", b"[]", b"{}", b"3", b"[[]]", b'["began"]', b"[" * 100_000])
def test_whatever_it_holds_nothing_is_raised(line: bytes) -> None:
    found = unfinished(Account(137, line, NONCE + line, nonce=NONCE, silent=99.0), 600.0)
    assert (found.ended, found.running, found.told()) == (0, (), "")
