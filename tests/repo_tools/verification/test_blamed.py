"""Errors outside of all tests, and the test that they are the failure of."""

import pytest

from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.test_report import NO_FILE, TestCase, TestOutcome, TestReport
from repo_tools.verification.blamed import with_blamed
from repo_tools.verification.missing import missing

AVA, VITEST, TAP = (
    Environment("javascript/0", (), (), (TestCommand(runner, ("npm", "test")),), ())
    for runner in ("ava", "vitest", "node_tap")
)
IN_VITEST = "While ends well of t.js ran: Error: reset"


def report(*passed: str, thrown: tuple[str, str] | None = None) -> TestReport:
    cases = [TestCase(name, name.partition("::")[0], TestOutcome.PASSED) for name in passed]
    if thrown:
        cases.append(TestCase(thrown[0], thrown[0], TestOutcome.ERROR, message=thrown[1]))
    return TestReport("vitest", tuple(cases), 1, 0.1, "")


@pytest.mark.parametrize(
    ("thrown", "passed", "blamed"),
    [
        ((NO_FILE, IN_VITEST), ["t.js::a > old", "t.js::a > ends well"], {"t.js::a > ends well"}),
        ((NO_FILE, IN_VITEST), ["t.js::ends well", "u.js::ends well"], {"t.js::ends well"}),
        ((NO_FILE, IN_VITEST), ["t.js::a > ends well", "t.js::b > ends well"], set()),
        ((NO_FILE, "Error: reset"), ["t.js::ends well"], set()),
        (("t.js", "Error: reset"), ["t.js::a > old", "t.js::new", "u.js::other"], {"t.js::new"}),
        (("t.js", "Error: reset"), ["t.js::a > old"], set()),
        (("t.js", "Error: reset"), ["t.js::new", "t.js::a > old", "t.js::b"], {"t.js::new", "t.js::b"}),
    ],
)
def test_a_test_fails_by_what_was_thrown_while_it_ran(
    thrown: tuple[str, str], passed: list[str], blamed: set[str]
) -> None:
    red = with_blamed(report(*passed, thrown=thrown), report("t.js::a > old"), AVA if thrown[0] == "t.js" else VITEST)
    assert red.ids(TestOutcome.FAILED) == blamed
    assert {red.by_id[name].message for name in blamed} <= {"Error: reset"}


def test_where_the_base_commits_suite_throws_so_too_no_test_is_to_blame() -> None:
    base = report("t.js::a > old", thrown=(NO_FILE, "Error: other"))
    assert not with_blamed(report("t.js::ends well", thrown=(NO_FILE, IN_VITEST)), base, VITEST).ids(TestOutcome.FAILED)


def test_what_such_a_test_lacks_is_read_as_of_one_that_fails() -> None:
    """A name that the change adds, called where nobody waits for it, shows no more than one called in the test."""
    said = "While ends well of t.js ran: TypeError: shop.total is not a function\n    at Timeout (t.js:3:9)"
    (case,) = with_blamed(report("t.js::ends well", thrown=(NO_FILE, said)), report(), VITEST).cases[:1]
    told = missing(case.message, "t.js", frozenset({"total"}), lambda path: path == "a.js", collected=True)
    assert told
    assert told.names == {"total"}


@pytest.mark.parametrize("environment", [TAP, VITEST])
def test_what_passed_before_its_file_died_is_not_to_blame(environment: Environment) -> None:
    """A file of TAP that throws tells no more; of vitest, an `afterAll` that fails."""
    died = report("t.js::passes anyway", thrown=("t.js", "Error: reset"))
    assert with_blamed(died, report("t.js::old"), environment) is died
