"""The live view: what a person sees of a run, from what the API answers."""

import io
import threading
from typing import Any

import pytest
from rich.console import Console

from app.cli.live import LiveRun, describe, render
from workers.store import StoreUnavailableError

RUN: dict[str, Any] = {
    "repository": "acme/[bold]calc",
    "issue_number": 7,
    "title": "Wrong [red]sum",
    "status": "running",
    "stage": "agent",
    "outcome": None,
    "reason": None,
    "spend": {
        "turns": {"used": 3, "limit": 40.0},
        "tokens": {"used": 10_717, "limit": 2_000_000.0},
        "seconds": {"used": 12.5, "limit": None},
    },
    "steps": [
        *({"kind": "stage", "data": {"name": name}} for name in ("admit", "checkout", "environment", "baseline")),
        {"kind": "baseline", "data": {"counts": {"passed": 8, "failed": 1, "skipped": 0}}},
        {"kind": "stage", "data": {"name": "agent"}},
    ],
}


def drawn(run: dict[str, Any]) -> str:
    console = Console(width=110, record=True, file=io.StringIO())
    console.print(render(run))
    return console.export_text()


def test_it_shows_stage_spend_against_budget_and_tests() -> None:
    picture = drawn(RUN)
    assert "● baseline  ◐ agent  ○ verify" in picture
    assert "3 of 40" in picture
    assert "10,717 of 2,000,000" in picture
    assert "no limit" in picture
    assert "8 passed, 1 failed" in picture


def test_text_of_others_is_no_markup() -> None:
    assert "acme/[bold]calc#7  Wrong [red]sum" in drawn(RUN)


def test_text_of_others_does_not_rule_the_terminal() -> None:
    ruling = "a \x1b[2Jb \x1b]0;x\x07c \u202ed"
    with io.StringIO() as written:
        Console(file=written, width=200).print(render({**RUN, "title": ruling}))
        told = written.getvalue() + describe({"kind": "reply", "data": {"text": ruling}})
    assert not {"\x1b", "\x07", "\u202e"} & set(told)
    assert told.count("a b c d") == 2


def stages(*names: str) -> list[dict[str, Any]]:
    return [{"kind": "stage", "data": {"name": name}} for name in names]


def test_a_run_that_ended_shows_which_way_it_went() -> None:
    ended = {**RUN, "status": "ended", "outcome": "escalation", "reason": "limit_turns", "stage": "escalate"}
    picture = drawn({**ended, "steps": stages("admit", "checkout", "environment", "baseline", "agent", "escalate")})
    assert "● agent  ○ verify  ● escalate" in picture
    assert "publish" not in picture
    assert "escalation: limit turns" in picture


@pytest.mark.parametrize(
    ("url", "told"), [("https://github.com/acme/calc/pull/8", "draft pull request: proved"), ("out", " proved ")]
)
def test_only_a_run_that_opened_a_pull_request_says_so(url: str, told: str) -> None:
    run = {**RUN, "status": "ended", "outcome": "draft_pull_request", "reason": "proved", "stage": "publish"}
    picture = drawn({**run, "url": url, "steps": stages("publish")})
    assert told in picture
    assert ("draft" in picture) == url.startswith("http")


@pytest.mark.parametrize(
    ("step", "line"),
    [
        ({"kind": "stage", "data": {"name": "verify"}}, "stage        verify"),
        ({"kind": "reply", "data": {"text": "one\ntwo"}}, "reply        one two"),
        (
            {"kind": "tool_result", "data": {"name": "run_tests", "result": "1 failed"}},
            "tool_result  run_tests: 1 failed",
        ),
        ({"kind": "verifying", "data": {"line": "running base tests"}}, "verifying    running base tests"),
        ({"kind": "verification", "data": {"verdict": "proved"}}, "verification proved"),
        ({"kind": "ending", "data": {"detail": "Red before."}}, "ending       Red before."),
        ({"kind": "nudge", "data": {"text": "Go on."}}, "nudge        Go on."),
        ({"kind": "measured", "data": {"what": "baseline", "result": "packed"}}, "measured     baseline"),
        ({"kind": "intent", "data": {"effect": "draft", "detail": "Red."}}, "intent       draft"),
        ({"kind": "candidate", "data": {"passed": 3, "told": "3 passed"}}, "candidate    3 passed"),
        (
            {"kind": "resumed", "data": {"charged_tokens": 34_000}},
            "resumed      34,000 tokens are charged for a call that may have been under way",
        ),
    ],
)
def test_a_step_is_one_line(step: dict[str, Any], line: str) -> None:
    assert describe(step) == line


def test_following_draws_the_last_state_even_of_a_run_that_was_over_at_once() -> None:
    console = Console(width=110, record=True, file=io.StringIO())
    with LiveRun(console, {"r1": RUN}.get) as live:
        live.follow("r1")
    assert "3 of 40" in console.export_text()


def test_the_view_goes_on_once_a_database_that_was_away_is_back() -> None:
    console, looked, away = Console(width=110, record=True, file=io.StringIO()), threading.Event(), [True]

    def look(_: str) -> dict[str, Any]:
        looked.set()
        if away[0]:
            raise StoreUnavailableError("database is locked")
        return RUN

    with LiveRun(console, look) as live:
        live.follow("r1")
        assert looked.wait(10)
        away[0] = False
    assert "3 of 40" in console.export_text()


def test_a_run_on_a_folder_has_no_number_of_an_issue() -> None:
    assert "calc  Wrong" in drawn({**RUN, "issue_number": 0})
    assert "#0" not in drawn({**RUN, "issue_number": 0})


def test_where_no_terminal_is_each_step_is_told_once_as_it_comes() -> None:
    told, seen = [{**RUN, "steps": RUN["steps"][:3]}, {**RUN, "steps": RUN["steps"][:3]}, RUN], threading.Event()

    def look(_: str) -> dict[str, Any]:
        if len(told) == 1:
            seen.set()
        return told.pop(0) if len(told) > 1 else told[0]

    file = io.StringIO()
    with LiveRun(Console(width=60, file=file), look) as live:
        live.follow("r1")
        assert seen.wait(10)
    lines = file.getvalue().splitlines()
    assert [line.split() for line in lines[:6]] == [describe(step).split() for step in RUN["steps"]]
    assert sum("8 passed" in line for line in lines) == 1


def test_what_comes_after_the_view_begins_on_a_line_of_its_own() -> None:
    written = io.StringIO()
    console = Console(width=110, file=written, force_terminal=False)
    with LiveRun(console, lambda _: RUN) as live:
        live.follow("r1")
    console.print("after")
    assert written.getvalue().splitlines()[-1] == "after"


def test_a_baseline_without_a_result_says_why() -> None:
    data = {"counts": {"passed": 0}, "problem": "No tests were collected."}
    assert describe({"kind": "baseline", "data": data}).endswith("No tests were collected.")
