"""The set-up phase's way out: connections to a port inside of the box, carried as streams over the channel.

Nothing is decided here; the proxy that they speak to is the host's. Each direction of each connection has at most
`frames.WINDOW_BYTES` under way.
"""

from __future__ import annotations

import selectors
import socket
from collections.abc import Callable
from contextlib import suppress

from repo_tools.sandbox.box import frames

ADDRESS = ("127.0.0.1", 3128)
MOST_CONNECTIONS = 128
"""At one time; more wait to be accepted. npm opens one for each package at once, and waits for one that was closed."""
BACKLOG = 4_096


class Connection:
    """One connection of a program in the box. `inward` is what the host sent and the program has not taken yet."""

    def __init__(self, stream: int, connection: socket.socket, send: Callable[[frames.Frame], None]) -> None:
        self.stream = stream
        self.socket = connection
        self._send = send
        self._credit = frames.WINDOW_BYTES
        self._inward = bytearray()
        self._host_ended = False
        self._program_ended = False

    def wanted(self) -> int:
        """The events to wait for."""
        readable = selectors.EVENT_READ if self._credit and not self._program_ended else 0
        return readable | (selectors.EVENT_WRITE if self._inward else 0)

    def ended(self) -> bool:
        return self._host_ended and self._program_ended and not self._inward

    def take(self, frame: frames.Frame) -> None:
        """DATA, END or CREDIT from the host."""
        if frame.kind == frames.CREDIT:
            self._credit += frames.CREDIT_BODY.unpack(frame.payload)[0]
        elif frame.kind == frames.DATA:
            self._inward += frame.payload
        elif frame.kind == frames.END:
            self._host_ended = True
            self._pass_end_on()

    def ready(self, mask: int) -> None:
        """Move bytes. OSError where the program is gone."""
        with suppress(BlockingIOError):
            if mask & selectors.EVENT_WRITE:
                self._to_program()
            if mask & selectors.EVENT_READ:
                self._to_host()

    def _to_program(self) -> None:
        sent = self.socket.send(self._inward[: frames.CHUNK_BYTES])
        del self._inward[:sent]
        self._send(frames.Frame(frames.CREDIT, self.stream, frames.CREDIT_BODY.pack(sent)))
        self._pass_end_on()

    def _pass_end_on(self) -> None:
        if self._host_ended and not self._inward:
            with suppress(OSError):  # the program may have gone first
                self.socket.shutdown(socket.SHUT_WR)

    def _to_host(self) -> None:
        data = self.socket.recv(min(frames.CHUNK_BYTES, self._credit))
        self._program_ended = not data
        self._credit -= len(data)
        self._send(frames.Frame(frames.DATA if data else frames.END, self.stream, data))


class Relay:
    """Runs inside of somebody else's loop over `selector`."""

    def __init__(self, selector: selectors.BaseSelector, send: Callable[[frames.Frame], None]) -> None:
        self._selector = selector
        self._send = send
        self._connections: dict[int, Connection] = {}
        self._last_stream = frames.CALL_STREAM
        self._listener = socket.create_server(ADDRESS, backlog=BACKLOG)
        self._listener.setblocking(False)

    def listen(self) -> None:
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def take(self, frame: frames.Frame) -> None:
        """A frame from the host for one of the connections; those that are gone have nobody to take it."""
        connection = self._connections.get(frame.stream)
        if connection and frame.kind == frames.CLOSE:
            self._drop(connection)
        elif connection:
            connection.take(frame)
            self._watch(connection)

    def close(self) -> None:
        for connection in list(self._connections.values()):
            self._close(connection)

    def _accept(self, _mask: int) -> None:
        try:
            accepted, _address = self._listener.accept()
        except OSError:  # gone again already
            return
        accepted.setblocking(False)
        self._last_stream += 1
        connection = Connection(self._last_stream, accepted, self._send)
        self._connections[connection.stream] = connection
        self._send(frames.Frame(frames.OPEN, connection.stream))
        self._watch(connection)
        if len(self._connections) == MOST_CONNECTIONS:
            self._selector.unregister(self._listener)

    def _ready(self, connection: Connection, mask: int) -> None:
        if connection.stream not in self._connections:  # closed since the selector looked
            return
        try:
            connection.ready(mask)
        except OSError:
            self._close(connection)
        else:
            self._watch(connection)

    def _watch(self, connection: Connection) -> None:
        """Wait for what the connection can do now; it is over once both sides have ended."""
        if connection.ended():
            self._close(connection)
            return
        self._unwatch(connection)
        events = connection.wanted()
        if events:
            self._selector.register(connection.socket, events, lambda mask: self._ready(connection, mask))

    def _unwatch(self, connection: Connection) -> None:
        with suppress(KeyError):
            self._selector.unregister(connection.socket)

    def _close(self, connection: Connection) -> None:
        self._drop(connection)
        self._send(frames.Frame(frames.CLOSE, connection.stream))

    def _drop(self, connection: Connection) -> None:
        self._unwatch(connection)
        if len(self._connections) == MOST_CONNECTIONS:
            self.listen()
        del self._connections[connection.stream]
        connection.socket.close()
