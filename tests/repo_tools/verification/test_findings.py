"""What the runs of one verification say together, where a runner tells no test's file."""

from dataclasses import replace

import pytest

from repo_tools.test_report import NO_FILE, TestCase, TestOutcome, TestReport
from repo_tools.verification.findings import Findings
from repo_tools.verification.runs import Runs
from repo_tools.verification.touched import Touched


def report(**files: str) -> TestReport:
    """One that passed for each name, in that file."""
    cases = tuple(TestCase(f"suite::{name}", file, TestOutcome.PASSED) for name, file in files.items())
    return TestReport("ctest", cases, 0, 1.0, "")


TWO = report(adds=NO_FILE, subtracts=NO_FILE)


def test_a_test_without_a_file_that_a_change_of_tests_takes_away_is_gone() -> None:
    runs = Runs(TWO, regression=TWO, green=report(adds=NO_FILE))
    assert Findings(runs, Touched(test_files=frozenset({"tests/sums.c"}))).gone == {"suite::subtracts"}


def test_tests_of_a_file_that_cannot_be_loaded_with_the_change_are_not_told_to_be_gone_beside_it() -> None:
    before = TestReport("pytest", (TestCase("t.py::adds", "t.py", TestOutcome.PASSED),), 0, 1.0, "")
    unloaded = replace(before, cases=(TestCase("t.py", "t.py", TestOutcome.ERROR),))
    runs = Runs(before, regression=before, red=before, green=unloaded)
    found = Findings(runs, Touched(test_files=frozenset({"t.py"})))
    assert found.gone == frozenset()
    assert found.own_red == {"t.py"}
    known = Findings(replace(runs, baseline=replace(before, cases=before.cases + unloaded.cases)), found.touched)
    assert known.gone == {"t.py::adds"}
    assert known.own_red == frozenset()


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
    assert (found.uncollected, found.turned.each_time) == (frozenset(), frozenset())


def test_a_unit_test_of_rust_in_a_changed_file_is_the_bases_and_proves_something() -> None:
    before, after = _cargo(adds=TestOutcome.FAILED), _cargo(adds=TestOutcome.PASSED)
    found = Findings(Runs(before, regression=after), Touched(product=frozenset({"src/lib.rs"})))
    assert found.turned.each_time == {"src/lib.rs::adds"}


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


def _of(path: str, **outcomes: TestOutcome) -> TestReport:
    cases = tuple(TestCase(f"{path}::{name}", path, outcome) for name, outcome in outcomes.items())
    return TestReport("any", cases, 0, 1.0, "")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("test/a.js", "costs nothing", "costs  nothing"),
        ("test/a.js", "[cart] > is loud", "[cart] > is  loud"),
        ("tests/test_a.py", "test_a[x]", "test_a[y]"),
    ],
)
def test_a_test_that_is_skipped_under_values_or_a_layout_of_its_own_is_silenced(
    path: str, before: str, after: str
) -> None:
    base, green = _of(path, **{before: TestOutcome.PASSED}), _of(path, **{after: TestOutcome.SKIPPED})
    runs = Runs(base, regression=base, red=green, green=green)
    assert Findings(runs, Touched(test_files=frozenset({path}))).silenced == {f"{path}::{before}"}
    kept = Runs(
        base, regression=base, red=base, green=_of(path, **{before: TestOutcome.PASSED, after: TestOutcome.SKIPPED})
    )
    assert Findings(kept, Touched(test_files=frozenset({path}))).silenced == frozenset()


@pytest.mark.parametrize("path", ["test/[id].test.js", "test/a.ts", "spec/a_spec.rb"])
def test_a_bracket_in_a_name_of_javascript_or_ruby_makes_no_cases_of_one_test(path: str) -> None:
    base = _of(path, **{"[cart] > is loud": TestOutcome.PASSED, "[cart] > adds": TestOutcome.PASSED})
    green = _of(path, **{"[cart] > is loud": TestOutcome.PASSED, "[cart] > other": TestOutcome.PASSED})
    found = Findings(Runs(base, regression=base, red=base, green=green), Touched(test_files=frozenset({path})))
    assert found.gone == {f"{path}::[cart] > adds"}


