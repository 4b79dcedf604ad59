"""The draft claims what was seen of the tests, and no more."""

from dataclasses import replace

import pytest

from repo_tools.test_report import TestCase, TestOutcome, TestReport
from repo_tools.verification.contract import Verification
from tests.support.evidence import (
    COMMAND,
    FAILED,
    OLD,
    PASSED,
    make_attempt,
    make_evidence,
    make_verification,
    report,
)
from workers.publish.draft import render_title
from workers.publish.proof import failure, not_collected, proof_sentence, table_of_tests

SEEN, UNSEEN = "test_add.py::test_add", "test_sum.py::test_sum"


def file_error(path: str, message: str = "cannot import name 'total'") -> TestReport:
    return TestReport(COMMAND, (TestCase(path, path, TestOutcome.ERROR, 0.0, message),), 1, 0.1, "")


def mixed() -> Verification:
    red = report((SEEN, FAILED))
    both = TestReport(COMMAND, (*file_error("test_sum.py").cases, *red.cases), 1, 0.1, "")
    return make_verification(red=both, green=report((SEEN, PASSED), (UNSEEN, PASSED)), turned_green=(UNSEEN, SEEN))


def test_a_red_that_nobody_saw_is_not_claimed() -> None:
    unseen = make_verification(red=file_error("test_add.py"))
    assert not_collected(unseen) == (SEEN,)
    assert "fails" not in table_of_tests(unseen)
    assert "fails" not in proof_sentence(unseen)
    assert proof_sentence(unseen).startswith("**Proved, but no test was seen to fail.** `test_add.py` could not be")
    assert "cannot import name 'total'" in failure(unseen)


def test_a_base_suite_that_could_not_be_collected_is_no_seen_failure_either() -> None:
    unseen = make_verification(
        baseline=file_error("test_calc.py"), red=None, green=None, turned_green=("test_calc.py::test_zero",)
    )
    assert not_collected(unseen) == ("test_calc.py::test_zero",)
    assert "| `test_calc.py::test_zero` | ✗ could not be collected | ✓ passes |" in table_of_tests(unseen)


def test_a_red_that_shows_only_what_is_new_is_told_as_that() -> None:
    weak = make_verification(red_by_import=(SEEN,))
    assert proof_sentence(weak).startswith(
        "**Proved, but only by what was not there before.** No test was seen to fail on existing behaviour: "
        f"`{SEEN}` fails before this change because something that the issue asks for is missing, and passes with it; "
    )
    assert f"| `{SEEN}` | ✗ fails: something is missing | ✓ passes |" in table_of_tests(weak)


@pytest.mark.parametrize(
    ("weak", "title"),
    [
        ((), "Fix #7: add() subtracts"),
        ((SEEN,), "Add what #7 asks for: add() subtracts (no test was seen to fail on existing behaviour)"),
    ],
)
def test_the_title_says_where_no_test_was_seen_to_fail(weak: tuple[str, ...], title: str) -> None:
    attempt = make_attempt(verification=make_verification(red_by_import=weak))
    assert render_title(make_evidence(attempt=attempt)) == title


def test_one_strong_red_beside_a_weak_one_is_a_proof_without_reserve() -> None:
    both = make_verification(red=report((SEEN, FAILED), (UNSEEN, FAILED)), turned_green=(SEEN, UNSEEN))
    sentence = proof_sentence(replace(both, red_by_import=(UNSEEN,)))
    assert sentence.startswith(f"**Proved.** `{SEEN}` fails before this change and passes with it (and 1 more, for")


def test_what_was_seen_to_fail_comes_first() -> None:
    assert proof_sentence(mixed()).startswith(
        f"**Proved.** `{SEEN}` fails before this change and passes with it (and 1 more, for which "
        "something was missing before); "
    )
    assert table_of_tests(mixed()).index(SEEN) < table_of_tests(mixed()).index(UNSEEN)
    assert f"How <code>{SEEN}</code> fails" in failure(mixed())


def test_many_tests_are_counted_by_what_was_seen_of_them() -> None:
    tests = tuple(f"test_add.py::test_{n}" for n in range(12))
    unseen = make_verification(red=file_error("test_add.py"), turned_green=tests)
    assert "| and 2 more | ✗ could not be collected | ✓ pass |" in table_of_tests(unseen)
    assert "`test_add.py::test_0` and 11 more pass with it" in proof_sentence(unseen)


@pytest.mark.parametrize("flaky", [False, True])
def test_everything_still_passes_is_qualified_by_what_failed_once(flaky: bool) -> None:
    after = report((OLD[0], FAILED if flaky else PASSED))
    sentence = proof_sentence(make_verification(regression=after))
    assert ("though `test_calc.py::test_zero` failed once and passed only when run again" in sentence) is flaky
