from repo_tools.test_report import TestCase, TestOutcome, TestReport
from repo_tools.verification.causes import commonest_error, mostly_red_note

LOST = "ImportError: cannot import name 'MutableMapping' from 'collections'"


def report(*cases: tuple[str, TestOutcome, str], problem: str | None = None) -> TestReport:
    made = tuple(TestCase(f"{name}.py", f"{name}.py", outcome, message=message) for name, outcome, message in cases)
    return TestReport("pytest", made, 1, 1.0, "", problem=problem)


def test_a_suite_that_cannot_even_be_loaded_says_so_and_why() -> None:
    only = report(("test_a", TestOutcome.ERROR, f"test_a.py:1: in <module>\nE   {LOST}"))
    note = mostly_red_note(only)
    assert note == f"No test passes before any work: the environment may lack what they need. 1 of 1 end with {LOST}"


def test_a_suite_of_failures_without_a_known_error_says_that_nothing_passes() -> None:
    assert mostly_red_note(report(("test_a", TestOutcome.FAILED, "assert 1 == 2"))).endswith("what they need.")


def test_a_suite_of_which_most_is_red_says_so_and_why() -> None:
    red = [(f"test_{number}", TestOutcome.ERROR, LOST) for number in range(2)]
    note = mostly_red_note(report(*red, ("test_b", TestOutcome.PASSED, "")))
    assert note == (
        f"2 of 3 tests are red before any work: the environment may lack what they need. 2 of 2 end with {LOST}"
    )


def test_where_most_pass_or_nothing_ran_there_is_nothing_to_say() -> None:
    red = ("test_a", TestOutcome.ERROR, LOST)
    assert mostly_red_note(report(red, ("test_b", TestOutcome.PASSED, ""))) == ""
    assert mostly_red_note(report(("test_b", TestOutcome.SKIPPED, ""))) == ""
    assert mostly_red_note(report(red, problem="The runner died.")) == ""


def test_the_commonest_error_is_that_of_more_than_half_of_several() -> None:
    red = [(f"test_{number}", TestOutcome.ERROR, LOST) for number in range(2)]
    other = ("test_other", TestOutcome.FAILED, "TypeError: no")
    assert commonest_error(report(*red, other)) == (LOST, 2)
    assert commonest_error(report(red[0], other)) is None
