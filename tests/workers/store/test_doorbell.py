"""Which runs need a message, and which workers are there."""

from dataclasses import replace

from tests.support.databases import set_back
from tests.support.issues import a_claim, a_run, an_issue, fall_silent
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import RunStore
from workers.store.schema import runs, workers


def test_a_queued_run_is_due_until_it_is_rung_and_again_later(store: RunStore, database_url: str) -> None:
    run_id = a_run(store)
    assert store.due_for_ring(60) == []  # whoever wrote it rings for it
    assert store.due_for_ring(0) == [run_id]
    store.mark_rung(run_id)
    assert store.due_for_ring(60) == []
    set_back(database_url, runs.c.rung_at, 61)
    assert store.due_for_ring(60) == [run_id]


def test_a_run_whose_worker_fell_silent_is_due(store: RunStore) -> None:
    claim = a_claim(store)
    assert store.due_for_ring(0) == []
    fall_silent(store, claim)
    assert store.due_for_ring(0) == [claim.run.id]


def test_what_was_rung_before_a_lease_ran_out_does_not_count(store: RunStore, database_url: str) -> None:
    run_id = a_run(store)
    store.mark_rung(run_id)
    set_back(database_url, runs.c.rung_at, 30)
    claim = a_claim(store, run_id)
    assert store.due_for_ring(60) == []
    fall_silent(store, claim)
    assert store.due_for_ring(60) == [run_id]
    store.mark_rung(run_id)
    assert store.due_for_ring(60) == []


def test_a_released_run_is_due_at_once(store: RunStore, database_url: str) -> None:
    run_id = a_run(store)
    store.mark_rung(run_id)
    claim = a_claim(store, run_id)
    set_back(database_url, runs.c.created_at, 61)
    store.release(claim)
    assert store.due_for_ring(60) == [run_id]


def test_an_ended_run_is_never_due(store: RunStore) -> None:
    store.finish(a_claim(store), Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, ""), {})
    assert store.due_for_ring(0) == []
    assert store.queue_depth() == 0


def test_a_local_run_is_due_once_the_command_that_owned_it_fell_silent(store: RunStore) -> None:
    local = replace(an_issue(0, repository_id=0), repository="/home/me/project")
    claim = a_claim(store, a_run(store, local))
    assert store.due_for_ring(0) == []
    fall_silent(store, claim)
    assert store.due_for_ring(0) == [claim.run.id]


def test_runs_never_rung_come_first_and_no_more_than_asked_for(store: RunStore) -> None:
    first, second, third = (a_run(store) for _ in range(3))
    store.mark_rung(first)
    assert store.due_for_ring(0) == [second, third, first]
    assert store.due_for_ring(0, limit=2) == [second, third]
    assert store.queue_depth() == 3


def test_workers_count_while_they_are_seen(store: RunStore, database_url: str) -> None:
    assert store.workers_alive(60) == 0
    store.worker_seen("one")
    store.worker_seen("one")
    store.worker_seen("two")
    assert store.workers_alive(60) == 2
    set_back(database_url, workers.c.seen_at, 61)
    store.worker_seen("two")
    assert store.workers_alive(60) == 1
    assert store.workers_alive(120) == 2
    store.worker_gone("two")
    assert store.workers_alive(120) == 1
