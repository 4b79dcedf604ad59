"""What tests said is kept whole: the next attempt of a run does not run them again."""

from dataclasses import replace

from repo_tools.changes import ChangeSet
from repo_tools.environment.contract import Environment, PreparedEnvironment, TestCommand
from repo_tools.sandbox.contract import Layer
from repo_tools.test_report import TestReport
from repo_tools.verification.baseline import MeasuredSuite
from repo_tools.verification.contract import Verdict
from tests.support.cases import a_case, journal_of
from tests.support.evidence import FAILED, FIXED, OLD, make_verification, report
from tests.support.files_checkout import FilesCheckout
from tests.support.issues import a_claim
from workers.measured import Measured, scoped, subject_of
from workers.store import Claim, RunStore

CHECKOUT = FilesCheckout({"calc.py": "x = 1\n"})
PLAN = Environment("pytest", (), (), (TestCommand("pytest", ("pytest",)),), ())
PREPARED = PreparedEnvironment(PLAN, Layer("key", "reference"), 1.0)
CHANGE = ChangeSet(CHECKOUT.commit, {"calc.py": FIXED, "gone.py": None})
REPORT = replace(
    report(OLD, ("test_calc.py::test_add", FAILED)), flaky=frozenset({"b", "a"}), notes=("Without a net.",)
)
SUBJECT = subject_of(CHECKOUT, PREPARED)


def next_attempt(store: RunStore, claim: Claim) -> Claim:
    store.release(claim)
    return a_claim(store, claim.run.id)


def kept(store: RunStore, report: TestReport) -> Measured:
    """In the next attempt, after `report` was the baseline in this one."""
    claim = a_claim(store)
    Measured(journal_of(store, claim)).keep_baseline(SUBJECT, report)
    return Measured(journal_of(store, next_attempt(store, claim)))


def test_a_baseline_comes_back_as_it_was(sqlite_store: RunStore) -> None:
    assert kept(sqlite_store, REPORT).baseline(SUBJECT) == REPORT


def test_a_baseline_is_of_one_layer_and_one_plan(sqlite_store: RunStore) -> None:
    measured = kept(sqlite_store, REPORT)
    assert measured.baseline(subject_of(CHECKOUT, replace(PREPARED, layer=Layer("other", "reference")))) is None
    assert measured.baseline(subject_of(CHECKOUT, scoped(PREPARED, ["test_calc.py"]))) is None


def test_a_baseline_that_said_nothing_is_made_again(sqlite_store: RunStore) -> None:
    assert kept(sqlite_store, replace(REPORT, problem="The machine went away.")).baseline(SUBJECT) is None


def test_the_part_that_stands_for_a_long_suite_comes_back_with_what_it_said(sqlite_store: RunStore) -> None:
    claim = a_claim(sqlite_store)
    part = MeasuredSuite(scoped(PREPARED, ["test_calc.py"]), replace(REPORT, part=(1, 9)))
    Measured(journal_of(sqlite_store, claim)).keep_cut(SUBJECT, part)
    again = Measured(journal_of(sqlite_store, next_attempt(sqlite_store, claim)))
    assert again.cut(SUBJECT, PREPARED) == part


def test_a_finished_verification_is_not_made_again_after_a_kill(sqlite_store: RunStore) -> None:
    """The engine of the second attempt starts no box at all."""
    claim = a_claim(sqlite_store)
    made = make_verification(Verdict.PROVED, change=CHANGE, green=None, counted=ChangeSet(CHECKOUT.commit, {}))
    first = a_case(sqlite_store, claim)
    subject = subject_of(CHECKOUT, PREPARED, CHANGE, str(first.configuration.rules))
    first.measured.keep_verification(subject, made)
    second = a_case(sqlite_store, next_attempt(sqlite_store, claim))
    assert second.verify(CHECKOUT, MeasuredSuite(PREPARED, REPORT), CHANGE) == made
