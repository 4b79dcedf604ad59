"""Which runs need a message, and which workers are there."""

import time
from dataclasses import replace

from tests.support.issues import a_claim, a_run, an_issue
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import RunStore


def test_a_queued_run_is_due_until_it_is_rung_and_again_later(store: RunStore) -> None:
    run_id = a_run(store)
    assert store.due_for_ring(60) == []  # whoever wrote it rings for it
    assert store.due_for_ring(0) == [run_id]
    store.mark_rung(run_id)
    assert store.due_for_ring(60) == []
    time.sleep(0.1)
    assert store.due_for_ring(0.1) == [run_id]


def test_a_run_whose_worker_fell_silent_is_due(store: RunStore) -> None:
    claim = a_claim(store, lease_seconds=0.1)
    assert store.due_for_ring(0) == []
    time.sleep(0.15)
    assert store.due_for_ring(0) == [claim.run.id]


def test_what_was_rung_before_a_lease_ran_out_does_not_count(store: RunStore) -> None:
    run_id = a_run(store)
    store.mark_rung(run_id)
    a_claim(store, run_id, lease_seconds=0.1)
    time.sleep(0.15)
    assert store.due_for_ring(60) == [run_id]
    store.mark_rung(run_id)
    assert store.due_for_ring(60) == []


def test_a_released_run_is_due_at_once(store: RunStore) -> None:
    run_id = a_run(store)
    store.mark_rung(run_id)
    claim = a_claim(store, run_id)
    time.sleep(0.1)
    store.release(claim)
    assert store.due_for_ring(0.1) == [run_id]


def test_an_ended_run_is_never_due(store: RunStore) -> None:
    store.finish(a_claim(store), Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, ""), {})
    assert store.due_for_ring(0) == []
    assert store.queue_depth() == 0


def test_a_local_run_is_due_once_the_command_that_owned_it_fell_silent(store: RunStore) -> None:
    local = replace(an_issue(0, repository_id=0), repository="/home/me/project")
    claim = a_claim(store, a_run(store, local), lease_seconds=0.1)
    assert store.due_for_ring(0) == []
    time.sleep(0.15)
    assert store.due_for_ring(0) == [claim.run.id]


def test_runs_never_rung_come_first_and_no_more_than_asked_for(store: RunStore) -> None:
    first, second, third = (a_run(store) for _ in range(3))
    store.mark_rung(first)
    assert store.due_for_ring(0) == [second, third, first]
    assert store.due_for_ring(0, limit=2) == [second, third]
    assert store.queue_depth() == 3


def test_workers_count_while_they_are_seen(store: RunStore) -> None:
    assert store.workers_alive(60) == 0
    store.worker_seen("one")
    store.worker_seen("one")
    store.worker_seen("two")
    assert store.workers_alive(60) == 2
    time.sleep(0.2)
    store.worker_seen("two")
    assert store.workers_alive(0.15) == 1
    store.worker_gone("two")
    assert store.workers_alive(60) == 1
