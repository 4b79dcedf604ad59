"""What is kept of an output of any length."""

from __future__ import annotations

from collections import deque


class Output:
    """The first and the last half of `limit` bytes of a stream of any length."""

    def __init__(self, limit: int) -> None:
        self._head_room = limit - limit // 2
        self._tail_limit = limit // 2
        self._head: list[bytes] = []
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0

    def add(self, data: bytes) -> None:
        if self._head_room:
            self._head.append(data[: self._head_room])
            data = data[self._head_room :]
            self._head_room -= len(self._head[-1])
        if data:
            self._tail.append(data)
            self._tail_bytes += len(data)
            self._trim()

    def _trim(self) -> None:
        while self._tail_bytes > self._tail_limit:
            excess = self._tail_bytes - self._tail_limit
            first = self._tail.popleft()
            if len(first) > excess:
                self._tail.appendleft(first[excess:])
            self._tail_bytes -= min(len(first), excess)

    def parts(self) -> list[bytes]:
        return self._head + list(self._tail)
