"""The channel to a box that is a child process of this one, over a socket pair."""

import signal
import socket
import subprocess
from contextlib import ExitStack, suppress
from typing import BinaryIO

from repo_tools.errors import SandboxUnavailableError
from repo_tools.sandbox.contract import Limits
from repo_tools.sandbox.supervisor import Supervisor

CLOSE_SECONDS = 10.0
ENDING_SECONDS = 1.0
"""A process ends a moment after its end of the socket is closed."""
LAST_WORDS_BYTES = 2000
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
"""bwrap itself, or the first process of its box."""


class ProcessChannel:
    """The box ends when its end of the socket does: nothing of it outlives this process, however that ends."""

    def __init__(
        self,
        connection: socket.socket,
        process: subprocess.Popen[bytes],
        errors: BinaryIO,
        limits: Limits,
        held: ExitStack | None = None,
    ) -> None:
        """`errors`: what the process writes to standard error, a file. `held` is closed with the box."""
        self._held = held
        self._connection = connection
        self._process = process
        self._errors = errors
        self._supervisor = Supervisor(process.pid, limits)
        self._supervisor.start()

    def send(self, data: bytes) -> None:
        self._connection.sendall(data)

    def receive(self, max_bytes: int, timeout_seconds: float) -> bytes:
        self._connection.settimeout(timeout_seconds)
        return self._connection.recv(max_bytes)

    def close(self) -> None:
        self._connection.close()
        self._supervisor.stop()
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._supervisor.end_box()
            self._process.wait()
        self._errors.close()
        if self._held:
            self._held.close()

    def failure(self) -> str:
        """SandboxUnavailableError where somebody ended the box from outside."""
        if self._supervisor.reason or self._errors.closed:
            return self._supervisor.reason
        self._errors.seek(0)
        words = self._errors.read()[-LAST_WORDS_BYTES:].decode("utf-8", "replace").strip()
        if not words and self._was_killed():
            raise SandboxUnavailableError("the box was killed from outside")
        return words

    def _was_killed(self) -> bool:
        """No process inside of a box can kill its first one, and the supervisor leaves a reason: it was an operator, or
        a machine that has no memory left, and trying again may help."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(ENDING_SECONDS) in KILLED
        return False
