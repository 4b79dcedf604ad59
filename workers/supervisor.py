"""Keeps the processes of one machine running: `agent-fix serve` is a broker, a worker and a web process.

Children start in order, each once the one before is ready; one that ends is started again, later each time it ends
early. One that runs but no longer does its work is ended, so that it starts again. None outlives the supervisor: it
stops them, and the kernel does where it was killed itself (`workers.leash`).
"""

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from workers.leash import leashed
from workers.watchdog import Watchdog, WatchdogTimes

_log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.1
_READY_SECONDS = 30.0


@dataclass(frozen=True)
class Child:
    """A program to keep running. `ready` tells when the next may start; `environment` is all that it gets. `alive`
    tells whether it does its work; False only where a new start may help."""

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    ready: Callable[[], bool] = lambda: True
    grace_seconds: float = 15.0  # between SIGTERM and SIGKILL
    alive: Callable[[], bool] | None = None


@dataclass(frozen=True)
class Backoff:
    """How long a child that ended waits: doubled each time, from the start again once it ran for `steady_seconds`."""

    first_seconds: float = 0.5
    longest_seconds: float = 30.0
    steady_seconds: float = 60.0

    def wait_seconds(self, early_ends: int) -> float:
        """For the `early_ends`-th end in a row that came early, counted from 1."""
        doublings = min(early_ends - 1, 32)  # a float holds no more than 1,023
        return min(self.longest_seconds, self.first_seconds * 2.0**doublings)


@dataclass
class _Running:
    child: Child
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    start_at: float = 0.0
    early_ends: int = 0
    watchdog: Watchdog | None = None
    kill_at: float | None = None  # it was asked to end


class Supervisor:
    """Call `run` from the main thread: signals reach it there, and children die with the thread that starts them."""

    def __init__(
        self,
        children: Sequence[Child],
        backoff: Backoff | None = None,
        watchdog_times: WatchdogTimes | None = None,
    ) -> None:
        self._watchdog_times = watchdog_times or WatchdogTimes()
        self._all = [_Running(child) for child in children]
        self._backoff = backoff or Backoff()
        self._stop = threading.Event()

    def run(self) -> None:
        """Start the children and keep them running until a signal or `stop`; none is left when this returns."""
        with _signals(self.stop):
            try:
                self._start_in_order()
                while not self._stop.wait(_LOOK_SECONDS):
                    for running in self._all:
                        self._look_after(running)
            finally:
                self._end_all()

    def stop(self) -> None:
        """Have `run` end; from any thread or signal handler."""
        self._stop.set()

    def _start_in_order(self) -> None:
        for running in self._all:
            self._start(running)
            deadline = time.monotonic() + _READY_SECONDS
            while not (running.process and running.child.ready()) and time.monotonic() < deadline:
                if self._stop.wait(_LOOK_SECONDS):
                    return
                self._look_after(running)

    def _look_after(self, running: _Running) -> None:
        if running.process is None:
            if time.monotonic() >= running.start_at:
                self._start(running)
        elif running.process.poll() is not None:
            self._bury(running)
        elif running.watchdog is not None:
            self._watch(running, running.process, running.watchdog)

    def _watch(self, running: _Running, process: subprocess.Popen[bytes], watchdog: Watchdog) -> None:
        """One that does not do its work is asked to end, and killed where it does not; then it is buried."""
        now = time.monotonic()
        if running.kill_at is not None:
            if now >= running.kill_at:
                _kill_group(process.pid)
        elif watchdog.lost:
            _log.error("%s runs, but does not do its work; it is ended, to start again", running.child.name)
            process.terminate()
            running.kill_at = now + running.child.grace_seconds
        else:
            watchdog.look(now)

    def _start(self, running: _Running) -> None:
        running.process = subprocess.Popen(
            leashed(running.child.argv), env=dict(running.child.environment), start_new_session=True
        )
        running.started = time.monotonic()
        alive = running.child.alive
        running.watchdog = Watchdog(alive, self._watchdog_times, running.started) if alive else None
        running.kill_at = None

    def _bury(self, running: _Running) -> None:
        """Clear what the dead child left in its process group, and settle when it starts again."""
        process = running.process
        if process is None:
            return
        _kill_group(process.pid)
        steady = time.monotonic() - running.started >= self._backoff.steady_seconds
        running.early_ends = 1 if steady else running.early_ends + 1
        wait = self._backoff.wait_seconds(running.early_ends)
        running.start_at = time.monotonic() + wait
        running.process = None
        _log.warning("%s ended with %s; starts again in %.1f s", running.child.name, process.returncode, wait)

    def _end_all(self) -> None:
        """Last started, first asked: the broker goes when nobody needs it any more."""
        for running in reversed(self._all):
            if running.process is not None:
                _end(running.process, running.child.grace_seconds)
                running.process = None


def _end(process: subprocess.Popen[bytes], grace_seconds: float) -> None:
    process.terminate()
    try:
        process.wait(grace_seconds)
    except subprocess.TimeoutExpired:
        _log.warning("process %s did not stop within %s s and is killed", process.pid, grace_seconds)
    _kill_group(process.pid)
    process.wait()


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError):  # nobody is left
        os.killpg(leader, signal.SIGKILL)


@contextmanager
def _signals(stop: Callable[[], None]) -> Iterator[None]:
    """SIGTERM and SIGINT call `stop` for as long as this lasts. Outside the main thread signals are left alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    wanted = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, lambda *_: stop()) for number in wanted]
    try:
        yield
    finally:
        for number, handler in zip(wanted, before, strict=True):
            signal.signal(number, handler)
