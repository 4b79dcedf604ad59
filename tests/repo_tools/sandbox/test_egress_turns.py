"""How many of this process's threads a box's connections take."""

import socket
import threading

import pytest

from repo_tools.sandbox.box import frames, relay
from repo_tools.sandbox.egress import MOST_UNDER_WAY, Egress
from tests.support.processes import eventually

ASKING = b"CONNECT mirror.example:443 HTTP/1.1\r\n\r\n"


def test_connections_that_are_given_up_while_a_server_is_waited_for_take_no_threads_without_end() -> None:
    """S03, S06: a program in the box that opens and drops connections to a host that is allowed and does not answer."""
    answers = threading.Event()
    asked: list[str] = []
    sent: list[frames.Frame] = []

    def dial(host: str, port: int) -> socket.socket:
        asked.append(host)
        answers.wait(30)
        raise ConnectionRefusedError("it is down")

    egress = Egress(("mirror.example",), sent.append, dial)
    threads = threading.active_count()
    for stream in range(1, 4 * MOST_UNDER_WAY):
        egress.handle(frames.Frame(frames.OPEN, stream))
        egress.handle(frames.Frame(frames.DATA, stream, ASKING))
        egress.handle(frames.Frame(frames.CLOSE, stream))
    assert threading.active_count() - threads <= MOST_UNDER_WAY
    egress.handle(frames.Frame(frames.OPEN, 1_000_000))
    egress.handle(frames.Frame(frames.DATA, 1_000_000, ASKING))
    answers.set()
    eventually(
        lambda: any(f.stream == 1_000_000 and b"502" in f.payload for f in sent), what="the last one has its turn"
    )
    eventually(lambda: threading.active_count() == threads, what="nothing is left")
    assert len(asked) <= MOST_UNDER_WAY + 1
    egress.close()


def test_a_connection_for_which_there_is_no_thread_has_its_turn_when_another_one_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers, sent = threading.Event(), list[frames.Frame]()

    def dial(host: str, port: int) -> socket.socket:
        answers.wait(30)
        raise ConnectionRefusedError("it is down")

    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    egress = Egress(("mirror.example",), sent.append, dial)
    egress.handle(frames.Frame(frames.OPEN, 1))
    egress.handle(frames.Frame(frames.DATA, 1, ASKING))
    with monkeypatch.context() as exhausted:
        exhausted.setattr(threading.Thread, "start", start)
        for stream in range(2, relay.MOST_CONNECTIONS):
            egress.handle(frames.Frame(frames.OPEN, stream))
            egress.handle(frames.Frame(frames.DATA, stream, ASKING))
    answers.set()
    eventually(
        lambda: len({f.stream for f in sent if b"502" in f.payload}) == relay.MOST_CONNECTIONS - 1, what="all are told"
    )
    egress.close()
