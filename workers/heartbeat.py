"""Holding a run while the work goes on: a thread renews the lease, and says when it was lost."""

import threading
import time
from contextlib import suppress

from workers.store import Claim, LeaseLostError, RunStore, StoreUnavailableError

_RENEWALS_PER_LEASE = 3
_LONGEST_SECONDS = 5.0  # between two renewals, which also bring word that a run is no longer wanted
_RETRY_SECONDS = 1.0  # while the database is away


class Heartbeat:
    """Renews `claim` from entry to exit; `check()` at each step boundary tells when another worker may hold the run."""

    def __init__(self, store: RunStore, claim: Claim, lease_seconds: float) -> None:
        self._store = store
        self._claim = claim
        self._lease_seconds = lease_seconds
        self._held_since = time.monotonic()
        self._stop = threading.Event()
        self._lost = threading.Event()
        self._unwanted: str | None = None
        self._interval = min(lease_seconds / _RENEWALS_PER_LEASE, _LONGEST_SECONDS)
        self._thread = threading.Thread(target=self._beat, name=f"heartbeat-{claim.run.id}", daemon=True)

    def __enter__(self) -> "Heartbeat":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def lost(self) -> bool:
        return self._lost.is_set()

    @property
    def unwanted(self) -> str | None:
        """Why the run is to end at this step; None while it is wanted."""
        return self._unwanted

    def check(self) -> None:
        """LeaseLostError once the lease was lost, or could not be renewed for as long as it lasts."""
        if self.lost:
            raise LeaseLostError(self._claim.run.id, self._claim.epoch)

    def hold(self) -> None:
        """Renew at once, before what cannot be had back. LeaseLostError; StoreUnavailableError."""
        asked = time.monotonic()
        if not self._store.renew(self._claim, self._lease_seconds):
            self._lost.set()
            raise LeaseLostError(self._claim.run.id, self._claim.epoch)
        self._held_since = asked

    def _beat(self) -> None:
        try:
            wait = self._interval
            while not self._stop.wait(wait):
                wait = self._renew()
        finally:
            if not self._stop.is_set():  # whatever ended this thread, nobody renews any more
                self._lost.set()

    def _renew(self) -> float:
        """Seconds until the next renewal."""
        asked = time.monotonic()  # the lease runs from before the answer, not from after it
        try:
            renewed = self._store.renew(self._claim, self._lease_seconds)
        except StoreUnavailableError:
            if time.monotonic() - self._held_since >= self._lease_seconds:
                self._lost.set()
            return min(_RETRY_SECONDS, self._interval)
        if renewed:
            self._held_since = asked
            self._lost.clear()
            self._look()
        else:
            self._lost.set()
            self._stop.wait()
        return self._interval

    def _look(self) -> None:
        with suppress(StoreUnavailableError):  # the next beat looks again
            self._unwanted = self._store.why_unwanted(self._claim.run.id)
