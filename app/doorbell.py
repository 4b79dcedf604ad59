"""Ringing the queue beside the answers: a broker that hangs must not hold up a webhook."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore

from repo_tools.errors import TransientError

MAX_WAITING = 100

logger = logging.getLogger(__name__)


class Doorbell:
    """Rings in a thread of its own. What cannot be rung is dropped: the row waits, and the reconciler rings for it."""

    def __init__(self, ring: Callable[[str], None]) -> None:
        self._ring = ring
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="doorbell")
        self._places = BoundedSemaphore(MAX_WAITING)

    def ring(self, run_id: str) -> None:
        """Returns at once."""
        if self._places.acquire(blocking=False):
            self._thread.submit(self._ring_now, run_id)

    def close(self) -> None:
        """Waits for the ring under way, forgets the others."""
        self._thread.shutdown(cancel_futures=True)

    def _ring_now(self, run_id: str) -> None:
        try:
            self._ring(run_id)
        except TransientError as error:
            logger.warning("run %s waits for the reconciler: %s", run_id, error)
        finally:
            self._places.release()
