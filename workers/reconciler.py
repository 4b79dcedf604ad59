"""Rings for runs whose message was lost and for runs whose worker fell silent; ends those that nobody can hand off.

Harmless when several workers do it at once: a bell rung twice starts a run once.
"""

from collections.abc import Callable

from workers.store import RunStore

_AT_ONCE = 100


class Reconciler:
    """`ring` sends a message for a run, `waiting_messages` counts those that wait in the broker."""

    def __init__(
        self,
        store: RunStore,
        ring: Callable[[str], None],
        waiting_messages: Callable[[], int],
        ring_again_seconds: float,
    ) -> None:
        self._store = store
        self._ring = ring
        self._waiting_messages = waiting_messages
        self._ring_again_seconds = ring_again_seconds

    def reconcile(self) -> list[str]:
        """One round; the ids of the runs that were rung. StoreUnavailableError, BrokerUnavailableError.

        Only as many are rung as the broker lacks messages, so that a long queue does not fill it with doubles.
        """
        self._store.end_hopeless()
        missing = self._store.queue_depth() - self._waiting_messages()
        if missing <= 0:
            return []
        due = self._store.due_for_ring(self._ring_again_seconds, limit=min(missing, _AT_ONCE))
        for run_id in due:
            self._ring(run_id)
            self._store.mark_rung(run_id)
        return due
