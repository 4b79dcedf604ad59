import json

import pytest

from repo_tools.environment.runners.accounts import disagreement, whole_tests
from repo_tools.environment.runners.contract import Account
from repo_tools.test_report import TestCase, TestOutcome

ID = "tests/test_a.py::TestB::test_c[x/y::z]"
END = ("end", 0)


def call(outcome: str, test_id: str = ID) -> tuple[object, ...]:
    return ("reported", test_id, "call", outcome)


def account(said: list[tuple[object, ...]], exit_code: int = 0) -> Account:
    lines = b"".join(b"n0nce" + json.dumps(words).encode() + b"\n" for words in said)
    return Account(exit_code, said=lines, nonce=b"n0nce")


def disagreed(said: list[tuple[object, ...]], *cases: TestCase, exit_code: int = 0) -> str | None:
    return disagreement(account(said, exit_code), cases)


def case(outcome: TestOutcome, test_id: str = ID) -> TestCase:
    return TestCase(test_id, test_id.partition("::")[0], outcome)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ([("reported", ID, "setup", "passed"), ("ran", ID, "call", False), call("passed")], TestOutcome.PASSED),
        ([("ran", ID, "call", True), call("failed")], TestOutcome.FAILED),
        ([("began", ID), ("ran", ID, "call", False), call("passed"), ("blamed", "sugar")], TestOutcome.PASSED),
        ([("reported", ID, "setup", "failed")], TestOutcome.ERROR),
        ([call("passed"), ("reported", ID, "teardown", "failed")], TestOutcome.ERROR),
        ([("ran", ID, "call", True), call("skipped")], TestOutcome.SKIPPED),
        ([("ran", ID, "call", True), call("rerun"), ("ran", ID, "call", False), call("passed")], TestOutcome.PASSED),
    ],
    ids=["passed", "failed", "a plug-in is named", "set-up", "tear-down", "expected to fail", "run again"],
)
def test_what_a_sound_run_says_agrees(said: list[tuple[object, ...]], outcome: TestOutcome) -> None:
    assert disagreed([*said, END], case(outcome)) is None


@pytest.mark.parametrize("test_id", ["README.rst::README.rst", "a.py::a.f", "a.py::test_b[\x01]", "src/a.py::FLAKE8"])
def test_ids_of_all_kinds_are_recognised(test_id: str) -> None:
    written = test_id.replace("\x01", "#x01")
    assert disagreed([call("passed", test_id), END], case(TestOutcome.PASSED, written)) is None


def test_a_bracket_that_pytest_closed_in_its_results_is_no_difference() -> None:
    said = [call("passed", "a.py::[mypy]test_b"), END]
    assert disagreed(said, case(TestOutcome.PASSED, "a.py::[mypy]test_b]")) is None
    assert disagreed(said, case(TestOutcome.PASSED, "a.py::[mypy]test_c]"))


def test_a_test_of_no_file_is_recognised() -> None:
    said = [call("passed", "::mypy-status"), END]
    assert disagreed(said, case(TestOutcome.PASSED, ".::mypy-status")) is None
    assert disagreed(said, case(TestOutcome.PASSED, ".::other-status"))


def test_a_file_that_cannot_be_collected_has_no_live_account_and_needs_none() -> None:
    assert disagreed([("end", 1)], case(TestOutcome.ERROR, "tests/test_a.py"), exit_code=1) is None


@pytest.mark.parametrize(
    ("said", "outcome", "words"),
    [
        ([call("passed")], TestOutcome.PASSED, "did not come to its end"),
        ([call("passed"), ("end", 1)], TestOutcome.PASSED, "ended with 1, and its process with 0"),
        ([call("passed"), END, call("passed")], TestOutcome.PASSED, "lines that are not its own"),
        ([END], TestOutcome.PASSED, "never reported"),
        ([call("failed"), END], TestOutcome.PASSED, "while it ran it was failed"),
        ([call("failed"), END], TestOutcome.SKIPPED, "while it ran it was failed"),
        ([call("passed"), END], TestOutcome.FAILED, "while it ran it was passed"),
        ([("ran", ID, "call", True), call("passed"), END], TestOutcome.PASSED, "yet it raised an exception"),
        ([call("passed"), call("failed", "b.py::t"), END], TestOutcome.PASSED, "b.t failed while it ran"),
    ],
)
def test_accounts_that_differ_are_told_apart(said: list[tuple[object, ...]], outcome: TestOutcome, words: str) -> None:
    assert words in str(disagreed(said, case(outcome)))


@pytest.mark.parametrize(
    ("said", "written", "counted"),
    [
        ([call("passed"), END], TestOutcome.SKIPPED, TestOutcome.PASSED),
        ([call("skipped"), END], TestOutcome.SKIPPED, TestOutcome.SKIPPED),
        ([call("passed"), END], TestOutcome.FAILED, TestOutcome.FAILED),
        ([call("passed"), call("failed"), END], TestOutcome.SKIPPED, TestOutcome.SKIPPED),
    ],
    ids=["a subtest was skipped", "skipped itself", "failed", "a subtest failed, and the results hide it"],
)
def test_a_test_is_skipped_only_as_a_whole(
    said: list[tuple[object, ...]], written: TestOutcome, counted: TestOutcome
) -> None:
    (found,) = whole_tests(account(said), (case(written),))
    assert found.outcome is counted


def test_a_line_without_the_runs_own_mark_is_foreign() -> None:
    foreign = Account(0, said=b'["end", 0]\n', nonce=b"n0nce")
    assert "not its own" in str(disagreement(foreign, ()))
