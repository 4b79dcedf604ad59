"""What reaches over the network is tried more than once."""

from collections.abc import Callable

import pytest

from scripts.tries import tried


class DownError(Exception):
    """What may pass."""


def fails(times: int) -> Callable[[], str]:
    """Works after so many failures."""
    left = iter(range(times))

    def act() -> str:
        for number in left:
            raise DownError(f"no answer, {number}")
        return "here"

    return act


def test_what_fails_is_said_and_tried_again_after_growing_waits() -> None:
    said: list[str] = []
    waits: list[float] = []
    assert tried(fails(2), DownError, (5.0, 20.0, 60.0), say=said.append, sleep=waits.append) == "here"
    assert waits == [5.0, 20.0]
    assert said == ["no answer, 0; tried again in 5 s", "no answer, 1; tried again in 20 s"]


def test_the_last_failure_is_raised() -> None:
    waits: list[float] = []
    with pytest.raises(DownError, match="no answer, 2"):
        tried(fails(3), DownError, (5.0, 20.0), say=lambda _: None, sleep=waits.append)
    assert waits == [5.0, 20.0]


def test_another_failure_is_not_tried_again() -> None:
    waits: list[float] = []
    with pytest.raises(DownError):
        tried(fails(1), KeyError, (5.0,), say=lambda _: None, sleep=waits.append)
    assert waits == []
