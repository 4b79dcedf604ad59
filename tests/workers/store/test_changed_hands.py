"""Which runs ended lately and had several workers, by the database's clock."""

from dataclasses import replace
from datetime import timedelta

from tests.support.issues import after_now, an_ended_run, an_issue
from workers.store import RunStore


def test_runs_on_github_that_changed_hands_and_ended_since_the_last_first(store: RunStore) -> None:
    before = an_ended_run(store, workers=2)
    since = after_now(store)
    an_ended_run(store)
    an_ended_run(store, 2, replace(an_issue(), installation_id=0, repository_id=0))
    found = [an_ended_run(store, workers=2) for _ in range(2)]
    assert store.changed_hands_since(since) == found[::-1]
    assert store.changed_hands_since(since - timedelta(minutes=1)) == [*found[::-1], before]
    assert store.changed_hands_since(after_now(store)) == []
