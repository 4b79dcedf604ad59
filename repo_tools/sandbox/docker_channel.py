"""The channel to a container's first process, over the engine's attach connection."""

import errno
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from docker.models.containers import Container

from repo_tools.errors import SandboxError, SandboxUnavailableError
from repo_tools.sandbox.docker_errors import engine_call, may_be_gone

SEND_SECONDS = 120.0
"""How long the box may take no data before it counts as broken."""
LOOKS, LOOK_SECONDS = 50, 0.1
"""How often, and after which pauses, the engine is asked again how a container ended: on a busy machine it may take
seconds to know of an out-of-memory kill."""
_READ_BYTES = 1 << 17
_HEADER = struct.Struct(">BxxxL")
_STANDARD_ERROR = 2
_KEPT_ERROR_BYTES = 2_048
_WOULD_BLOCK = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Demultiplexer:
    """Takes the engine's stream apart: standard output comes back, the end of standard error stays in `errors`.

    Each piece has a header: which output, three zero bytes, its length as 32 bits, big-endian (Docker Engine API,
    "Attach to a container", stream format).
    """

    def __init__(self) -> None:
        self.errors = b""
        self._header = b""
        self._stream = 0
        self._left = 0  # bytes of the current piece that are still to come

    def feed(self, data: bytes) -> bytes:
        """The standard output in `data`, which may begin and end anywhere."""
        output, rest = [], memoryview(data)
        while rest:
            if self._left == 0:
                rest = self._take_header(rest)
                continue
            piece, rest = rest[: self._left], rest[self._left :]
            self._left -= len(piece)
            if self._stream == _STANDARD_ERROR:
                self.errors = (self.errors + bytes(piece))[-_KEPT_ERROR_BYTES:]
            else:
                output.append(piece)
        return b"".join(output)

    def _take_header(self, data: memoryview) -> memoryview:
        missing = _HEADER.size - len(self._header)
        self._header += bytes(data[:missing])
        if len(self._header) == _HEADER.size:
            self._stream, self._left = _HEADER.unpack(self._header)
            self._header = b""
        return data[missing:]


class ContainerChannel:
    """`Channel` to a container; owns it, and removes it in `close`.

    One thread may send while another receives. The socket never blocks and is used under a lock, because a TLS
    connection must not be used by two threads at once; the waiting happens outside of the lock.
    """

    def __init__(self, container: Container) -> None:
        """Attach to a container that is not started yet, so that nothing of its output is missed."""
        self._container = container
        self._stream = attach(container)  # kept: the SDK closes the connection when this goes
        self._socket = socket_of(self._stream)
        self._socket.setblocking(False)
        self._lock = threading.Lock()
        self._streams = Demultiplexer()
        self._received = b""
        self._over = False
        self._closed = False

    def send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            with self._lock, suppress(*_WOULD_BLOCK):
                rest = rest[self._socket.send(rest) :]
                continue
            # The engine goes on to take nothing when the process has died, but closes its own direction.
            if self._wait(select.POLLOUT | select.POLLRDHUP, SEND_SECONDS) & select.POLLRDHUP:
                self._over = True
                raise BrokenPipeError(errno.EPIPE, "the box ended")

    def receive(self, max_bytes: int, timeout_seconds: float) -> bytes:
        deadline = time.monotonic() + timeout_seconds
        while not self._received:
            data = self._receive_some(deadline)
            if not data:
                self._over = True
                return b""
            self._received = self._streams.feed(data)
        part, self._received = self._received[:max_bytes], self._received[max_bytes:]
        return part

    def _receive_some(self, deadline: float) -> bytes:
        while True:
            with self._lock, suppress(*_WOULD_BLOCK):
                return self._socket.recv(_READ_BYTES)
            self._wait(select.POLLIN, deadline - time.monotonic())

    def _wait(self, events: int, seconds: float) -> int:
        poll = select.poll()
        poll.register(self._socket, events)
        ready = poll.poll(max(0.0, seconds) * 1000)
        if not ready:
            raise TimeoutError("the container was silent for too long")
        return ready[0][1]

    def failure(self) -> str:
        """SandboxUnavailableError where the engine is away, or somebody ended the container from outside."""
        try:
            with engine_call("describe a container"):
                settle(self._container, over=self._over)
        except SandboxUnavailableError:
            raise
        except SandboxError as error:
            raise SandboxUnavailableError(f"the container is gone: {error}") from error
        return end_of(self._container.attrs, self._streams.errors)

    def close(self) -> None:
        """An engine that is away cannot remove the container; it ends with its input, and the reaper finds it."""
        if self._closed:
            return
        self._closed = True
        let_go(self._stream)
        with suppress(SandboxUnavailableError):
            discard(self._container)


def settle(container: Container, *, over: bool, wait: Callable[[float], object] = time.sleep) -> None:
    """Ask the engine for the state of `container`, which it knows a moment after the fact: of one that is `over` it may
    say that it runs, and of an out-of-memory kill only that it was one."""
    for _ in range(LOOKS):
        container.reload()
        state = container.attrs["State"]
        if not (over if state["Running"] else was_killed(state)):
            break
        wait(LOOK_SECONDS)


def was_killed(state: dict[str, Any]) -> bool:
    """By whom is not said."""
    return bool(state["ExitCode"] == 137 and not state["OOMKilled"])


def end_of(inspection: dict[str, Any], last_words: bytes) -> str:
    """Why a container's first process ended. No process inside of a box can kill it: a kill without an out-of-memory
    event came from outside (an engine that stops, an operator), and trying again may help."""
    state, limit = inspection["State"], inspection["HostConfig"]["Memory"]
    if state["Running"]:
        return ""
    if state["OOMKilled"]:
        return f"out of memory: processes and volumes together passed {limit >> 20} MiB"
    if was_killed(state):
        raise SandboxUnavailableError("the container was killed from outside")
    words = last_words.decode(errors="replace").strip() or state["Error"]
    return f"the container ended with {state['ExitCode']}: {words}".rstrip(": ")


def attach(container: Container, streams: tuple[str, ...] = ("stdin", "stdout", "stderr")) -> Any:
    """The SDK's socket, or its wrapper around it."""
    with engine_call("attach to a container"):
        return container.attach_socket(params={**dict.fromkeys(streams, 1), "stream": 1})


def socket_of(stream: Any) -> socket.socket:
    found: socket.socket = getattr(stream, "_sock", stream)
    return found


def let_go(stream: Any) -> None:
    """End what `attach` gave; the container's input ends with it."""
    with suppress(OSError):  # gone already
        socket_of(stream).shutdown(socket.SHUT_RDWR)
    stream._response.close()
    stream.close()


def discard(container: Container) -> None:
    """Kill and remove; that it is gone already, or that somebody else removes it just now, is as good."""
    with engine_call("remove a container"), may_be_gone():
        container.remove(force=True, v=True)
