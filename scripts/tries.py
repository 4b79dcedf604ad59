"""What reaches over the network is tried more than once. Standard library only: `setup.py` runs before anything is
installed."""

from __future__ import annotations  # a Python that is too old is to be told so by `setup.py`

import sys
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

THREE = (5.0, 20.0)
FIVE = (5.0, 15.0, 30.0, 60.0)
"""Seconds between the tries. Mirrors that are being renewed and machines that install by themselves take minutes."""


def tried(
    act: Callable[[], T],
    failure: type[Exception],
    waits: Sequence[float],
    *,
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True),
    sleep: Callable[[float], None] = time.sleep,
) -> T:
    """What `act` returns. After a `failure` it is tried again, once for each of the `waits`; the last one is raised."""
    for wait in waits:
        try:
            return act()
        except failure as error:
            say(f"{error}; tried again in {wait:g} s")
        sleep(wait)
    return act()
