"""An installation that GitHub limits: none of its runs is begun, and none is lost."""

import time
from dataclasses import replace

from tests.support.issues import a_claim, a_run, an_issue
from workers.store import Limits, RunStore

INSTALLATION = an_issue().installation_id


def test_no_run_of_a_paused_installation_is_claimed_rung_for_or_counted(store: RunStore) -> None:
    run_id = a_run(store)
    silent = a_claim(store, lease_seconds=0.05)
    time.sleep(0.1)
    store.pause_installation(INSTALLATION, 60)
    assert store.is_paused(INSTALLATION)
    assert store.claim_next("worker", 60, Limits(), rung=run_id) is None
    assert store.claim(run_id, "worker", 60) is None
    assert store.claim(silent.run.id, "worker", 60) is None
    assert store.due_for_ring(0) == []
    assert store.queue_depth() == 0
    assert store.left_waiting(Limits(), "node-") is None


def test_other_installations_go_on(store: RunStore) -> None:
    a_run(store)
    other = a_run(store, replace(an_issue(), installation_id=INSTALLATION + 1))
    store.pause_installation(INSTALLATION, 60)
    assert not store.is_paused(INSTALLATION + 1)
    assert store.next_waiting(Limits()) == other


def test_a_pause_ends_and_a_run_under_way_is_not_disturbed(store: RunStore) -> None:
    held = a_claim(store)
    run_id = a_run(store)
    store.pause_installation(INSTALLATION, 0.3)
    assert store.renew(held, 60)
    assert store.next_waiting(Limits()) is None
    time.sleep(0.4)
    assert store.next_waiting(Limits()) == run_id


def test_the_longest_of_several_pauses_holds(store: RunStore) -> None:
    for seconds in (0.01, 60, 0.01):
        store.pause_installation(INSTALLATION, seconds)
    time.sleep(0.1)
    assert store.is_paused(INSTALLATION)
