"""A worker process for tests: the real one; it executes a run by claiming it, sleeping and ending it.

Arguments: data folder, broker URL, seconds to sleep.
"""

import os
import sys
import time
from functools import partial
from pathlib import Path

from workers.heartbeat import Heartbeat
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.settings import WorkerSettings
from workers.store import open_store
from workers.tasks import Execute
from workers.worker import run_worker

LEASE_SECONDS = 8.0


def build(settings: WorkerSettings, seconds: float) -> Execute:
    store = open_store(settings.effective_database_url)

    def execute(run_id: str) -> None:
        claim = store.claim(run_id, "test", LEASE_SECONDS)
        if claim is None:
            return
        store.append_step(claim, "started", {"pid": os.getpid(), "at": time.time()})
        try:
            with Heartbeat(store, claim, LEASE_SECONDS):
                time.sleep(seconds)
        except SystemExit:
            store.release(claim, counted=False)
            raise
        store.finish(claim, Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, "slept"), {})

    return execute


if __name__ == "__main__":
    settings = WorkerSettings(data_dir=Path(sys.argv[1]), broker_url=sys.argv[2])
    run_worker(settings, partial(build, settings, float(sys.argv[3])), concurrency=2, reconcile_seconds=1.0)