def test_where_the_changes_own_run_has_no_result_nobody_says_that_none_passes() -> None:
    base = _of("tests/test_a.py", test_a=TestOutcome.FAILED)
    assert Findings(Runs(base, regression=base, green=base), Touched()).is_dead
    assert not Findings(Runs(base, regression=base, green=replace(base, problem="cut")), Touched()).is_dead
    passed = _of("tests/test_a.py", test_a=TestOutcome.PASSED)
    for runs in (Runs(passed, base, green=base), Runs(base, passed, green=base), Runs(base, base, green=passed)):
        assert not Findings(runs, Touched()).is_dead


def test_only_where_each_run_says_so_all_tests_of_a_change_pass_on_both_products() -> None:
    green, red = _of("tests/test_a.py", test_a=TestOutcome.PASSED), _of("tests/test_a.py", test_a=TestOutcome.FAILED)
    nothing = replace(green, cases=())
    told = [Findings(Runs(green, green, b, c), Touched()).passes_on_both for b in (green, red) for c in (green, red)]
    assert told == [True, False, False, False]
    assert not Findings(Runs(green, green, green, nothing), Touched()).passes_on_both


def test_with_a_file_of_the_product_go_its_examples_and_what_linters_say_of_it() -> None:
    names = ("lock.py::lock.f", "key.py::mypy-status", "lock.py::ruff::format", "test_lock.py::test_f")
    before = TestReport(
        "pytest", tuple(TestCase(n, n.partition("::")[0], TestOutcome.PASSED) for n in names), 0, 1.0, ""
    )
    after = replace(before, cases=())
    touched = Touched(product=frozenset({"lock.py", "locks.py"}), removed=frozenset({"lock.py"}))
    touched = replace(touched, linters=frozenset({"mypy-status", "ruff"}))
    assert Findings(Runs(before, regression=after), touched).uncollected == {"test_lock.py::test_f"}


def test_a_helper_of_tests_that_a_linter_makes_a_test_of_may_be_edited_and_renamed() -> None:
    names = ("checks/help.py::FLAKE8", "checks/test_lock.py::FLAKE8", "checks/test_lock.py::test_f")
    before = TestReport(
        "pytest", tuple(TestCase(n, n.partition("::")[0], TestOutcome.PASSED) for n in names), 0, 1.0, ""
    )
    runs = Runs(before, regression=before, green=replace(before, cases=before.cases[1:]))
    touched = Touched(test_files=frozenset({"checks/help.py", "checks/test_lock.py"}))
    assert Findings(runs, touched).gone == {"checks/help.py::FLAKE8"}
    assert Findings(runs, replace(touched, linters=frozenset({"FLAKE8"}))).gone == frozenset()


def test_names_that_are_drawn_by_lot_are_no_tests_that_only_the_change_has() -> None:
    before, other = _of("t.py", **{"r[bass]": TestOutcome.PASSED}), _of("t.py", **{"r[eel]": TestOutcome.PASSED})
    runs = Runs(before, regression=other, red=before, green=other)
    assert Findings(runs, Touched()).turned.only_with_change == {"t.py::r[eel]"}
    drawn = replace(runs, base_again=(_of("t.py", **{"r[cod]": TestOutcome.PASSED}),))
    assert Findings(drawn, Touched()).turned.only_with_change == frozenset()


def test_only_of_files_that_are_run_again_with_a_result_names_are_drawn_by_lot() -> None:
    t, u = _of("t.py", a=TestOutcome.PASSED), _of("u.py", b=TestOutcome.PASSED)
    before, again = replace(t, cases=t.cases + u.cases), _of("t.py", c=TestOutcome.PASSED)
    assert Runs(before, before, base_again=(again,)).drawn_by_lot == {"t.py::a"}
    assert Runs(before, before, base_again=(replace(again, problem="It was killed."),)).drawn_by_lot == frozenset()
