"""The byte stream to and from a container's first process, over the engine's attach connection.

Without a terminal the engine puts a header before every piece of output: which of the two outputs it comes from, three
zero bytes, and its length as 32 bits, big-endian (Docker Engine API, "Attach to a container", stream format).
"""

import io
import socket
import struct
from typing import Any

from docker import DockerClient

_HEADER = struct.Struct(">BxxxL")
_STANDARD_ERROR = 2
_KEPT_ERROR_BYTES = 4_096


class OutputReader(io.RawIOBase):
    """Standard output as a byte stream; the end of standard error is kept in `errors` for diagnosis."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._left = 0  # bytes of the current piece that are still to come
        self.errors = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Blocks until there is output; 0 at its end."""
        while self._left == 0:
            if not self._next_piece():
                return 0
        view = memoryview(buffer).cast("B")
        count = self._connection.recv_into(view[: self._left])
        self._left -= count
        return count

    def _next_piece(self) -> bool:
        """Read one header; a piece of standard error is taken in at once. False at the end of the stream."""
        header = self._exactly(_HEADER.size)
        if len(header) < _HEADER.size:
            return False
        stream, length = _HEADER.unpack(header)
        if stream == _STANDARD_ERROR:
            self.errors = (self.errors + self._exactly(length))[-_KEPT_ERROR_BYTES:]
        else:
            self._left = length
        return True

    def _exactly(self, size: int) -> bytes:
        received = bytearray()
        while len(received) < size:
            piece = self._connection.recv(size - len(received))
            if not piece:
                break
            received += piece
        return bytes(received)


def attach(client: DockerClient, container_id: str) -> socket.socket:
    """The connection to a container that is about to be started; blocking, without a time-out."""
    stream = client.api.attach_socket(container_id, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
    connection: socket.socket = getattr(stream, "_sock", stream)  # the SDK hands out a SocketIO for unix sockets
    connection.settimeout(None)
    if connection.family != socket.AF_UNIX:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return connection
