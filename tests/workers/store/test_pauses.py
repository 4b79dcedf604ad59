"""An installation that GitHub limits: none of its runs is begun, and none is lost."""

from dataclasses import replace

from tests.support.databases import set_back
from tests.support.issues import a_claim, a_run, an_issue, fall_silent
from workers.store import Limits, RunStore
from workers.store.schema import pauses

INSTALLATION = an_issue().installation_id


def test_no_run_of_a_paused_installation_is_claimed_rung_for_or_counted(store: RunStore) -> None:
    run_id = a_run(store)
    silent = a_claim(store)
    fall_silent(store, silent)
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


def test_a_pause_ends_and_a_run_under_way_is_not_disturbed(store: RunStore, database_url: str) -> None:
    held = a_claim(store)
    run_id = a_run(store)
    store.pause_installation(INSTALLATION, 60)
    assert store.renew(held, 60)
    assert store.next_waiting(Limits()) is None
    set_back(database_url, pauses.c.until, 61)
    assert store.next_waiting(Limits()) == run_id


def test_the_longest_of_several_pauses_holds(store: RunStore, database_url: str) -> None:
    for seconds in (1, 3600, 1):
        store.pause_installation(INSTALLATION, seconds)
    set_back(database_url, pauses.c.until, 60)
    assert store.is_paused(INSTALLATION)
