"""A small Python repository with a real bug in it, and the two issues that the demo labels."""

from dataclasses import dataclass

REPOSITORY = "demo/busyhours"

FILES: dict[str, str] = {
    "README.md": """\
# busyhours

Free and busy time of a day, from a list of meetings.

```python
from busyhours import Interval, free_slots

free_slots(Interval(9 * 60, 17 * 60), [Interval(10 * 60, 11 * 60)], minutes=30)
```

Times are minutes after midnight. Run the tests with `pytest`.
""",
    "pyproject.toml": """\
[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "busyhours"
version = "0.3.0"
requires-python = ">=3.9"

[project.optional-dependencies]
test = ["pytest"]

[tool.setuptools.packages.find]
where = ["src"]

[tool.pytest.ini_options]
testpaths = ["tests"]
""",
    ".gitignore": "__pycache__/\n*.egg-info/\n",
    "src/busyhours/__init__.py": '''\
"""Free and busy time of a day."""

from busyhours.intervals import Interval, merge
from busyhours.slots import busy_minutes, free_slots

__all__ = ["Interval", "busy_minutes", "free_slots", "merge"]
''',
    "src/busyhours/intervals.py": '''\
"""Half-open intervals of minutes after midnight."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Interval:
    """From `start` up to, not including, `end`."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"an interval cannot end before it starts: {self.start} > {self.end}")

    @property
    def minutes(self) -> int:
        return self.end - self.start

    def touches(self, other: "Interval") -> bool:
        """True where the two overlap or meet."""
        return self.start <= other.end and other.start <= self.end


def merge(intervals: list[Interval]) -> list[Interval]:
    """The same time in as few intervals as possible, in order."""
    merged: list[Interval] = []
    for current in sorted(intervals):
        if merged and merged[-1].touches(current):
            merged[-1] = Interval(merged[-1].start, current.end)
        else:
            merged.append(current)
    return merged
''',
    "src/busyhours/slots.py": '''\
"""What is left of a day between meetings."""

from busyhours.intervals import Interval, merge


def busy_minutes(meetings: list[Interval]) -> int:
    """Minutes with at least one meeting."""
    return sum(interval.minutes for interval in merge(meetings))


def free_slots(day: Interval, meetings: list[Interval], minutes: int) -> list[Interval]:
    """The gaps of `day` that are at least `minutes` long, in order."""
    slots = []
    start = day.start
    for busy in merge(meetings):
        if busy.start - start >= minutes:
            slots.append(Interval(start, min(busy.start, day.end)))
        start = max(start, busy.end)
    if day.end - start >= minutes:
        slots.append(Interval(start, day.end))
    return slots
''',
    "tests/test_intervals.py": """\
import pytest

from busyhours import Interval, merge


def test_an_interval_cannot_end_before_it_starts():
    with pytest.raises(ValueError, match="cannot end before"):
        Interval(10, 5)


def test_intervals_apart_stay_apart():
    assert merge([Interval(30, 40), Interval(0, 10)]) == [Interval(0, 10), Interval(30, 40)]


def test_intervals_that_overlap_become_one():
    assert merge([Interval(0, 10), Interval(5, 20)]) == [Interval(0, 20)]


def test_intervals_that_meet_become_one():
    assert merge([Interval(0, 10), Interval(10, 20)]) == [Interval(0, 20)]
""",
    "tests/test_slots.py": """\
from busyhours import Interval, busy_minutes, free_slots

DAY = Interval(9 * 60, 17 * 60)


def test_a_day_without_meetings_is_one_slot():
    assert free_slots(DAY, [], minutes=30) == [DAY]


def test_a_meeting_splits_the_day():
    assert free_slots(DAY, [Interval(600, 660)], minutes=30) == [Interval(540, 600), Interval(660, 1020)]


def test_gaps_that_are_too_short_are_left_out():
    assert free_slots(DAY, [Interval(550, 1020)], minutes=30) == []


def test_busy_minutes_count_overlapping_meetings_once():
    assert busy_minutes([Interval(600, 660), Interval(630, 690)]) == 90
""",
}


@dataclass(frozen=True)
class DemoIssue:
    title: str
    body: str


SOLVABLE = DemoIssue(
    "free_slots() offers a slot in the middle of a meeting",
    """\
I have a workshop from 10:00 to 12:00 and, inside it, a short call from 10:15 to 10:30. `free_slots` then offers me
10:30 to 12:00 although I am in the workshop:

```python
>>> from busyhours import Interval, free_slots
>>> free_slots(Interval(540, 1020), [Interval(600, 720), Interval(615, 630)], minutes=30)
[Interval(start=540, end=600), Interval(start=630, end=1020)]
```

I expect the second slot to start at 720. `busy_minutes` is wrong for the same day, too (30 instead of 120).
""",
)

TOO_LARGE = DemoIssue(
    "Recurring meetings with time zones and daylight-saving time",
    """\
Please let `free_slots` take recurring meetings as iCalendar rules (RFC 5545: RRULE with BYDAY, BYMONTHDAY, INTERVAL,
COUNT, UNTIL, and EXDATE), each with a time zone of its own, and get the hours around the changes of daylight-saving
time right, the skipped and the doubled hour as well. `busy_minutes` should accept the same.
""",
)
