"""What dead workers left on the container engine goes now and then, not only when the next one starts.

By a process of its own: an engine that does not answer holds nobody up, and its library is in no process that waits.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from workers.leash import leashed

EVERY_SECONDS = 600.0
_SOONER = 0.1
"""The first time: whatever made the worker start anew may have left something."""


class PeriodicReaping:
    """Call `look` often: it starts the program when it is due, one at a time, and waits for nothing."""

    def __init__(
        self,
        argv: tuple[str, ...],
        every_seconds: float = EVERY_SECONDS,
        clock: Callable[[], float] = time.monotonic,
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


def reaping_argv(data_dir: Path) -> tuple[str, ...]:
    """The program for the installation whose data stand in `data_dir`; the environment names the engine."""
    # -P: nothing is imported from the folder that the worker was started in.
    return (sys.executable, "-P", "-m", "repo_tools.sandbox.reaper_program", str(data_dir.absolute()))
