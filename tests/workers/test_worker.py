"""Real worker processes on a real broker: nothing is lost, nothing happens twice, nobody stays behind."""

import os
import pickle
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis
from celery import Celery

from repo_tools.errors import ConfigError
from tests.support.brokers import answered
from tests.support.celery_apps import closed_celery
from tests.support.issues import a_run, run_of
from tests.support.processes import children_of, command_of, eventually, is_alive
from workers.broker import EmbeddedBroker, embedded_broker
from workers.leash import leashed
from workers.message import RUN_TASK, BrokerUnavailableError
from workers.outcomes import RunStatus
from workers.queue import ring, waiting_messages
from workers.settings import WorkerSettings
from workers.store import RunStore, open_store
from workers.worker import run_worker

PROGRAM = Path(__file__).parent.parent / "support" / "worker_program.py"


@dataclass
class Stage:
    """A data folder, its store and its broker."""

    data_dir: Path
    store: RunStore
    broker_url: str
    celery: Celery

    def ended(self, run_id: str) -> bool:
        run = self.store.get(run_id)
        return run is not None and run.status is RunStatus.ENDED

    def ring(self, run_id: str) -> None:
        """Once or more often: a message that comes again changes nothing."""
        answered(lambda: ring(self.celery, run_id))

    def waiting_messages(self) -> int:
        return answered(lambda: waiting_messages(self.celery))

    def starts(self, run_id: str) -> int:
        return sum(step.kind == "started" for step in self.store.steps(run_id))


@pytest.fixture
def stage(tmp_path: Path, broker: EmbeddedBroker) -> Iterator[Stage]:
    store = open_store(WorkerSettings(data_dir=tmp_path).effective_database_url)
    with closed_celery(broker.url) as celery:
        yield Stage(tmp_path, store, broker.url, celery)
    store.close()


StartWorker = Callable[[Stage, float], subprocess.Popen[bytes]]


@pytest.fixture
def start_worker() -> Iterator[StartWorker]:
    """Start a worker whose runs take so many seconds; it is stopped at the end."""
    started: list[subprocess.Popen[bytes]] = []

    def start(stage: Stage, seconds: float) -> subprocess.Popen[bytes]:
        argv = (sys.executable, "-W", "ignore", str(PROGRAM), str(stage.data_dir), stage.broker_url, str(seconds))
        process = subprocess.Popen(argv, cwd=PROGRAM.parent.parent.parent)
        started.append(process)
        name = f"{platform.node()}-{process.pid}"  # the row of one that died is still there
        eventually(lambda: stage.store.node_lives(30, name), 90, what="a worker that reports")
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def descendants(pid: int) -> list[int]:
    found = []
    for child in children_of(pid):
        found += [child, *descendants(child)]
    return found


def test_runs_whose_messages_were_lost_are_executed(stage: Stage, start_worker: StartWorker) -> None:
    run_ids = [a_run(stage.store) for _ in range(4)]
    for run_id in run_ids:
        stage.ring(run_id)
    with redis_of(stage) as server:
        server.flushall()
    start_worker(stage, 0)
    eventually(lambda: all(stage.ended(run_id) for run_id in run_ids), 90)
    assert [stage.starts(run_id) for run_id in run_ids] == [1, 1, 1, 1]


def test_messages_are_acknowledged_on_receipt_and_no_run_waits_behind_a_long_one(
    stage: Stage, start_worker: StartWorker
) -> None:
    """Q08: nothing is left in the broker that it could deliver again, and each process has the message it works on."""
    start_worker(stage, 60)
    for run_id in [a_run(stage.store) for _ in range(4)]:
        stage.ring(run_id)
    eventually(lambda: under_way(stage) == 2, 60)
    with redis_of(stage) as server:
        eventually(lambda: server.hlen("unacked") == 0)
    assert stage.waiting_messages() >= 2


def test_a_message_that_comes_again_while_its_run_goes_on_starts_nothing(
    stage: Stage, start_worker: StartWorker
) -> None:
    """Q08: as after the broker's time-out of a long task, and to another worker."""
    for _ in range(2):
        start_worker(stage, 3)
    run_id = a_run(stage.store)
    stage.ring(run_id)
    eventually(lambda: stage.starts(run_id) == 1)
    for _ in range(8):
        stage.ring(run_id)
    eventually(lambda: stage.waiting_messages() == 0)
    eventually(lambda: stage.ended(run_id), 120)
    run = run_of(stage.store, run_id)
    assert (run.attempts, run.epoch, stage.starts(run_id)) == (1, 1, 1)


