"""Asking a broker on a machine that has little time for it."""

import time
from collections.abc import Callable
from typing import TypeVar

from workers.message import BrokerUnavailableError

T = TypeVar("T")


def answered(ask: Callable[[], T], seconds: float = 60.0) -> T:
    """What `ask()` returns: asked again where the broker did not answer in the second or two that the product waits.
    BrokerUnavailableError after so long. Only for what may be asked twice."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except BrokerUnavailableError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
