"""The channel's format, for both ends: ``type u8, stream u32, length u32`` in network order, then the payload.

Stream 0 is the one call under way; other streams are connections that the box opened through its relay.
"""

from __future__ import annotations

import json
import struct
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

CREDIT_BODY = struct.Struct("!I")


class Frame(NamedTuple):
    kind: int
    stream: int
    payload: bytes

    def json(self) -> Any:
        return json.loads(self.payload.decode("ascii"))


def encode(kind: int, stream: int = CALL_STREAM, payload: bytes = b"") -> bytes:
    return HEADER.pack(kind, stream, len(payload)) + payload


def encode_json(kind: int, value: Any) -> bytes:
    return encode(kind, CALL_STREAM, json.dumps(value).encode("ascii"))


def read_frame(read_exactly: Callable[[int], bytes]) -> Frame:
    """The next frame, from a callable that gives exactly so many bytes. ValueError where the stream is none of ours."""
    kind, stream, length = HEADER.unpack(read_exactly(HEADER.size))
    if not CALL <= kind <= CLOSE or length > MAX_PAYLOAD_BYTES:
        raise ValueError(f"not a frame: type {kind}, length {length}")
    return Frame(kind, stream, read_exactly(length) if length else b"")
