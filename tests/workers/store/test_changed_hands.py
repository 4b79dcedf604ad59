"""Which runs ended lately and had several workers, by the database's clock."""

from dataclasses import replace
from datetime import timedelta

from tests.support.issues import a_claim, a_run, after_now, an_issue
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import IssueSnapshot, RunStore

ENDED = Outcome(OutcomeKind.ESCALATION, Reason.GAVE_UP, "It could not be done.")


def ended(store: RunStore, issue: IssueSnapshot, *, handed_over: bool) -> str:
    run_id = a_run(store, issue)
    if handed_over:
        a_claim(store, run_id, lease_seconds=-1)
    store.finish(a_claim(store, run_id), ENDED, {})
    return run_id


def test_runs_on_github_that_changed_hands_and_ended_since_the_last_first(store: RunStore) -> None:
    before = ended(store, an_issue(), handed_over=True)
    since = after_now(store)
    ended(store, an_issue(), handed_over=False)
    ended(store, replace(an_issue(), installation_id=0, repository_id=0), handed_over=True)
    found = [ended(store, an_issue(), handed_over=True) for _ in range(2)]
    assert store.changed_hands_since(since) == found[::-1]
    assert store.changed_hands_since(since - timedelta(minutes=1)) == [*found[::-1], before]
    assert store.changed_hands_since(after_now(store)) == []
