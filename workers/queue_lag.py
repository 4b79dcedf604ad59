"""Whether the workers of one node leave a run waiting that is theirs to take: connected, idle, and deaf to their bell.

A process that merely runs shows nothing of this, nor does its sign of life.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

LAG_SECONDS = 60.0
"""A free worker begins a run within milliseconds of its bell, and within two rounds of the reconciler where that was
lost."""


@dataclass(frozen=True)
class _Wait:
    run_id: str
    since: float
    seen_at: float


class QueueLag:
    """`left_waiting` gives the run that is first in turn while the node holds none (`RunStore.left_waiting`).

    The lag is how long that was one and the same run, at each look: where runs are begun, by whomever, another one is
    first. Call `look` only where every run has been rung for, so that nothing but the workers can be late.
    """

    def __init__(
        self,
        left_waiting: Callable[[], str | None],
        lag_seconds: float = LAG_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._left_waiting = left_waiting
        self._lag_seconds = lag_seconds
        self._clock = clock
        self._wait: _Wait | None = None

    def look(self) -> None:
        """StoreUnavailableError, after which nothing is known."""
        before, self._wait = self._wait, None
        run_id, at = self._left_waiting(), self._clock()
        if run_id is not None:
            same = before is not None and before.run_id == run_id and not self._slept(before, at)
            self._wait = _Wait(run_id, before.since if before and same else at, at)

    def forget(self) -> None:
        """Nothing is known: broker or database are away."""
        self._wait = None

    @property
    def late_for(self) -> str | None:
        """The run that was left waiting for longer than the lag."""
        wait = self._wait
        return wait.run_id if wait and wait.seen_at - wait.since >= self._lag_seconds else None

    def _slept(self, before: _Wait, at: float) -> bool:
        """Nobody looked for so long that this machine stood still, and its workers with it."""
        return at - before.seen_at > self._lag_seconds / 2
