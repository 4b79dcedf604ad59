"""Ids of runs: short, part of branch names and addresses, and in the order in which they were made."""

import secrets
import string
import time

_DIGITS = string.digits + string.ascii_lowercase
_TIME_DIGITS = 8  # milliseconds until the year 2059
_RANDOM_DIGITS = 6  # two billion ids a millisecond


def new_run_id() -> str:
    """14 characters of [0-9a-z]."""
    milliseconds = time.time_ns() // 1_000_000
    return _base36(milliseconds, _TIME_DIGITS) + _base36(secrets.randbelow(36**_RANDOM_DIGITS), _RANDOM_DIGITS)


def _base36(number: int, digits: int) -> str:
    text = ""
    for _ in range(digits):
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    return text
