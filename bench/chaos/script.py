"""The one scripted piece: a model that mends the sum, or gives up where the title says so, and counts who asked."""

import threading
import time
from dataclasses import dataclass
from typing import Any

from agent.scripted import text, tool_use
from app.standins.messages import turns_of
from bench.chaos.checks import GAVE_UP, PROVED, Ending
from tests.support import calc

GIVES_UP = "is a matter of taste"
MENDS = "is wrong"


@dataclass(frozen=True)
class Asked:
    """One model call: the conversation of `title`, with so many replies in it already."""

    title: str
    turn: int
    at: float  # seconds since 1970


class CountingScript:
    """Answers after `delay_seconds`; `asked` holds every call that came, in order, `thinking` counts those that have no
    answer yet."""

    def __init__(self, delay_seconds: float) -> None:
        self.asked: list[Asked] = []
        self._titles: set[str] = set()
        self.delay_seconds = delay_seconds
        self.looks = 1  # turns of a run that gives up, before it does
        self.thinking = 0
        self._lock = threading.Lock()

    def expect(self, title: str) -> None:
        with self._lock:
            self._titles.add(title)

    def __call__(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        now, turn, first = time.time(), turns_of(request), str(request["messages"][0])
        with self._lock:
            title = next(title for title in self._titles if title in first)
            self.asked.append(Asked(title, turn, now))
            self.thinking += 1
        time.sleep(self.delay_seconds)
        with self._lock:
            self.thinking -= 1
        return _giving_up(turn, self.looks) if GIVES_UP in title else _mending(turn)


def title_of(number: int, *, gives_up: bool) -> str:
    return f"The total of case {number:05} {GIVES_UP if gives_up else MENDS}"


def ending_of(title: str) -> Ending:
    """What the issue of this title comes to where nothing prevents it."""
    return GAVE_UP if GIVES_UP in title else PROVED


def _mending(turn: int) -> list[dict[str, Any]]:
    return [[*calc.PLAN, calc.write_test()], [calc.mend()], [calc.finish()]][min(turn, 2)]


def _giving_up(turn: int, looks: int) -> list[dict[str, Any]]:
    if turn < looks:
        return [text("Criterion: none. Plan: look."), tool_use("read_file", path="calc.py")]
    return [tool_use("give_up", reason="It is a matter of taste.")]
