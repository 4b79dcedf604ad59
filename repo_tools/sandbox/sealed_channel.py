"""The host's end of a box's channel: frames over a byte stream that commands may have reached too.

The session's key goes first, while no command can be there to read it. Process 1 keeps it in memory that no command
may look into, which `repo_tools.sandbox.proof` tries before an engine is taken.
"""

import errno
import secrets
import threading
from typing import Protocol

from repo_tools.sandbox.box import frames


class Channel(Protocol):
    """The byte stream to a box's process 1."""

    def send(self, data: bytes) -> None:
        """All of `data`. OSError where the box is gone."""
        ...

    def receive(self, max_bytes: int, timeout_seconds: float) -> bytes:
        """At least one byte; empty at the end. TimeoutError, OSError."""
        ...

    def close(self) -> None:
        """End the box and leave nothing of it behind. Idempotent."""
        ...

    def failure(self) -> str:
        """Why the box ended, as far as its backend knows (a limit, its last words), in a few words or empty."""
        ...


class SealedChannel:
    """Frames over a `Channel`. Several threads may send, one receives."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._key = secrets.token_bytes(frames.KEY_BYTES)
        self._reader = frames.Reader(self._key, frames.TO_HOST)
        self._writer = frames.Writer(self._key, frames.TO_BOX)
        self._lock = threading.Lock()

    def start(self, program: bytes) -> None:
        """Give process 1 its program and the key. OSError."""
        self._channel.send(program + self._key)

    def send(self, *sent: frames.Frame) -> None:
        """OSError where the box is gone."""
        with self._lock:
            self._channel.send(self._writer.encode(*sent))

    def receive(self, silence_seconds: float) -> frames.Frame:
        """The next frame. BrokenChannelError where it is not from process 1 or says that the box is at its end;
        TimeoutError, OSError."""
        frame = self._reader.read(lambda count: self._receive_exactly(count, silence_seconds))
        if frame.kind == frames.BROKEN:
            raise frames.BrokenChannelError(frame.json())
        return frame

    def _receive_exactly(self, count: int, silence_seconds: float) -> bytes:
        parts = []
        while count:
            part = self._channel.receive(count, silence_seconds)
            if not part:
                raise BrokenPipeError(errno.EPIPE, "the box ended")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def reason(self, error: Exception) -> str:
        """Why the box failed, in words that no command can have chosen where the channel was what failed."""
        known = self._channel.failure()
        if isinstance(error, frames.BrokenChannelError):
            return f"{error} ({known})" if known else str(error)
        return known or str(error)

    def close(self) -> None:
        self._channel.close()
