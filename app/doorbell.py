"""Ringing the queue beside the answers: a broker that hangs must not hold up a webhook."""

import logging
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

from repo_tools.errors import TransientError

MAX_WAITING = 100

logger = logging.getLogger(__name__)


class Doorbell:
    """Rings in a thread of its own. What cannot be rung is dropped: the row waits, and the reconciler rings for it."""

    def __init__(self, ring: Callable[[str], None]) -> None:
        self._ring = ring
        self._waiting: SimpleQueue[str] = SimpleQueue()
        self._closed = False
        self._thread = Thread(target=self._ring_all, name="doorbell", daemon=True)
        self._thread.start()

    def ring(self, run_id: str) -> None:
        """Returns at once."""
        if self._waiting.qsize() < MAX_WAITING:
            self._waiting.put(run_id)

    def close(self) -> None:
        """Waits for the ring under way, forgets the others."""
        self._closed = True
        self._waiting.put("")
        self._thread.join()

    def _ring_all(self) -> None:
        while True:
            run_id = self._waiting.get()
            if self._closed:
                return
            self._ring_now(run_id)

    def _ring_now(self, run_id: str) -> None:
        try:
            self._ring(run_id)
        except TransientError as error:
            logger.warning("run %s waits for the reconciler: %s", run_id, error)
