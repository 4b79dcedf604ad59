"""A program that is started now and then beside a worker, not only when the next worker starts.

A process of its own: an engine or a server that does not answer holds nobody up, and its library is in no process that
waits.
"""

import subprocess
import time
from collections.abc import Callable

from workers.leash import leashed

_SOONER = 0.1
"""The first time: whatever made the worker start anew may have left something."""


class PeriodicProgram:
    """Call `look` often: it starts the program when it is due, one at a time, and waits for nothing."""

    def __init__(
        self, argv: tuple[str, ...], every_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._argv = argv
        self._every_seconds = every_seconds
        self._clock = clock
        self._due = clock() + _SOONER * every_seconds
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def busy(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def look(self) -> None:
        if not self.busy and self._clock() >= self._due:
            self._process = subprocess.Popen(leashed(self._argv), stdin=subprocess.DEVNULL)
            self._due = self._clock() + self._every_seconds
