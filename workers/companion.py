"""The process beside each Celery worker: runs the reconciler, keeps the worker's row of presence (not while runs wait
that the worker does not take), has GitHub asked for what was missed, and has removed what dead workers left on the
container engine.

A process rather than a thread, because the worker forks its pool, and a SQLite database must not be open in a process
that forks. It reads its standard input: first one line of JSON, then a byte for each sign of life of the worker; the
end of the input is the end of the worker, however that came, and of this process.
"""

import json
import logging
import os
import random
import select
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

from repo_tools.errors import TransientError
from workers.log import configure_log
from workers.periodic_program import PeriodicProgram
from workers.queue import make_celery, ring, waiting_messages
from workers.queue_lag import LAG_SECONDS, QueueLag
from workers.reconciler import Reconciler
from workers.store import Limits, RunStore, open_store
from workers.store.chores import PATROL

_PATROL_LOOK_SECONDS = 30.0
_ROUNDS_TO_WAIT = 2  # before a run is rung for again
_log = logging.getLogger("workers.companion")  # its own name is another one where it is the program


@dataclass(frozen=True)
class CompanionConfig:
    """The URLs hold passwords: they travel through the pipe, not in arguments or the environment."""

    name: str  # of the worker, as `NODE-PID`
    database_url: str
    broker_url: str
    interval_seconds: float  # between two rounds of the reconciler
    reap_argv: tuple[str, ...] = ()  # the program that removes what dead workers left; empty: they leave nothing
    reap_seconds: float = 600.0
    patrol_argv: tuple[str, ...] = ()  # the program that asks GitHub for what was missed; empty: there is no App
    patrol_seconds: float = 300.0
    limits: tuple[int | None, int | None] = (None, None)  # as in `Limits`
    lag_seconds: float = LAG_SECONDS

    @property
    def node(self) -> str:
        """How the names of all workers of this machine begin, and those of their processes."""
        return f"{self.name.rpartition('-')[0]}-"


class Companion:
    """The worker's side: starts the process and starts it again when it died."""

    def __init__(self, config: CompanionConfig) -> None:
        self._config = config
        self._start()

    def pulse(self) -> None:
        """The worker is alive and reaches its broker."""
        if self._process.poll() is not None:
            self._start()
        self._send(b".")

    def close(self) -> None:
        """The worker ends: its row of presence goes."""
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait()

    def _start(self) -> None:
        # -P: nothing is imported from the folder that the worker was started in.
        self._process = subprocess.Popen([sys.executable, "-P", "-m", "workers.companion"], stdin=subprocess.PIPE)
        self._send(json.dumps(asdict(self._config)).encode() + b"\n")

    def _send(self, data: bytes) -> None:
        pipe = self._process.stdin
        if pipe is None:
            return
        try:
            os.write(pipe.fileno(), data)
        except BrokenPipeError:
            _log.warning("the reconciler died; it is started again")


def main() -> None:
    configure_log()
    config = CompanionConfig(**json.loads(_first_line()))
    store = open_store(config.database_url)
    _accompany(config, store, _make_round(config, store))


def _make_round(config: CompanionConfig, store: RunStore) -> "Round":
    celery = make_celery(config.broker_url)
    reconciler = Reconciler(
        store, partial(ring, celery), partial(waiting_messages, celery), _ROUNDS_TO_WAIT * config.interval_seconds
    )
    lag = QueueLag(partial(store.left_waiting, Limits(*config.limits), config.node), config.lag_seconds)
    reaping = PeriodicProgram(tuple(config.reap_argv), config.reap_seconds) if config.reap_argv else None
    patrol = PeriodicProgram(tuple(config.patrol_argv), min(_PATROL_LOOK_SECONDS, config.patrol_seconds))
    return Round(store, reconciler, lag, reaping, patrol if config.patrol_argv else None)


@dataclass(frozen=True)
class Round:
    """What is done every few seconds."""

    store: RunStore
    reconciler: Reconciler
    lag: QueueLag
    reaping: PeriodicProgram | None
    patrol: PeriodicProgram | None

    def __call__(self) -> None:
        told = self.lag.late_for
        if not (_unless_away(self.reconciler.reconcile) and _unless_away(self.lag.look)):
            self.lag.forget()
        if self.lag.late_for not in (None, told):
            _log.error("run %s waits, and the worker is idle: it counts as dead until it works", self.lag.late_for)
        if self.reaping:
            self.reaping.look()
        if self.patrol:
            _unless_away(partial(_patrol, self.store, self.patrol))


def _accompany(config: CompanionConfig, store: RunStore, one_round: Round) -> None:
    next_round = 0.0
    while True:
        wait = max(0.0, next_round - time.monotonic())
        if select.select([0], [], [], wait)[0]:
            if not os.read(0, 4096):
                _unless_away(partial(store.worker_gone, config.name))
                return
            report = store.worker_gone if one_round.lag.late_for else store.worker_seen
            _unless_away(partial(report, config.name))
        if time.monotonic() >= next_round:
            one_round()
            next_round = time.monotonic() + config.interval_seconds * random.uniform(0.5, 1.5)  # noqa: S311


def _patrol(store: RunStore, patrol: PeriodicProgram) -> None:
    """Whether it is time stands in the store, for all workers; the program itself takes the row."""
    if store.chore_due(PATROL):
        patrol.look()


def _unless_away(act: Callable[[], object]) -> bool:
    """Database or broker away: said, and tried again in the next round. Whether it was done."""
    try:
        act()
    except TransientError as error:
        _log.warning("%s: %s", type(error).__name__, error)
        return False
    return True


def _first_line() -> bytes:
    """Byte by byte, so that no buffer swallows the signs of life that follow."""
    line = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return line


if __name__ == "__main__":
    main()
