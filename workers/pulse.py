"""The pulse of a worker: a part of Celery's consumer, which is stopped while the broker is away.

https://docs.celeryq.dev/en/stable/userguide/extending.html#consumer
"""

from collections.abc import Callable
from typing import Any

from celery import bootsteps

SECONDS = 2.0


def pulsing(pulse: Callable[[], None]) -> type[bootsteps.StartStopStep]:
    """Calls `pulse` at once when the broker is reached, and every `SECONDS` until it is not."""

    class Pulse(bootsteps.StartStopStep):  # type: ignore[misc]  # Celery has no types
        requires = ("celery.worker.consumer.tasks:Tasks",)
        entry: Any = None

        def start(self, parent: Any) -> None:
            pulse()
            self.entry = parent.timer.call_repeatedly(SECONDS, pulse)

        def stop(self, parent: Any) -> None:
            if self.entry is not None:  # the broker may go before this part has begun
                parent.timer.cancel(self.entry)

    return Pulse
