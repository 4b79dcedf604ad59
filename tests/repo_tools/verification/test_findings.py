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


def _cargo(**outcomes: TestOutcome) -> TestReport:
    cases = tuple(TestCase(f"src/lib.rs::{name}", "src/lib.rs", outcome) for name, outcome in outcomes.items())
    return TestReport("cargo", cases, 0, 1.0, "")


def test_an_example_in_rusts_documentation_may_be_on_another_line_and_proves_nothing() -> None:
    before = _cargo(**{"sum (line 3)": TestOutcome.FAILED, "empty (line 9)": TestOutcome.PASSED})
    after = _cargo(**{"sum (line 3)": TestOutcome.PASSED, "empty (line 12)": TestOutcome.PASSED})
    found = Findings(Runs(before, regression=after), Touched(product=frozenset({"src/lib.rs"})))
    assert (found.uncollected, found.turned_green) == (frozenset(), frozenset())


def test_a_unit_test_of_rust_in_a_changed_file_is_the_bases_and_proves_something() -> None:
    before, after = _cargo(adds=TestOutcome.FAILED), _cargo(adds=TestOutcome.PASSED)
    found = Findings(Runs(before, regression=after), Touched(product=frozenset({"src/lib.rs"})))
    assert found.turned_green == {"src/lib.rs::adds"}


def test_an_example_that_only_moves_is_not_taken_away_by_a_change_of_tests() -> None:
    before = _cargo(**{"sum (line 3)": TestOutcome.FAILED, "sum (line 9)": TestOutcome.PASSED})
    after = _cargo(**{"sum (line 4)": TestOutcome.FAILED, "sum (line 12)": TestOutcome.PASSED})
    touched = Touched(test_files=frozenset({"src/lib.rs"}))
    found = Findings(Runs(before, regression=before, red=before, green=after), touched)
    assert (found.gone, found.own_red) == (frozenset(), frozenset())


def test_examples_in_rusts_documentation_are_not_among_the_tests_that_a_change_of_their_file_takes_away() -> None:
    before = _cargo(**{"sum (line 3)": TestOutcome.PASSED, "adds": TestOutcome.PASSED})
    touched = Touched(test_files=frozenset({"src/lib.rs"}))
    alone = Findings(Runs(before, regression=before, red=before, green=_cargo(adds=TestOutcome.PASSED)), touched)
    assert (alone.gone, alone.silenced) == (frozenset(), frozenset())
    none = Findings(Runs(before, regression=before, red=before, green=_cargo()), touched)
    assert none.gone == {"src/lib.rs::adds"}


def test_a_test_that_is_called_after_code_may_be_laid_out_anew() -> None:
    before = report(**{"valid > if (a)   b": "tests/rule.js", "valid > c": "tests/rule.js"})
    after = report(**{"valid > if (a) b": "tests/rule.js", "valid > c": "tests/rule.js"})
    touched = Touched(test_files=frozenset({"tests/rule.js"}))
    assert Findings(Runs(before, regression=before, red=after, green=after), touched).gone == frozenset()
    both = report(**{"valid > if (a)   b": "tests/rule.js", "valid > if (a) b": "tests/rule.js"})
    assert Findings(Runs(both, regression=both, red=after, green=after), touched).gone == {"suite::valid > if (a) b"}
