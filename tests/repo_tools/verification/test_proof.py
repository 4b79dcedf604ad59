"""Which runs are made for a verdict. (Real ones: test_verify.)"""

from dataclasses import dataclass, field

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.solve_requirements import REQUIREMENTS
from repo_tools.environment.solving import solving_environment
from repo_tools.sandbox.contract import DEFAULT_LIMITS, Layer
from repo_tools.test_report import TestCase, TestOutcome, TestReport
from repo_tools.verification.contract import Verdict
from repo_tools.verification.fresh_runs import FreshRuns
from repo_tools.verification.proof import Proof
from repo_tools.verification.sides import Sides
from repo_tools.verification.touched import Touched
from tests.support.files_checkout import FilesCheckout
from tests.support.folder_box import FolderEngine

PREPARED = PreparedEnvironment(solving_environment(REQUIREMENTS), Layer("0" * 8, "none"), 0.0)
NOTHING = ChangeSet("0" * 40)
PRODUCT = ChangeSet("0" * 40, {"a.py": None})
BASE = "a=P b=P bug=F"


@dataclass(frozen=True)
class Told(FreshRuns):
    """Runs whose results are given: `alone` of named tests, `suites` of all of them in turn."""

    alone: TestReport = field(kw_only=True)
    suites: list[TestReport] = field(kw_only=True)

    def run(self, overlay: ChangeSet | None, selectors: tuple[str, ...] = (), times: int = 1) -> tuple[TestReport, ...]:
        told = self.alone if selectors else self.suites.pop(0)
        return (told if overlay else report(BASE),) * times


def report(results: str) -> TestReport:
    """``"a=P b=F"``."""
    outcomes = {"P": TestOutcome.PASSED, "F": TestOutcome.FAILED}
    pairs = (word.partition("=") for word in results.split())
    return TestReport("pytest", tuple(TestCase(f"t.py::{n}", "t.py", outcomes[o]) for n, _, o in pairs), 0, 0.1, "")


@pytest.mark.parametrize(
    ("alone", "among_all", "verdict"),
    [
        ("a=P b=P bug=P", "a=P b=P bug=P", Verdict.PROVED),
        ("a=P b=P", "a=P b=F bug=P", Verdict.NOT_PROVED),
        ("a=P b=F", None, Verdict.NOT_PROVED),
        ("a=F b=F", None, Verdict.NOT_PROVED),
    ],
    ids=["flaky", "fails after others", "one is broken for certain", "broken"],
)
def test_the_suite_is_run_again_only_where_that_may_lead_to_a_draft(
    alone: str, among_all: str | None, verdict: Verdict
) -> None:
    first, again = report("a=F b=F bug=P"), [report(among_all)] if among_all else []
    suites = [first, *again]
    fresh = Told(FolderEngine(), FilesCheckout({}), PREPARED, 1.0, DEFAULT_LIMITS, alone=report(alone), suites=suites)
    touched = Touched(product=frozenset({"a.py"}))
    proof = Proof(fresh, Sides(PRODUCT, NOTHING, (), ()), touched, lambda _: None)
    runs, judgement = proof.carried_out(report(BASE))
    assert judgement.verdict is verdict
    assert (len(runs.failed_again), suites) == (1 + len(again), [])


@pytest.mark.parametrize(("once_more", "verdict"), [("P", Verdict.PROVED), ("F", Verdict.NOT_PROVED)])
def test_the_changes_own_tests_are_run_once_more_where_a_base_test_fails_among_them(
    once_more: str, verdict: Verdict
) -> None:
    a, first = report("a=P b=P"), report("a=F b=P new=P")
    told = [report("a=P b=P new=F"), first, report(f"a={once_more} b=P new=P")]
    tests = ChangeSet("0" * 40, {"t.py": FileChange(FileMode.REGULAR, b"")})

    class InTurn(Told):
        def run(
            self, overlay: ChangeSet | None, selectors: tuple[str, ...] = (), times: int = 1
        ) -> tuple[TestReport, ...]:
            if times > 1:
                return (report("new=F"),) * times if overlay == tests else (report("new=P"),) * times
            return (a,) if overlay == PRODUCT else (told.pop(0),)

    fresh = InTurn(FolderEngine(), FilesCheckout({"t.py": ""}), PREPARED, 1.0, DEFAULT_LIMITS, alone=a, suites=[])
    touched = Touched(product=frozenset({"a.py"}), test_files=frozenset({"t.py"}))
    proof = Proof(fresh, Sides(PRODUCT, tests, (), ("t.py",)), touched, lambda _: None)
    runs, judgement = proof.carried_out(a)
    assert (judgement.verdict, told) == (verdict, [])
    assert runs.green_once_more


@pytest.mark.parametrize(("a", "asked"), [("a=P bug=P cod=P", 1), ("a=P bug=P", 0)])
def test_the_base_is_run_again_where_another_test_stands_in_the_place_of_one(a: str, asked: int) -> None:
    fresh = Told(
        FolderEngine(), FilesCheckout({}), PREPARED, 1.0, DEFAULT_LIMITS, alone=report("a=P"), suites=[report(a)]
    )
    proof = Proof(fresh, Sides(PRODUCT, NOTHING, (), ()), Touched(product=frozenset({"a.py"})), lambda _: None)
    runs, judgement = proof.carried_out(report(BASE))
    assert judgement.verdict is Verdict.NOT_PROVED
    assert len(runs.base_again) == asked
