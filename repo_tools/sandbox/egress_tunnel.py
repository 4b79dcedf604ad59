"""One connection of the set-up phase: the proxy's side of HTTP, and bytes in both directions with a bound on each."""

import queue
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from repo_tools.sandbox.box import frames
from repo_tools.sandbox.egress_policy import BadRequestError, ProxyRequest, parse_request

MOST_HEAD_BYTES = 64 << 10
SILENCE_SECONDS = 300.0
"""Longest pause of a server before its connection is given up."""
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
END_OF_HEAD = b"\r\n\r\n"

Connect = Callable[[ProxyRequest], socket.socket]
"""PermissionError where the request is refused, OSError where the server cannot be reached."""


class Tunnel:
    """A thread reads the request and then carries bytes out; a second one carries bytes in."""

    def __init__(
        self, stream: int, send: Callable[[frames.Frame], None], connect: Connect, ended: Callable[[], None]
    ) -> None:
        """`ended` is called once, at the end of what `start` started."""
        self._ended = ended
        self._stream = stream
        self._send = send
        self._connect = connect
        self._outward: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._inward = Credit(frames.WINDOW_BYTES)
        self._server: socket.socket | None = None

    def start(self) -> None:
        threading.Thread(target=self._run, name=f"egress-{self._stream}", daemon=True).start()

    def deliver(self, frame: frames.Frame) -> None:
        """From the box: DATA, END (an empty piece) or CREDIT. Never blocks; the box keeps to its window."""
        if frame.kind == frames.CREDIT:
            self._inward.add(frames.CREDIT_BODY.unpack(frame.payload)[0])
        elif frame.kind in (frames.DATA, frames.END):
            self._outward.put(frame.payload)

    def abort(self) -> None:
        """The program in the box is gone."""
        self._inward.abort()
        self._outward.put(b"")
        if self._server is not None:
            hang_up(self._server)

    def _run(self) -> None:
        try:
            self._run_to_its_end()
        finally:
            self._ended()

    def _run_to_its_end(self) -> None:
        with suppress(OSError, RuntimeError):  # an end went away, or no thread is left; the others are told below
            self._serve(*self._read_head())
        with suppress(OSError):
            self._send(frames.Frame(frames.END, self._stream))

    def _serve(self, head: bytes, rest: bytes) -> None:
        try:
            request = parse_request(head)
            server = self._connect(request)
        except BadRequestError as error:
            self._say(answer(400, "Bad Request", str(error)))
        except PermissionError as error:
            self._say(answer(403, "Forbidden", str(error)))
        except OSError as error:
            self._say(answer(502, "Bad Gateway", str(error)))
        else:
            with server:
                self._carry(server, request, rest)

    def _carry(self, server: socket.socket, request: ProxyRequest, rest: bytes) -> None:
        server.settimeout(SILENCE_SECONDS)
        self._server = server
        if not request.head:
            self._say(ESTABLISHED)
        inward = threading.Thread(target=self._carry_in, args=(server,), name=f"egress-{self._stream}-in", daemon=True)
        inward.start()
        try:
            server.sendall(request.head + rest)
            self._carry_out(server)
        except OSError:
            hang_up(server)
        inward.join()

    def _carry_out(self, server: socket.socket) -> None:
        while piece := self._take():
            server.sendall(piece)
        server.shutdown(socket.SHUT_WR)

    def _carry_in(self, server: socket.socket) -> None:
        with suppress(OSError):  # the server's end, in whatever way, is the end of this direction
            while data := server.recv(frames.CHUNK_BYTES):
                self._say(data)
        with suppress(OSError):
            self._send(frames.Frame(frames.END, self._stream))

    def _read_head(self) -> tuple[bytes, bytes]:
        """(the request's lines, what came after them)."""
        data = b""
        while END_OF_HEAD not in data:
            piece = self._take()
            if not piece or len(data) > MOST_HEAD_BYTES:
                raise ConnectionError("no request")
            data += piece
        head, _, rest = data.partition(END_OF_HEAD)
        return head, rest

    def _take(self) -> bytes:
        """The next piece from the box, for which it gets credit again; empty at the end."""
        piece = self._outward.get()
        if piece:
            self._send(frames.Frame(frames.CREDIT, self._stream, frames.CREDIT_BODY.pack(len(piece))))
        return piece

    def _say(self, data: bytes) -> None:
        self._inward.spend(len(data))
        self._send(frames.Frame(frames.DATA, self._stream, data))


class Credit:
    """How many bytes the other side is ready to take."""

    def __init__(self, start: int) -> None:
        self._left = start
        self._changed = threading.Condition()
        self._aborted = False

    def add(self, count: int) -> None:
        with self._changed:
            self._left += count
            self._changed.notify()

    def spend(self, count: int) -> None:
        """Waits until so much is there. BrokenPipeError once nobody will take anything."""
        with self._changed:
            self._changed.wait_for(lambda: self._aborted or self._left >= count)
            if self._aborted:
                raise BrokenPipeError
            self._left -= count

    def abort(self) -> None:
        with self._changed:
            self._aborted = True
            self._changed.notify()


def answer(status: int, reason: str, text: str) -> bytes:
    body = f"agent-fix set-up proxy: {text}\n".encode("ascii", "replace")
    head = f"HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
    return head.encode("ascii") + b"Connection: close" + END_OF_HEAD + body


def hang_up(server: socket.socket) -> None:
    with suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)
