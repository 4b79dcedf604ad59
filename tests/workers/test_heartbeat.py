"""Holding a run while the work goes on."""

import sqlite3
import time
from pathlib import Path

import pytest

from tests.support.issues import a_claim, fall_silent
from tests.support.processes import eventually
from workers.heartbeat import Heartbeat
from workers.store import LeaseLostError, RunStore

LEASE_SECONDS = 15.0  # a third of it may pass before a renewal, and the rest while the machine has no time for one


@pytest.mark.long(short="test_a_run_is_lost_when_the_database_stays_away_for_as_long_as_the_lease")
def test_a_run_is_held_for_as_long_as_the_work_takes(sqlite_store: RunStore) -> None:
    claim = a_claim(sqlite_store, lease_seconds=LEASE_SECONDS)
    began = time.monotonic()
    with Heartbeat(sqlite_store, claim, LEASE_SECONDS) as heartbeat:
        while time.monotonic() < began + 1.2 * LEASE_SECONDS:
            time.sleep(0.4)
            assert sqlite_store.claim(claim.run.id, "worker-2", 60) is None
            heartbeat.check()
    eventually(lambda: sqlite_store.claim(claim.run.id, "worker-2", 60), what="a lease that ended")


def test_a_run_that_was_taken_over_is_lost(sqlite_store: RunStore) -> None:
    claim = a_claim(sqlite_store)
    fall_silent(sqlite_store, claim)
    a_claim(sqlite_store, claim.run.id)
    with Heartbeat(sqlite_store, claim, 0.1) as heartbeat:
        eventually(lambda: heartbeat.lost)
        with pytest.raises(LeaseLostError):
            heartbeat.check()


def test_a_run_is_lost_when_the_database_stays_away_for_as_long_as_the_lease(
    sqlite_store: RunStore, tmp_path: Path
) -> None:
    claim = a_claim(sqlite_store, lease_seconds=5)
    blocker = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    with Heartbeat(sqlite_store, claim, 5) as heartbeat:
        blocker.execute("BEGIN IMMEDIATE")
        heartbeat.check()
        eventually(lambda: heartbeat.lost)
        blocker.execute("ROLLBACK")
        eventually(lambda: not heartbeat.lost)  # nobody else had claimed it
    blocker.close()
