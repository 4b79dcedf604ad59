"""How a run's case ends, on a real store: what stands in its row."""

from agent.errors import GaveUp
from tests.support.evidence import make_attempt, make_run
from tests.support.hosts import FailingHost, empty_workshop
from tests.support.issues import a_claim
from workers.heartbeat import Heartbeat
from workers.journal import Journal
from workers.pipeline import Case
from workers.store import Claim, RunStore

SECRET = "ghs_31337_" + "aB3dE4" * 8
HOST = AssertionError("nobody asks to be admitted here")


def a_case(store: RunStore, claim: Claim, heartbeat: Heartbeat, host: FailingHost) -> Case:
    return Case(make_run(run_id=claim.run.id), host, empty_workshop(), Journal(store, claim, heartbeat))


def test_no_secret_that_the_model_says_at_the_end_stands_in_the_row_or_the_journal(sqlite_store: RunStore) -> None:
    claim = a_claim(sqlite_store)
    with Heartbeat(sqlite_store, claim, 60) as heartbeat:
        case = a_case(sqlite_store, claim, heartbeat, FailingHost(HOST))
        outcome = case.publish(make_attempt(GaveUp(f"the token {SECRET} is refused"), verification=None))
        sqlite_store.finish(claim, outcome, {})
    row = sqlite_store.get(claim.run.id)
    assert row is not None
    assert row.detail == "The model gave up: the token [redacted: github token] is refused"
    assert SECRET not in str([step.data for step in sqlite_store.steps(claim.run.id)])
