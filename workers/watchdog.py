"""Whether a process that runs still does its work, asked now and then beside whatever else is done."""

import threading
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class WatchdogTimes:
    """When a process that does not do its work is given up: as in the chart's probe, but that one is late where its
    machine is busy. `first_seconds` leave it time to start."""

    first_seconds: float = 60.0
    every_seconds: float = 30.0
    failures: int = 3  # in a row


class Watchdog:
    """Of one process, from its start. `alive` may take its time: it is asked in a thread of its own, one at a time."""

    def __init__(self, alive: Callable[[], bool], times: WatchdogTimes, started: float) -> None:
        self._alive = alive
        self._times = times
        self._due = started + times.first_seconds
        self._failures = 0
        self._asking: threading.Thread | None = None

    @property
    def lost(self) -> bool:
        """It did not do its work so many times in a row."""
        return self._failures >= self._times.failures

    def look(self, now: float) -> None:
        """Call often; returns at once."""
        if now < self._due or (self._asking and self._asking.is_alive()):
            return
        self._due = now + self._times.every_seconds
        self._asking = threading.Thread(target=self._ask, name="watchdog", daemon=True)
        self._asking.start()

    def _ask(self) -> None:
        self._failures = 0 if self._alive() else self._failures + 1
