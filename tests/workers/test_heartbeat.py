"""Holding a run while the work goes on."""

import sqlite3
import time
from pathlib import Path

import pytest

from tests.support.issues import a_claim
from tests.support.processes import eventually
from workers.heartbeat import Heartbeat
from workers.store import LeaseLostError, RunStore, open_store


def test_a_run_is_held_for_as_long_as_the_work_takes(sqlite_store: RunStore) -> None:
    claim = a_claim(sqlite_store, lease_seconds=2)
    with Heartbeat(sqlite_store, claim, 2) as heartbeat:
        for _ in range(8):
            time.sleep(0.4)
            assert sqlite_store.claim(claim.run.id, "worker-2", 60) is None
            heartbeat.check()
    eventually(lambda: sqlite_store.claim(claim.run.id, "worker-2", 60), what="a lease that ended")


def test_a_run_that_was_taken_over_is_lost(sqlite_store: RunStore) -> None:
    claim = a_claim(sqlite_store, lease_seconds=0.01)
    time.sleep(0.05)
    a_claim(sqlite_store, claim.run.id)
    with Heartbeat(sqlite_store, claim, 0.1) as heartbeat:
        eventually(lambda: heartbeat.lost, 5)
        with pytest.raises(LeaseLostError):
            heartbeat.check()


def test_a_run_is_lost_when_the_database_stays_away_for_as_long_as_the_lease(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    store = open_store(url)
    claim = a_claim(store, lease_seconds=2)
    blocker = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    with Heartbeat(store, claim, 1.0) as heartbeat:
        blocker.execute("BEGIN IMMEDIATE")
        heartbeat.check()
        eventually(lambda: heartbeat.lost, 10)
        blocker.execute("ROLLBACK")
        eventually(lambda: not heartbeat.lost, 10)  # nobody else had claimed it
    blocker.close()
    store.close()
