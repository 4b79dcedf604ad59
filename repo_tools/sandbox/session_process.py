"""`BoxProcess` over the channel of its box."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Protocol

from repo_tools.errors import SandboxError
from repo_tools.sandbox.box import frames

SILENCE_SECONDS = 60.0


class Call(Protocol):
    """One question to the box and its answer, as `BoxSession` asks."""

    def __call__(
        self,
        operation: str,
        silence_seconds: float,
        *,
        content: Iterable[bytes] = (),
        receive: Callable[[bytes], object] | None = None,
        **arguments: Any,
    ) -> Any: ...


class SessionProcess:
    """One process by the number that the box has given it."""

    def __init__(self, call: Call, number: int, grace_seconds: float) -> None:
        """`grace_seconds`: how long the box may take beyond a time-out to answer."""
        self._call = call
        self._number = number
        self._grace_seconds = grace_seconds
        self._closed = False

    def send(self, data: bytes, *, timeout_seconds: float) -> None:
        self._ask("send", timeout_seconds, content=chunks(data), timeout_seconds=timeout_seconds)

    def receive(self, *, timeout_seconds: float) -> bytes:
        output: list[bytes] = []
        self._ask("receive", timeout_seconds, receive=output.append, timeout_seconds=timeout_seconds)
        return b"".join(output)

    def exit_code(self) -> int | None:
        code = self._ask("exit_code", SILENCE_SECONDS)
        return None if code is None else int(code)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        with suppress(SandboxError):  # it has ended with its box
            self._call("close_process", SILENCE_SECONDS, process=self._number)

    def _ask(self, operation: str, seconds: float, **arguments: Any) -> Any:
        if self._closed:
            raise SandboxError("the process is closed")
        return self._call(operation, seconds + self._grace_seconds, process=self._number, **arguments)


def chunks(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), frames.CHUNK_BYTES):
        yield content[start : start + frames.CHUNK_BYTES]
