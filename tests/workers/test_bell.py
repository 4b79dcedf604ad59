"""What rings without Celery, heard by Celery itself."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from app.demo.ports import held_port
from tests.support.brokers import answered
from tests.support.celery_apps import closed_celery
from tests.support.processes import eventually
from workers.bell import open_bell
from workers.broker import EmbeddedBroker, embedded_broker
from workers.leash import leashed
from workers.message import BrokerUnavailableError
from workers.queue import waiting_messages
from workers.redis_bell import RedisBell

RUN = "mwqzjvt4nrzcqm"
SOON_SECONDS = 15.0  # far more than it takes, far less than for ever


WORKER = """
import sys
from workers.queue import make_celery
from workers.tasks import add_run_task

celery = make_celery(sys.argv[1])
add_run_task(celery, lambda run_id: print(run_id, flush=True))
celery.Worker(pool="solo", without_gossip=True, without_mingle=True, quiet=True, redirect_stdouts=False).start()
"""


def test_a_celery_worker_executes_what_was_rung(broker: EmbeddedBroker) -> None:
    bell, rung = open_bell(broker.url), [RUN, "aaaaaaaaaaaaaa"]
    for run_id in rung:
        bell.ring(run_id)
    assert waiting(broker.url) == 2
    command = (sys.executable, "-W", "ignore", "-c", WORKER, broker.url)
    with subprocess.Popen(leashed(command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as worker:
        assert worker.stdout is not None
        executed = [worker.stdout.readline().strip() for _ in rung]
        worker.kill()
    assert executed == rung
    assert waiting(broker.url) == 0


def waiting(url: str) -> int:
    with closed_celery(url) as celery:
        return answered(lambda: waiting_messages(celery))


def test_celery_is_not_imported_for_redis() -> None:
    program = """
import sys
from workers.bell import open_bell
open_bell("redis://:secret@localhost/1"), open_bell("redis+socket:///tmp/broker.sock")
sys.exit(any(name in sys.modules for name in ("celery", "kombu", "redis", "amqp")))
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    "url",
    [
        "redis+socket:///nonexistent/broker.sock",
        "redis://:hunter2@127.0.0.1:1/0",
        "rediss://:hunter2@127.0.0.1:1/0?ssl_cert_reqs=required",
        "amqp://me:hunter2@127.0.0.1:1/",
    ],
)
def test_without_a_broker_it_fails_soon_and_says_nothing_of_the_password(url: str) -> None:
    bell = open_bell(url)
    with pytest.raises(BrokerUnavailableError):
        bell.ring(RUN)  # the first one imports what it needs
    began = time.monotonic()
    with pytest.raises(BrokerUnavailableError) as caught:
        bell.ring(RUN)
    assert not bell.answers()
    assert time.monotonic() - began < SOON_SECONDS
    assert "hunter2" not in str(caught.value)


def test_a_broker_that_hangs_is_given_up_soon(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "silent.sock"))
        silent.listen()
        began = time.monotonic()
        with pytest.raises(BrokerUnavailableError):
            RedisBell(f"redis+socket://{tmp_path}/silent.sock").ring(RUN)
        assert time.monotonic() - began < SOON_SECONDS


def test_it_rings_again_after_the_broker_came_back(tmp_path: Path) -> None:
    with embedded_broker(tmp_path) as broker:
        bell = open_bell(broker.url)
        for _ in range(2):
            server = subprocess.Popen(leashed(broker.argv), stdout=subprocess.DEVNULL)
            eventually(broker.ready)
            eventually(bell.answers)
            answered(lambda: bell.ring(RUN))
            server.kill()
            server.wait()
            assert not bell.answers()


@contextmanager
def over_tcp(tmp_path: Path, password: str) -> Iterator[int]:
    """A Valkey on a port, which answers to that password."""
    with held_port() as held, embedded_broker(tmp_path) as broker:
        port = held.getsockname()[1]
        argv = (
            broker.argv[0],
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--loglevel",
            "warning",
            "--requirepass",
            password,
        )
        server = subprocess.Popen(leashed(argv), stdout=subprocess.DEVNULL, cwd=tmp_path)
        try:
            eventually(open_bell(f"redis://:{quote(password, safe='')}@127.0.0.1:{port}/0").answers)
            yield port
        finally:
            server.kill()
            server.wait()


def test_password_and_database_of_the_url_are_used(tmp_path: Path) -> None:
    with over_tcp(tmp_path, "p:ss/w@rd") as port:
        url = f"redis://:p%3Ass%2Fw%40rd@127.0.0.1:{port}/3"
        open_bell(url).ring(RUN)
        assert waiting(url) == 1
        assert waiting(url.removesuffix("3") + "0") == 0


def test_a_wrong_password_is_told_by_its_code_alone(tmp_path: Path) -> None:
    with over_tcp(tmp_path, "right") as port:
        with pytest.raises(BrokerUnavailableError) as caught:
            open_bell(f"redis://:wrong@127.0.0.1:{port}/0").ring(RUN)
        assert str(caught.value) == "the broker cannot be used (WRONGPASS)"
