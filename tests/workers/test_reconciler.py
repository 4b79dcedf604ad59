"""Ringing for runs whose message was lost, without filling the broker."""

import pytest

from tests.support.issues import a_claim, a_run, fall_silent
from workers.message import BrokerUnavailableError
from workers.reconciler import Reconciler
from workers.store import RunStore


class Bell:
    """A queue of messages that nobody takes out."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def ring(self, run_id: str) -> None:
        self.messages.append(run_id)


def reconciler(store: RunStore, bell: Bell, ring_again_seconds: float = 0.0) -> Reconciler:
    return Reconciler(store, bell.ring, lambda: len(bell.messages), ring_again_seconds)


def test_a_run_whose_message_was_lost_is_rung_for(sqlite_store: RunStore) -> None:
    bell, run_id = Bell(), a_run(sqlite_store)
    assert reconciler(sqlite_store, bell).reconcile() == [run_id]
    assert bell.messages == [run_id]


def test_a_run_whose_worker_fell_silent_is_rung_for(sqlite_store: RunStore) -> None:
    bell, claim = Bell(), a_claim(sqlite_store)
    assert reconciler(sqlite_store, bell).reconcile() == []
    fall_silent(sqlite_store, claim)
    assert reconciler(sqlite_store, bell).reconcile() == [claim.run.id]


def test_a_message_that_waits_is_not_doubled(sqlite_store: RunStore) -> None:
    bell = Bell()
    runs = [a_run(sqlite_store) for _ in range(3)]
    both = [reconciler(sqlite_store, bell), reconciler(sqlite_store, bell)]
    for one in both * 3:
        one.reconcile()
    assert sorted(bell.messages) == sorted(runs)


def test_only_what_the_broker_lost_is_rung_again(sqlite_store: RunStore) -> None:
    bell = Bell()
    for _ in range(5):
        a_run(sqlite_store)
    one = reconciler(sqlite_store, bell)
    one.reconcile()
    del bell.messages[:2]
    assert len(one.reconcile()) == 2
    bell.messages.clear()  # FLUSHALL
    assert len(one.reconcile()) == 5


def test_a_run_that_was_rung_lately_is_left_alone(sqlite_store: RunStore) -> None:
    bell, run_id = Bell(), a_run(sqlite_store)
    sqlite_store.mark_rung(run_id)
    assert reconciler(sqlite_store, bell, ring_again_seconds=60).reconcile() == []


def test_a_run_that_could_not_be_rung_for_is_rung_for_in_the_next_round(sqlite_store: RunStore) -> None:
    run_id = a_run(sqlite_store)

    def away(_: str) -> None:
        raise BrokerUnavailableError("away")

    with pytest.raises(BrokerUnavailableError):
        Reconciler(sqlite_store, away, lambda: 0, 0).reconcile()
    assert reconciler(sqlite_store, Bell()).reconcile() == [run_id]
