"""Ids of runs: short, part of branch names and addresses, and in the order in which a process made them."""

import secrets
import string
import threading
import time

_DIGITS = string.digits + string.ascii_lowercase
_TIME_DIGITS = 8  # milliseconds until the year 2059
_RANDOM_DIGITS = 6  # two billion ids a millisecond


class _Clock:
    """Milliseconds since 1970, each given once: two ids of one millisecond would be in the order of their chance."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest = 0

    def tick(self) -> int:
        with self._lock:
            self._latest = max(self._latest + 1, time.time_ns() // 1_000_000)
            return self._latest


_clock = _Clock()


def new_run_id() -> str:
    """14 characters of [0-9a-z]."""
    chance = secrets.randbelow(36**_RANDOM_DIGITS)
    return _base36(_clock.tick(), _TIME_DIGITS) + _base36(chance, _RANDOM_DIGITS)


def _base36(number: int, digits: int) -> str:
    text = ""
    for _ in range(digits):
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    return text