def test_a_broker_that_is_emptied_or_full_while_runs_go_on_loses_none(stage: Stage, start_worker: StartWorker) -> None:
    """Q12."""
    start_worker(stage, 2)
    run_ids = [a_run(stage.store) for _ in range(4)]
    for run_id in run_ids:
        stage.ring(run_id)
    eventually(lambda: under_way(stage) > 0)
    refused = a_run(stage.store)
    with redis_of(stage) as server:
        server.flushall()
        server.config_set("maxmemory", "1")  # takes no message any more
        with pytest.raises(BrokerUnavailableError):
            ring(stage.celery, refused)
        server.config_set("maxmemory", "0")
    run_ids.append(refused)
    eventually(lambda: all(stage.ended(run_id) for run_id in run_ids), 120)
    assert [stage.starts(run_id) for run_id in run_ids] == [1] * 5


def test_a_killed_worker_leaves_no_process_and_its_run_is_taken_over(stage: Stage, start_worker: StartWorker) -> None:
    first = start_worker(stage, 60)
    run_id = a_run(stage.store)
    stage.ring(run_id)
    eventually(lambda: stage.starts(run_id) == 1)
    family = descendants(first.pid)
    assert len(family) == 3  # two of the pool and the companion
    first.kill()
    first.wait()
    eventually(lambda: not any(is_alive(pid) for pid in family))
    start_worker(stage, 0)
    eventually(lambda: stage.ended(run_id))
    run = run_of(stage.store, run_id)
    assert (run.attempts, run.epoch) == (2, 2)


@pytest.mark.long(short="test_a_killed_worker_leaves_no_process_and_its_run_is_taken_over")
def test_a_run_whose_process_was_killed_is_executed_again(stage: Stage, start_worker: StartWorker) -> None:
    """Q06: as the kernel does where memory is short; the worker itself goes on."""
    worker = start_worker(stage, 4)
    run_id = a_run(stage.store)
    stage.ring(run_id)
    eventually(lambda: stage.starts(run_id) == 1)
    os.kill(stage.store.steps(run_id)[0].data["pid"], signal.SIGKILL)
    eventually(lambda: stage.ended(run_id), 120)
    run = run_of(stage.store, run_id)
    assert (run.attempts, stage.starts(run_id)) == (2, 2)
    assert worker.poll() is None


def test_a_worker_told_to_stop_gives_its_run_back(stage: Stage, start_worker: StartWorker) -> None:
    first = start_worker(stage, 60)
    run_id = a_run(stage.store)
    stage.ring(run_id)
    eventually(lambda: stage.starts(run_id) == 1)
    first.send_signal(signal.SIGTERM)
    assert first.wait(60) == 0
    run = run_of(stage.store, run_id)
    assert (run.status, run.attempts) == (RunStatus.QUEUED, 0)
    assert stage.store.workers_alive(60) == 0


@pytest.mark.long(short="test_a_worker_told_to_stop_gives_its_run_back")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP], ids=["is gone", "does not answer"])
def test_a_worker_told_to_stop_ends_though_its_broker(tmp_path: Path, start_worker: StartWorker, end: int) -> None:
    """Q10: from the moment on, as where a machine is shut down."""
    store = open_store(WorkerSettings(data_dir=tmp_path).effective_database_url)
    with embedded_broker(tmp_path) as broker, closed_celery(broker.url) as celery:
        stage = Stage(tmp_path, store, broker.url, celery)
        server = started(broker)
        worker = start_worker(stage, 60)
        run_id = a_run(store)
        stage.ring(run_id)
        eventually(lambda: stage.starts(run_id) == 1)
        worker.send_signal(signal.SIGTERM)
        server.send_signal(end)
        try:
            assert worker.wait(60) == 0
        finally:
            server.kill()
            server.wait()
        run = run_of(store, run_id)
        assert (run.status, run.attempts) == (RunStatus.QUEUED, 0)
    store.close()


@pytest.mark.long(short="test_a_worker_told_to_stop_gives_its_run_back")
def test_another_worker_goes_on_with_the_run_of_one_that_was_told_to_stop(
    stage: Stage, start_worker: StartWorker
) -> None:
    """Q05: nobody rings for it but the other worker's reconciler, and no lease has to run out."""
    first = start_worker(stage, 60)
    run_id = a_run(stage.store)
    stage.ring(run_id)
    eventually(lambda: stage.starts(run_id) == 1)
    start_worker(stage, 0)
    first.send_signal(signal.SIGTERM)
    eventually(lambda: stage.ended(run_id), 120)
    run = run_of(stage.store, run_id)
    assert (run.attempts, run.epoch, stage.starts(run_id)) == (1, 2, 2)


