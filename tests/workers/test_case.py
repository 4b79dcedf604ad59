"""How a run's case ends, on a real store: what stands in its row, and what people are told of its spending."""

from dataclasses import replace

import pytest

from agent.errors import GaveUp
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.prepare import NOTHING_COLLECTED
from repo_tools.environment.solving import solving_environment
from repo_tools.sandbox.contract import Layer
from repo_tools.test_report import TestOutcome, TestReport
from tests.support.cases import a_case
from tests.support.evidence import make_attempt
from tests.support.files_checkout import FilesCheckout
from tests.support.hosts import FailingHost
from tests.support.issues import a_claim, run_of
from tests.support.journals import SPEND
from tests.support.memory_workspace import report
from workers.case import Case
from workers.outcomes import Reason
from workers.store import RunStore

SECRET = "ghs_31337_" + "aB3dE4" * 8
HOST = AssertionError("nobody asks to be admitted here")


def test_no_secret_that_the_model_says_at_the_end_stands_in_the_row_or_the_journal(sqlite_store: RunStore) -> None:
    claim = a_claim(sqlite_store)
    case = a_case(sqlite_store, claim)
    outcome = case.publish(make_attempt(GaveUp(f"the token {SECRET} is refused"), verification=None))
    sqlite_store.finish(claim, outcome, {})
    row = run_of(sqlite_store, claim.run.id)
    assert row.detail == "The model gave up: the token [redacted: github token] is refused"
    assert SECRET not in str([step.data for step in sqlite_store.steps(claim.run.id)])


def test_an_escalation_before_the_agent_tells_what_earlier_attempts_spent(sqlite_store: RunStore) -> None:
    first = a_claim(sqlite_store)
    sqlite_store.set_progress(first, spend=SPEND)
    sqlite_store.release(first)
    again = a_claim(sqlite_store, first.run.id)
    host = FailingHost(HOST)
    a_case(sqlite_store, again, host).escalate(Reason.SETUP_FAILED, "No.")
    assert host.published[0].spend["turns"] == SPEND["turns"]


def test_a_first_attempt_that_never_came_to_the_agent_tells_what_was_allowed(sqlite_store: RunStore) -> None:
    claim, host = a_claim(sqlite_store), FailingHost(HOST)
    a_case(sqlite_store, claim, host).escalate(Reason.NO_TESTS, "No.")
    assert host.published[0].spend["turns"] == {"used": 0, "limit": 40.0}


DEAD = replace(report(), exit_code=1, problem="The test runner died.")
GREEN = report(("test_x.py::a", TestOutcome.PASSED))


@pytest.mark.parametrize(
    ("first", "seconds", "anew"),
    [
        (DEAD, 0.0, True),
        (DEAD, 4.0, False),
        (GREEN, 0.0, False),
        (replace(DEAD, timed_out=True), 0.0, False),
        (replace(DEAD, service_ended=True), 0.0, False),
        (replace(DEAD, exit_code=NOTHING_COLLECTED), 0.0, False),
        (replace(GREEN, problem="The accounts differ."), 0.0, False),
    ],
)
def test_an_environment_that_was_found_and_gives_no_result_is_made_anew_once(
    sqlite_store: RunStore, first: TestReport, seconds: float, *, anew: bool
) -> None:
    prepared = PreparedEnvironment(solving_environment(()), Layer("0" * 8, "none"), seconds)
    made: list[Layer | None] = []

    class Prepared(Case):
        def prepare(self, checkout: Checkout, instead_of: Layer | None = None) -> PreparedEnvironment:
            made.append(instead_of)
            return replace(prepared, seconds=4.0)

        def measure(self, checkout: Checkout, prepared: PreparedEnvironment, subject: str) -> TestReport:
            return GREEN if made else first

    found = a_case(sqlite_store, a_claim(sqlite_store), kind=Prepared).run_baseline(FilesCheckout({}), prepared)
    assert made == ([prepared.layer] if anew else [])
    assert found.baseline == (GREEN if anew else first)
    assert found.prepared.seconds == (4.0 if anew else seconds)
