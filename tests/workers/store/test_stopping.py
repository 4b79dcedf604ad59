"""Runs that are no longer wanted."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from tests.support.issues import a_claim, a_delivery, a_run, an_issue, run_of
from workers.outcomes import Outcome, OutcomeKind, Reason, RunStatus
from workers.store import RunStore, StopOrder, StopScope
from workers.store.database import writing
from workers.store.schema import runs

NOW = datetime(2026, 11, 21, 20, 15, 1, tzinfo=UTC)
GONE = StopOrder(StopScope.REPOSITORY, "The repository was archived.", repository_id=42)


def test_a_run_that_nobody_began_ends_at_once(store: RunStore) -> None:
    run_id = a_run(store)
    assert store.stop_runs(a_delivery(), GONE) == 1
    run = run_of(store, run_id)
    assert (run.status, run.outcome, run.reason) == (RunStatus.ENDED, OutcomeKind.CANCELLED, Reason.UNWANTED)
    assert run.detail == GONE.why
    assert store.claim(run_id, "worker-1", 60) is None


def test_whoever_holds_a_run_learns_that_it_is_unwanted(store: RunStore) -> None:
    claim = a_claim(store)
    assert store.why_unwanted(claim.run.id) is None
    assert store.stop_runs(a_delivery(), GONE) == 1
    assert store.why_unwanted(claim.run.id) == GONE.why
    assert run_of(store, claim.run.id).status is RunStatus.RUNNING
    assert store.stop_runs(a_delivery(), replace(GONE, why="Twice.")) == 0
    assert store.why_unwanted(claim.run.id) == GONE.why


def test_a_begun_run_that_waits_is_handed_to_a_worker_at_once(store: RunStore) -> None:
    claim = a_claim(store)
    store.release(claim, delay_seconds=3600)
    assert store.claim(claim.run.id, "worker-2", 60) is None
    store.stop_runs(a_delivery(), GONE)
    assert a_claim(store, claim.run.id).run.cancel == GONE.why


@pytest.mark.parametrize(
    ("order", "reached"),
    [
        (StopOrder(StopScope.ISSUE, "Closed.", repository_id=42, issue_number=5), {5}),
        (StopOrder(StopScope.REPOSITORY, "Gone.", repository_id=42), {5, 6}),
        (StopOrder(StopScope.INSTALLATION, "Gone.", installation_id=7), {5, 6, 8}),
        (StopOrder(StopScope.INSTALLATION, "Gone.", installation_id=8), {9}),
    ],
)
def test_only_what_is_meant_is_stopped(store: RunStore, order: StopOrder, reached: set[int]) -> None:
    issues = [an_issue(5), an_issue(6), an_issue(8, repository_id=43)]
    issues.append(replace(an_issue(9, repository_id=44), installation_id=8))
    for issue in issues:
        a_run(store, issue)
    assert store.stop_runs(a_delivery(), order) == len(reached)
    assert {run.issue_number for run in store.list_runs() if run.status is RunStatus.ENDED} == reached


def test_a_run_that_was_labelled_later_is_not_meant(store: RunStore) -> None:
    """A delivery that comes late, or is delivered again."""
    issue = replace(an_issue(), labelled_at=NOW)
    run_id = a_run(store, issue)
    order = StopOrder(
        StopScope.ISSUE, "Closed.", 0, issue.repository_id, issue.issue_number, NOW - timedelta(seconds=1)
    )
    assert store.stop_runs(a_delivery(), order) == 0
    assert run_of(store, run_id).status is RunStatus.QUEUED
    assert store.stop_runs(a_delivery(), replace(order, at=NOW)) == 1


def test_an_order_that_is_delivered_again_stops_nothing_newer(store: RunStore) -> None:
    """The repository was taken from the App and given back in between."""
    delivery = a_delivery()
    assert store.stop_runs(delivery, GONE) == 0
    run_id = a_run(store, an_issue(repository_id=42))
    assert store.stop_runs(delivery, GONE) == 0
    assert run_of(store, run_id).status is RunStatus.QUEUED


def test_what_waits_says_what_for_and_how_often(store: RunStore) -> None:
    claim = a_claim(store)
    store.release(claim, counted=False, waiting="The model's provider is overloaded.")
    run = run_of(store, claim.run.id)
    assert (run.waiting, run.waits, run.attempts) == ("The model's provider is overloaded.", 1, 0)
    again = a_claim(store, claim.run.id)
    assert (again.run.waiting, again.run.waits) == (None, 1)


def test_a_run_that_is_stopped_while_somebody_holds_it_waits_for_no_delay(store: RunStore) -> None:
    claim = a_claim(store)
    store.stop_runs(a_delivery(), GONE)
    store.release(claim, delay_seconds=3600)
    ending = a_claim(store, claim.run.id)
    assert ending.run.cancel == GONE.why
    store.release(ending, delay_seconds=3600)  # it could not be ended just then
    assert store.claim(claim.run.id, "worker-2", 60) is None


@pytest.mark.parametrize("second_id", ["0" * 14, "z" * 14], ids=["clock behind", "clock ahead"])
def test_the_next_run_of_an_issue_waits_for_the_end_of_the_one_before_whatever_the_clocks_say(
    store: RunStore, second_id: str
) -> None:
    issue = an_issue()
    first = a_claim(store, a_run(store, issue))
    store.stop_runs(a_delivery(), GONE)
    second = a_run(store, issue)
    with writing(store._engine) as connection:  # on another host, whose clock says otherwise
        connection.execute(update(runs).where(runs.c.id == second).values(id=second_id))
    assert store.claim(second_id, "worker-2", 60) is None
    store.release(first)
    assert store.claim(second_id, "worker-2", 60) is None
    ending = a_claim(store, first.run.id)  # waits for none
    store.finish(ending, Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, GONE.why), {})
    assert store.claim(second_id, "worker-2", 60) is not None
