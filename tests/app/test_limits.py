"""A real server between us and whoever sends too much, too slowly, or without an end."""

import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress

import pytest

from app.body import MAX_BYTES
from app.server import HEADER_SECONDS
from tests.support.deliveries import encoded, headers, labeled
from tests.support.web import raw_answer, request
from tests.support.web_process import WebProcess, web_process

PATH = "/webhooks/github"
MEGABYTE = 1024 * 1024


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebProcess]:
    with web_process(tmp_path_factory.mktemp("web")) as process:
        yield process


def delivery_of(size: int, number: int = 1) -> bytes:
    """A labeled issue of so many bytes, most of them in fields that nobody needs."""
    body = encoded(labeled(number=number, bulk=""))
    return body.replace(b'"bulk": ""', b'"bulk": "' + b"x" * (size - len(body)) + b'"')


def head(extra: dict[str, str], path: str = PATH) -> bytes:
    lines = {**headers(b""), "Host": "localhost", **extra}
    return f"POST {path} HTTP/1.1\r\n".encode() + "".join(f"{k}: {v}\r\n" for k, v in lines.items()).encode() + b"\r\n"


def chunked(body: bytes, size: int = 65536) -> Iterator[bytes]:
    for start in range(0, len(body), size):
        part = body[start : start + size]
        yield b"%x\r\n%s\r\n" % (len(part), part)
    yield b"0\r\n\r\n"


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def peak_memory(web: WebProcess, until: threading.Event) -> int:
    peak = web.memory_bytes
    while not until.wait(0.005):
        peak = max(peak, web.memory_bytes)
    return peak


def test_a_delivery_at_githubs_cap_is_accepted_in_bounded_memory(web: WebProcess) -> None:
    """W14."""
    body = delivery_of(MAX_BYTES, number=25)
    before, ended = web.memory_bytes, threading.Event()
    with ThreadPoolExecutor(1) as threads:
        peak = threads.submit(peak_memory, web, ended)
        status, _ = request(web.port, "POST", PATH, body, headers(body))
        ended.set()
    assert status == 202
    assert peak.result() - before < 64 * MEGABYTE


def test_a_larger_body_is_refused_before_it_comes(web: WebProcess) -> None:
    """W14."""
    started = time.monotonic()
    answer = raw_answer(web.port, head({"Content-Length": str(26 * MEGABYTE)}))
    assert status_of(answer) == 413
    assert time.monotonic() - started < 30


def test_a_larger_body_without_a_length_is_refused_on_its_way(web: WebProcess) -> None:
    """W14."""
    before = web.memory_bytes
    with socket.create_connection(("127.0.0.1", web.port), timeout=30) as connection:
        connection.sendall(head({"Transfer-Encoding": "chunked"}))
        sent = 0
        try:
            for part in chunked(bytes(200 * MEGABYTE), size=MEGABYTE):
                connection.sendall(part)
                sent += len(part)
        except OSError:  # closed on us: as it should be
            pass
        answer = connection.recv(65536)
    assert status_of(answer) == 413
    assert sent < 2 * MAX_BYTES
    assert web.memory_bytes - before < 64 * MEGABYTE


def test_a_delivery_in_chunks_is_accepted(web: WebProcess) -> None:
    body = delivery_of(300_000, number=26)
    answer = raw_answer(
        web.port, head({**headers(body), "Transfer-Encoding": "chunked", "Connection": "close"}), *chunked(body, 1000)
    )
    assert status_of(answer) == 202


def test_a_compressed_body_is_refused_unread(web: WebProcess) -> None:
    """W14."""
    bomb = gzip.compress(bytes(100 * MEGABYTE))
    before = web.memory_bytes
    status, body = request(web.port, "POST", PATH, bomb, {**headers(bomb), "Content-Encoding": "gzip"})
    assert status == 415
    assert "Content-Encoding" in json.loads(body)["error"]
    assert web.memory_bytes - before < 64 * MEGABYTE


def test_many_large_bodies_at_once_do_not_fill_the_memory(web: WebProcess) -> None:
    """W14: unsigned ones: whoever reaches the port can send them."""
    before = web.memory_bytes
    part = bytes(20 * MEGABYTE)
    all_sent = threading.Barrier(8)
    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(lambda _: _send_and_hold(web.port, part, all_sent), range(8)))
    assert 503 in statuses
    assert web.memory_bytes - before < 64 * MEGABYTE


def _send_and_hold(port: int, part: bytes, all_sent: threading.Barrier) -> int:
    """The last byte comes once all have sent the others, or were refused."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        with suppress(OSError):
            connection.sendall(head({"Content-Length": str(len(part) + 1)}) + part)
        all_sent.wait(120)
        with suppress(OSError):
            connection.sendall(b"x")
        return status_of(connection.recv(65536))


def test_slow_senders_are_given_up_and_others_are_served_meanwhile(web: WebProcess) -> None:
    """W14: a silent connection, half a head, a dripped one, half a body, a second request that never ends."""
    openings = [
        b"",
        b"POST /webhooks/github HTTP/1.1\r\nHost: local",
        b"GET /livez HTTP/1.1\r\n",
        head({"Content-Length": "1000"}) + b"half",
        b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nGET /liv",
    ]
    started = time.monotonic()
    with ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(("127.0.0.1", web.port), timeout=60)) for _ in openings
        ]
        for connection, opening in zip(connections, openings, strict=True):
            connection.sendall(opening)
        assert request(web.port, "GET", "/livez")[0] == 200
        answers = [_drip_until_closed(connection, drip=number == 2) for number, connection in enumerate(connections)]
    assert time.monotonic() - started < HEADER_SECONDS + 30
    assert b" 408 " in answers[3]
    assert answers[4].count(b"HTTP/1.1 200") == 1


def _drip_until_closed(connection: socket.socket, *, drip: bool) -> bytes:
    connection.settimeout(0.2)
    answer = b""
    deadline = time.monotonic() + HEADER_SECONDS + 30
    while time.monotonic() < deadline:
        try:
            if drip:
                connection.sendall(b"x")
            chunk = connection.recv(65536)
        except TimeoutError:
            continue
        except OSError:
            return answer
        if not chunk:
            return answer
        answer += chunk
    raise AssertionError("the server never closed the connection")


def test_a_head_without_an_end_is_cut_off(web: WebProcess) -> None:
    before = web.memory_bytes
    lines = [b"GET / HTTP/1.1\r\n", *(b"X-%d: %s\r\n" % (number, b"y" * 1000) for number in range(100_000))]
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        raw_answer(web.port, *lines)
    assert web.memory_bytes - before < 16 * MEGABYTE  # of a hundred


@pytest.mark.parametrize(
    "junk",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /webhooks/github HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST /webhooks/github HTTP/1.1\r\nHost: a\r\nContent-Length: 1e3\r\n\r\n",
        b"POST /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /webhooks/github HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"\0" * 1000,
    ],
)
def test_what_is_not_http_gets_a_plain_refusal(web: WebProcess, junk: bytes) -> None:
    answer = raw_answer(web.port, junk)
    assert answer == b"" or status_of(answer) in (400, 415), answer
    assert request(web.port, "GET", "/livez")[0] == 200