def test_forged_messages_change_nothing(stage: Stage, start_worker: StartWorker) -> None:
    """D10. Whoever reaches the broker can write to it: no pickle is opened, no unknown id or task executed."""
    worker = start_worker(stage, 0)
    celery = stage.celery
    canary = stage.data_dir / "pickle-was-opened"
    celery.conf.accept_content = ["json", "pickle"]
    for arguments in ([], ["aaaaaaaaaaaa"], [{"$ne": 1}], ["x", "y"]):
        celery.send_task(RUN_TASK, args=arguments)
    celery.send_task("os.system", args=[f"touch {canary}"])
    celery.send_task(RUN_TASK, args=[Touch(canary)], serializer="pickle")
    run_id = a_run(stage.store)
    stage.ring(run_id)
    eventually(lambda: stage.ended(run_id))
    assert not canary.exists()
    assert worker.poll() is None


class Touch:
    """Pickled, it makes a file where it is opened."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self._path,))


def test_the_test_for_pickles_would_notice_one(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Touch(tmp_path / "opened")))
    assert (tmp_path / "opened").exists()


@pytest.mark.long(short="test_a_broker_that_is_emptied_or_full_while_runs_go_on_loses_none")
def test_a_worker_consumes_again_after_its_broker_was_restarted_several_times(
    tmp_path: Path, start_worker: StartWorker
) -> None:
    """Q10: and the run that goes on meanwhile is not disturbed."""
    store = open_store(WorkerSettings(data_dir=tmp_path).effective_database_url)
    with embedded_broker(tmp_path) as broker, closed_celery(broker.url) as celery:
        stage = Stage(tmp_path, store, broker.url, celery)
        server = started(broker)
        start_worker(stage, 4)
        under = a_run(store)
        stage.ring(under)
        eventually(lambda: stage.starts(under) == 1)
        run_ids = [under]
        for _ in range(3):
            server.kill()
            server.wait()
            run_ids.append(a_run(store))  # while the broker is away
            server = started(broker)
        eventually(lambda: all(stage.ended(run_id) for run_id in run_ids), 120)
        assert [stage.starts(run_id) for run_id in run_ids] == [1] * 4
        server.kill()
        server.wait()
    store.close()


def test_a_worker_reports_while_it_reaches_its_broker(tmp_path: Path, start_worker: StartWorker) -> None:
    store = open_store(WorkerSettings(data_dir=tmp_path).effective_database_url)
    with embedded_broker(tmp_path) as broker, closed_celery(broker.url) as celery:
        server = started(broker)
        name = f"{platform.node()}-{start_worker(Stage(tmp_path, store, broker.url, celery), 0).pid}"
        server.kill()
        server.wait()
        eventually(lambda: not store.node_lives(5, name), what="a worker that reports no more")
        server = started(broker)
        eventually(lambda: store.node_lives(5, name), what="a worker that reports again")
        server.kill()
        server.wait()
    store.close()


def started(broker: EmbeddedBroker) -> subprocess.Popen[bytes]:
    server = subprocess.Popen(leashed(broker.argv), stdout=subprocess.DEVNULL)
    eventually(broker.ready)
    return server


def test_the_companion_comes_back(stage: Stage, start_worker: StartWorker) -> None:
    worker = start_worker(stage, 0)
    (companion,) = [pid for pid in children_of(worker.pid) if "workers.companion" in command_of(pid)]
    subprocess.run(["kill", "-9", str(companion)], check=True)
    time.sleep(0.5)
    run_id = a_run(stage.store)  # nobody rings for it
    eventually(lambda: stage.ended(run_id), 120)
    assert stage.starts(run_id) == 1


def test_a_worker_without_a_broker_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="AGENT_FIX_BROKER_URL"):
        run_worker(WorkerSettings(data_dir=tmp_path, broker_url=None), lambda: print)


def under_way(stage: Stage) -> int:
    return sum(run.status is RunStatus.RUNNING for run in stage.store.list_runs())


def redis_of(stage: Stage) -> "redis.Redis":
    """To be used in a `with`, which closes its connections."""
    return redis.Redis(unix_socket_path=stage.broker_url.removeprefix("redis+socket://"))
