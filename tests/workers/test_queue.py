"""Ringing while the broker is away, and what a message may be."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from repo_tools.errors import TransientError
from workers.broker import embedded_broker
from workers.leash import leashed
from workers.queue import BrokerUnavailableError, broker_answers, make_celery, ring, waiting_messages
from workers.tasks import execute_run


@pytest.mark.parametrize(
    "url",
    [
        "redis+socket:///nonexistent/broker.sock",
        "redis://:hunter2@127.0.0.1:1/0",
        "amqp://me:hunter2@127.0.0.1:1/",
    ],
)
def test_ringing_without_a_broker_fails_soon_and_says_nothing_of_the_password(url: str) -> None:
    celery = make_celery(url)
    began = time.monotonic()
    with pytest.raises(BrokerUnavailableError) as caught:
        ring(celery, "aaaaaaaaaaaa")
    assert time.monotonic() - began < 3
    assert isinstance(caught.value, TransientError)
    assert "hunter2" not in str(caught.value)


def test_a_broker_that_is_away_does_not_answer_and_that_is_known_soon() -> None:
    began = time.monotonic()
    assert not broker_answers(make_celery("redis://127.0.0.1:1/0"))
    assert time.monotonic() - began < 3


def test_ringing_a_broker_that_hangs_fails_soon(tmp_path: Path) -> None:
    with embedded_broker(tmp_path) as broker:
        server = subprocess.Popen(leashed(broker.argv), stdout=subprocess.DEVNULL)
        while not broker.ready():
            time.sleep(0.01)
        server.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        with pytest.raises(BrokerUnavailableError):
            ring(make_celery(broker.url), "aaaaaaaaaaaa")
        assert time.monotonic() - began < 8
        server.kill()
        server.wait()


def test_ringing_works_again_after_the_broker_came_back(tmp_path: Path) -> None:
    with embedded_broker(tmp_path) as broker:
        celery = make_celery(broker.url)
        for _ in range(2):
            server = subprocess.Popen(leashed(broker.argv), stdout=subprocess.DEVNULL)
            while not broker.ready():
                time.sleep(0.01)
            ring(celery, "aaaaaaaaaaaa")
            assert waiting_messages(celery) == 1
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
