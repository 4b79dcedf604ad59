"""The model's side of the demo where there is no key: fixed replies, chosen by the issue and the turn.

Everything else of the demo is the real thing: what these replies ask for is really read, written, run and verified.
"""

from collections.abc import Mapping
from typing import Any

from agent.scripted import text, tool_use
from app.demo.repository import TOO_LARGE

Block = dict[str, Any]

_NEW_TEST = """

def test_an_interval_inside_another_does_not_shorten_it():
    assert merge([Interval(600, 720), Interval(615, 630)]) == [Interval(600, 720)]
"""

_NEW_SLOT_TEST = """

def test_no_slot_is_offered_inside_a_meeting_that_contains_another():
    meetings = [Interval(600, 720), Interval(615, 630)]
    assert free_slots(DAY, meetings, minutes=30) == [Interval(540, 600), Interval(720, 1020)]
    assert busy_minutes(meetings) == 120
"""

_LAST_INTERVAL_TEST = "    assert merge([Interval(0, 10), Interval(10, 20)]) == [Interval(0, 20)]\n"
_LAST_SLOT_TEST = "    assert busy_minutes([Interval(600, 660), Interval(630, 690)]) == 90\n"

SOLVED: tuple[list[Block], ...] = (
    [
        text(
            "Success criterion: with a meeting inside another, `free_slots` offers nothing before the outer one ends "
            "and `busy_minutes` counts the outer one whole.\n\n"
            "Plan: read `merge`, on which both rest; write tests that show the bug; correct it there; run the suite."
        ),
        tool_use("read_file", path="src/busyhours/intervals.py"),
        tool_use("read_file", path="tests/test_intervals.py"),
        tool_use("read_file", path="tests/test_slots.py"),
    ],
    [
        text(
            "`merge` takes the end of the interval it reads last. One that lies inside the one before it ends earlier, "
            "so the outer one is cut short. First the tests that show it."
        ),
        tool_use(
            "edit_file", path="tests/test_intervals.py", old=_LAST_INTERVAL_TEST, new=_LAST_INTERVAL_TEST + _NEW_TEST
        ),
        tool_use("edit_file", path="tests/test_slots.py", old=_LAST_SLOT_TEST, new=_LAST_SLOT_TEST + _NEW_SLOT_TEST),
        tool_use("run_tests"),
    ],
    [
        text("Both new tests are red, for the reason given. Now the correction: keep the later of the two ends."),
        tool_use(
            "edit_file",
            path="src/busyhours/intervals.py",
            old="merged[-1] = Interval(merged[-1].start, current.end)",
            new="merged[-1] = Interval(merged[-1].start, max(merged[-1].end, current.end))",
        ),
        tool_use("run_tests"),
    ],
    [
        text("All green."),
        tool_use(
            "finish",
            summary=(
                "`merge` gave a merged interval the end of the interval it had read last. An interval that lies inside "
                "the one before it ends earlier, so the outer one was cut short, and `free_slots` and `busy_minutes` "
                "inherited the mistake. The merged interval now keeps the later of the two ends. Two tests cover the "
                "case: one on `merge`, one on the day of the issue."
            ),
        ),
    ],
)

UNSOLVED: tuple[list[Block], ...] = (
    [
        text(
            "Success criterion: `free_slots` and `busy_minutes` take recurring meetings with their own time zones.\n\n"
            "Plan: read the present model of time; add a module for rules; test the skipped and the doubled hour."
        ),
        tool_use("read_file", path="src/busyhours/slots.py"),
        tool_use("search", pattern="tzinfo|zoneinfo|datetime"),
    ],
    [
        text("There are no dates in the package yet, only minutes of one day. First, daily rules."),
        tool_use(
            "write_file",
            path="src/busyhours/recurrence.py",
            content=(
                '"""Recurring meetings, after RFC 5545. Only FREQ=DAILY and COUNT so far."""\n\n'
                "from datetime import datetime, timedelta\n\n\n"
                "def occurrences(start: datetime, rule: str) -> list[datetime]:\n"
                '    parts = dict(part.split("=") for part in rule.split(";"))\n'
                '    if parts.get("FREQ") != "DAILY":\n'
                "        raise NotImplementedError(rule)\n"
                '    return [start + timedelta(days=n) for n in range(int(parts["COUNT"]))]\n'
            ),
        ),
        tool_use(
            "write_file",
            path="tests/test_recurrence.py",
            content=(
                "from datetime import datetime\nfrom zoneinfo import ZoneInfo\n\n"
                "from busyhours.recurrence import occurrences\n\n\n"
                "def test_a_weekly_meeting_keeps_its_local_hour_when_the_clocks_change():\n"
                '    berlin = ZoneInfo("Europe/Berlin")\n'
                "    start = datetime(2026, 10, 20, 9, tzinfo=berlin)\n"
                '    dates = occurrences(start, "FREQ=WEEKLY;COUNT=2")\n'
                "    assert [d.hour for d in dates] == [9, 9]\n"
            ),
        ),
        tool_use("run_tests", selector="tests/test_recurrence.py"),
    ],
    [
        text("Weekly rules are the next step; the test for them is red. `free_slots` still knows no dates."),
        tool_use("read_file", path="src/busyhours/intervals.py"),
    ],
)


def reply(request: Mapping[str, Any]) -> list[Block]:
    """The next reply of the scripted model, by the issue in the first message and the replies given so far."""
    turns = UNSOLVED if TOO_LARGE.title in str(request["messages"][0]) else SOLVED
    given = sum(message["role"] == "assistant" for message in request["messages"])
    if given >= len(turns):
        return [text("There is nothing more in the script."), tool_use("give_up", reason="the script has ended")]
    return list(turns[given])
