"""When a worker reports; with a real worker in test_worker.py."""

from collections.abc import Callable
from typing import Any

import pytest

from workers.pulse import pulsing


class Consumer:
    """Celery's, as far as a part of it asks; its own timer."""

    def __init__(self) -> None:
        self.timer = self
        self.entries: list[Callable[[], None]] = []

    def call_repeatedly(self, seconds: float, function: Callable[[], None]) -> Callable[[], None]:
        assert seconds > 0
        self.entries.append(function)
        return function

    def cancel(self, entry: Callable[[], None]) -> None:
        self.entries.remove(entry)


def test_however_often_the_broker_comes_back_one_pulse_goes_on_and_the_first_comes_at_once() -> None:
    pulses: list[str] = []
    consumer = Consumer()
    part: Any = pulsing(lambda: pulses.append("pulse"))(consumer)
    for times in range(1, 4):
        part.start(consumer)
        assert len(pulses) == times
        assert len(consumer.entries) == 1
        part.stop(consumer)
        assert consumer.entries == []


def test_a_broker_that_goes_before_the_first_pulse_is_no_error() -> None:
    consumer = Consumer()
    part: Any = pulsing(lambda: pytest.fail("pulsed"))(consumer)
    part.stop(consumer)
    assert consumer.entries == []
