"""From the webhook's last act to a worker's first: the time between ringing for a run and the start of its task.

A real broker and a real worker process, idle between two runs, as on a machine that waits for the next label.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from bench.table import Row
from tests.support.issues import a_run
from tests.support.processes import eventually
from workers.broker import running_broker
from workers.queue import make_celery, ring
from workers.settings import WorkerSettings
from workers.store import RunStore, open_store

RUNS = 60
WARM_UP = 5
PAUSE_SECONDS = 0.05
TARGET_MILLISECONDS = 50.0
_PROGRAM = Path(__file__).parents[1] / "tests" / "support" / "worker_program.py"


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as name, running_broker(Path(name)) as broker:
        store = open_store(WorkerSettings(data_dir=Path(name)).effective_database_url)
        argv = (sys.executable, str(_PROGRAM), name, broker.url, "0")
        worker = subprocess.Popen(argv, cwd=_PROGRAM.parents[2], stderr=subprocess.DEVNULL)
        try:
            eventually(lambda: store.workers_alive(5), what="a worker")
            waits = _waits(store, broker.url)
        finally:
            worker.kill()
            worker.wait()
            store.close()
    ninetieth = statistics.quantiles(waits, n=10)[-1]
    return [Row("ring to task start, 90th percentile", ninetieth, None, None, TARGET_MILLISECONDS, "ms")]


def _waits(store: RunStore, broker_url: str) -> list[float]:
    """Milliseconds, one for each run."""
    celery = make_celery(broker_url)
    waits = []
    for _ in range(WARM_UP + RUNS):
        run_id = a_run(store)
        rung = time.time()
        ring(celery, run_id)
        eventually(partial(store.steps, run_id), what="a task that starts")
        waits.append((store.steps(run_id)[0].data["at"] - rung) * 1000)
        time.sleep(PAUSE_SECONDS)
    return waits[WARM_UP:]
