"""The channel's format, for both ends: ``type u8, stream u32, length u32`` in network order and its mark, then, where
there is one, the payload and its mark.

Stream 0 is the one call under way; other streams are connections that the box opened through its relay. Marks are
keyed hashes (RFC 7693), with a key that the host sends before anything else runs in the box: not every kernel keeps
commands away from the channel's descriptors, so that what comes over it is believed only with its mark.
"""

from __future__ import annotations

import json
import struct
from _blake2 import blake2b  # what hashlib offers; importing that takes longer than the rest of a box's start
from collections.abc import Callable
from typing import Any, NamedTuple

HEADER = struct.Struct("!BII")
CHUNK_BYTES = 1 << 16
"""Most payload of one DATA frame."""
MAX_PAYLOAD_BYTES = 4 << 20
"""A longer frame is a broken channel."""
WINDOW_BYTES = 1 << 18
"""How much of one connection may be under way in one direction before the receiver gives credit."""
CALL_STREAM = 0

CALL = 1  # host: JSON {"operation": ..., arguments}
DATA = 2  # both
END = 3  # both: no more data of this stream from this side
RESULT = 4  # box: JSON, the call's answer
ERROR = 5  # box: JSON {"errno", "message"}, the call failed
OPEN = 6  # box: a connection was made to its relay
CREDIT = 7  # both: u32, so many more bytes of this stream may be sent
CLOSE = 8  # both: the connection is gone
BROKEN = 9  # box: JSON text, why it ends now

CREDIT_BODY = struct.Struct("!I")

KEY_BYTES = 32
MARK_BYTES = 16
TO_BOX, TO_HOST = b"to box", b"to host"
NUMBER = struct.Struct("!Q")


class BrokenChannelError(ValueError):
    """What came is not what the other end sent, or the other end says that it cannot go on."""


class Frame(NamedTuple):
    kind: int
    stream: int = CALL_STREAM
    payload: bytes = b""

    def json(self) -> Any:
        return json.loads(self.payload.decode("ascii"))


def json_frame(kind: int, value: Any) -> Frame:
    return Frame(kind, CALL_STREAM, json.dumps(value).encode("ascii"))


class Seal:
    """Marks the pieces of one direction. A mark depends on all that makes a piece the next one: key, direction and
    number, so that a piece which was altered, repeated, left out or never sent has none."""

    def __init__(self, key: bytes, direction: bytes) -> None:
        """`direction`: TO_BOX or TO_HOST."""
        self._keyed = blake2b(key=key, person=direction, digest_size=MARK_BYTES)
        self._number = 0

    def mark(self, piece: bytes) -> bytes:
        hashed = self._keyed.copy()
        hashed.update(NUMBER.pack(self._number))
        hashed.update(piece)
        self._number += 1
        return hashed.digest()


class Writer:
    """Frames as bytes, to be sent in the order in which they were encoded."""

    def __init__(self, key: bytes, direction: bytes) -> None:
        self._seal = Seal(key, direction)

    def encode(self, *frames: Frame) -> bytes:
        parts: list[bytes] = []
        for frame in frames:
            header = HEADER.pack(frame.kind, frame.stream, len(frame.payload))
            for piece in (header, frame.payload) if frame.payload else (header,):
                parts += (piece, self._seal.mark(piece))
        return b"".join(parts)


class Reader:
    """The frames that the other end's `Writer` encoded."""

    def __init__(self, key: bytes, direction: bytes) -> None:
        self._seal = Seal(key, direction)

    def read(self, read_exactly: Callable[[int], bytes]) -> Frame:
        """The next frame, from a callable that gives exactly so many bytes. BrokenChannelError where it is none of the
        other end's; nothing that comes after that is worth reading."""
        kind, stream, length = HEADER.unpack(self._piece(HEADER.size, read_exactly))
        if not CALL <= kind <= BROKEN or length > MAX_PAYLOAD_BYTES:
            raise BrokenChannelError(f"not a frame: type {kind}, length {length}")
        return Frame(kind, stream, self._piece(length, read_exactly) if length else b"")

    def _piece(self, length: int, read_exactly: Callable[[int], bytes]) -> bytes:
        marked = read_exactly(length + MARK_BYTES)
        piece = marked[:length]
        if marked[length:] != self._seal.mark(piece):  # no secret of time: there is one guess, and it ends the box
            raise BrokenChannelError(
                "forged, altered or missing data on the channel, which something in the box reached"
            )
        return piece
