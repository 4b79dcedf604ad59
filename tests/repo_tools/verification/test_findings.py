"""What the runs of one verification say together, where a runner tells no test's file."""

from repo_tools.test_report import NO_FILE, TestCase, TestOutcome, TestReport
from repo_tools.verification.findings import Findings, Runs
from repo_tools.verification.touched import Touched


def report(**files: str) -> TestReport:
    """One that passed for each name, in that file."""
    cases = tuple(TestCase(f"suite::{name}", file, TestOutcome.PASSED) for name, file in files.items())
    return TestReport("ctest", cases, 0, 1.0, "")


TWO = report(adds=NO_FILE, subtracts=NO_FILE)


def test_a_test_without_a_file_that_a_change_of_tests_takes_away_is_gone() -> None:
    runs = Runs(TWO, regression=TWO, green=report(adds=NO_FILE))
    assert Findings(runs, Touched(test_files=frozenset({"tests/sums.c"}))).gone == {"suite::subtracts"}


def test_without_a_change_of_tests_none_is_gone() -> None:
    assert Findings(Runs(TWO, regression=TWO), Touched()).gone == frozenset()


def test_where_other_tests_have_files_a_change_of_one_takes_none_without_a_file_away() -> None:
    before = report(adds="tests/sums.c", subtracts=NO_FILE)
    runs = Runs(before, regression=before, green=report(adds="tests/sums.c"))
    assert Findings(runs, Touched(test_files=frozenset({"tests/sums.c"}))).gone == frozenset()
