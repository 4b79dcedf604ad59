"""Deliveries and issue snapshots for tests of the store and what stands on it."""

import itertools
import uuid
from datetime import datetime

from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import Claim, IssueSnapshot, NewDelivery, Run, RunStore

ENDED = Outcome(OutcomeKind.ESCALATION, Reason.GAVE_UP, "It could not be done.")
_numbers = itertools.count(1)


def a_delivery() -> NewDelivery:
    return NewDelivery(str(uuid.uuid4()), "issues", "labeled")


def an_issue(number: int | None = None, repository_id: int = 42, title: str = "It breaks") -> IssueSnapshot:
    """A new issue at each call, unless a number is given."""
    return IssueSnapshot(
        installation_id=7,
        repository_id=repository_id,
        repository="octo/widgets",
        issue_number=next(_numbers) if number is None else number,
        title=title,
        body="Badly.",
        sender="maintainer",
        labelled_at=None,
    )


def a_run(store: RunStore, issue: IssueSnapshot | None = None) -> str:
    """The id of a queued run."""
    return store.create_run_once(a_delivery(), issue or an_issue()).run_id


def run_of(store: RunStore, run_id: str) -> Run:
    run = store.get(run_id)
    assert run is not None
    return run


def a_claim(store: RunStore, run_id: str | None = None, lease_seconds: float = 60) -> Claim:
    claim = store.claim(run_id or a_run(store), "worker-1", lease_seconds)
    assert claim is not None
    return claim


def an_ended_run(store: RunStore, workers: int = 1, issue: IssueSnapshot | None = None) -> str:
    """The id of one that so many workers held, one after the other."""
    run_id = a_run(store, issue)
    for _ in range(workers - 1):
        a_claim(store, run_id, lease_seconds=-1)
    store.finish(a_claim(store, run_id), ENDED, {})
    return run_id


def fall_silent(store: RunStore, claim: Claim) -> None:
    """As a worker does that died: its lease has run out."""
    assert store.renew(claim, -1)


def after_now(store: RunStore) -> datetime:
    """A time after all that is written: the clock of SQLite stands still for a millisecond."""
    written = store.time()
    while (after := store.time()) <= written:
        pass
    return after
