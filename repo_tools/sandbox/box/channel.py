"""The box's end of the channel, and a call's content and output as files over it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import NoReturn

from repo_tools.sandbox.box import files, frames

BROKEN_EXIT = 70
"""EX_SOFTWARE of sysexits.h."""


class Channel:
    """Frames over two descriptors. The host's end of input is the end of the box."""

    def __init__(self, source: int, sink: int) -> None:
        """Takes the session's key, which comes first."""
        self.source = source
        self._sink = sink
        key = self._read_exactly(frames.KEY_BYTES)
        self._reader = frames.Reader(key, frames.TO_BOX)
        self._writer = frames.Writer(key, frames.TO_HOST)

    def receive(self) -> frames.Frame:
        try:
            return self._reader.read(self._read_exactly)
        except frames.BrokenChannelError as error:
            self.end(str(error))

    def _read_exactly(self, count: int) -> bytes:
        parts: list[bytes] = []
        while count:
            part = os.read(self.source, count)
            if not part:
                os._exit(0)
            parts.append(part)
            count -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def send(self, *sent: frames.Frame) -> None:
        files.write_all(self._sink, self._writer.encode(*sent))

    def end(self, why: str) -> NoReturn:
        """End the box, with the host knowing why, and by nobody else's words: standard error has no marks."""
        self.send(frames.json_frame(frames.BROKEN, why))
        os._exit(BROKEN_EXIT)

    def end_by(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """For `sys.excepthook`. The module `traceback` would be too much to import, and maybe when memory is short."""
        where = ""
        while trace:
            where, trace = f" ({trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno})", trace.tb_next
        self.end(f"{kind.__name__}: {error}{where}")

    def incoming(self) -> Iterator[bytes]:
        """The content that follows a call, up to its end. What still comes for old connections is dropped."""
        while True:
            frame = self.receive()
            if frame.stream == frames.CALL_STREAM:
                if frame.kind == frames.END:
                    return
                yield frame.payload


class InFile:
    """`incoming` as a file to read from."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""

    def read(self, size: int) -> bytes:
        parts, missing = [], size
        while missing:
            if not self._rest:
                self._rest = next(self._chunks, b"")
            if not self._rest:
                break
            part, self._rest = self._rest[:missing], self._rest[missing:]
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)


class OutFile:
    """A file to write to whose content goes to the host in DATA frames of a good size."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0

    def write(self, data: bytes) -> int:
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        if self._waiting_bytes >= frames.CHUNK_BYTES:
            self.flush()
        return len(data)

    def flush(self) -> None:
        for frame in self._frames():
            self._channel.send(frame)

    def end(self, answer: frames.Frame) -> None:
        """What is left and the answer behind it, in one piece: each piece has a price on its way to the host."""
        self._channel.send(*self._frames(), answer)

    def _frames(self) -> Iterator[frames.Frame]:
        data = memoryview(b"".join(self._waiting))
        self._waiting, self._waiting_bytes = [], 0
        for start in range(0, len(data), frames.CHUNK_BYTES):
            yield frames.Frame(frames.DATA, frames.CALL_STREAM, bytes(data[start : start + frames.CHUNK_BYTES]))


def own_channel() -> Channel:
    """The channel on descriptors that no command inherits; 0, 1 and 2 become ``/dev/null``. From here on an exception
    that nobody catches is told over the channel."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    for number in (0, 1, 2):
        os.dup2(null, number)
    channel = Channel(source, sink)
    sys.excepthook = channel.end_by
    return channel
