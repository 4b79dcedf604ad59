"""Ringing while the broker is away, and what a message may be."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from repo_tools.errors import TransientError
from tests.support.brokers import answered
from tests.support.celery_apps import closed_celery
from tests.support.processes import eventually
from workers.broker import embedded_broker
from workers.leash import leashed
from workers.message import BrokerUnavailableError
from workers.queue import broker_answers, ring, waiting_messages
from workers.tasks import execute_run

SOON_SECONDS = 15.0
"""Kombu waits without end where nobody bounds it; a starved machine may need some seconds for what takes none."""


@pytest.mark.parametrize(
    "url",
    [
        "redis+socket:///nonexistent/broker.sock",
        "redis://:hunter2@127.0.0.1:1/0",
        "amqp://me:hunter2@127.0.0.1:1/",
    ],
)
def test_ringing_without_a_broker_fails_soon_and_says_nothing_of_the_password(url: str) -> None:
    with closed_celery(url) as celery:
        with pytest.raises(BrokerUnavailableError):
            ring(celery, "aaaaaaaaaaaa")  # the first one imports kombu's transport
        began = time.monotonic()
        with pytest.raises(BrokerUnavailableError) as caught:
            ring(celery, "aaaaaaaaaaaa")
        assert time.monotonic() - began < SOON_SECONDS
    assert isinstance(caught.value, TransientError)
    assert "hunter2" not in str(caught.value)


def test_a_broker_that_is_away_does_not_answer_and_that_is_known_soon() -> None:
    with closed_celery("redis://127.0.0.1:1/0") as celery:
        assert not broker_answers(celery)
        began = time.monotonic()
        assert not broker_answers(celery)
        assert time.monotonic() - began < SOON_SECONDS


def test_ringing_a_broker_that_hangs_fails_soon(tmp_path: Path) -> None:
    with embedded_broker(tmp_path) as broker:
        server = subprocess.Popen(leashed(broker.argv), stdout=subprocess.DEVNULL)
        eventually(broker.ready)
        with closed_celery(broker.url) as before:
            ring(before, "aaaaaaaaaaaa")
        server.send_signal(signal.SIGSTOP)
        with closed_celery(broker.url) as celery:
            began = time.monotonic()
            with pytest.raises(BrokerUnavailableError):
                ring(celery, "aaaaaaaaaaaa")
            assert time.monotonic() - began < SOON_SECONDS
        server.kill()
        server.wait()


def test_ringing_works_again_after_the_broker_came_back(tmp_path: Path) -> None:
    with embedded_broker(tmp_path) as broker, closed_celery(broker.url) as celery:
        for _ in range(2):
            server = subprocess.Popen(leashed(broker.argv), stdout=subprocess.DEVNULL)
            eventually(broker.ready)
            ring(celery, "aaaaaaaaaaaa")
            assert answered(lambda: waiting_messages(celery)) == 1
            server.kill()
            server.wait()
            with pytest.raises(BrokerUnavailableError):
                ring(celery, "aaaaaaaaaaaa")


@pytest.mark.parametrize(
    "forged", [None, 7, ["aaaaaaaaaaaa"], {"id": 1}, "", "../../etc", "A" * 12, "a" * 500, "a\n" * 6]
)
def test_what_is_no_run_id_is_dropped(forged: object) -> None:
    executed: list[str] = []
    execute_run(forged, executed.append)
    assert executed == []


def test_a_run_id_is_executed() -> None:
    executed: list[str] = []
    execute_run("mwqzjvt4nrzcqm", executed.append)
    assert executed == ["mwqzjvt4nrzcqm"]
