"""The live view of one run: stages, turns, spend against budget, tests. Draws what the API answers."""

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from app.journal_view import ending
from repo_tools.errors import TransientError
from repo_tools.test_report import told_counts
from workers.publish.markdown import clean

STAGES = ("admit", "checkout", "environment", "baseline", "agent", "verify")
LAST_STEPS = 6
REFRESH_SECONDS = 0.4

RunJson = Mapping[str, Any]
"""A run as `GET /api/runs/{id}` answers it."""


class LiveRun:
    """Draws a run until the block ends; where no terminal is, each step is a line as it comes, and the picture the end.
    `look` is asked for the run again and again, from a thread of its own."""

    def __init__(self, console: Console, look: Callable[[str], RunJson | None]) -> None:
        self._look = look
        self._live = Live(console=console, refresh_per_second=4, transient=False)
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._told = 0

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        self._live.stop()
        if not self._live.console.is_terminal:
            self._live.console.print()  # there it leaves its last line open

    def follow(self, run_id: str) -> None:
        """Start drawing `run_id`."""
        self._thread = threading.Thread(target=self._draw, args=(run_id,), daemon=True)
        self._thread.start()

    def _draw(self, run_id: str) -> None:
        while not self._ended.wait(REFRESH_SECONDS):
            self._update(run_id)
        self._update(run_id)

    def _update(self, run_id: str) -> None:
        """Nothing new where nobody tells just now: whoever works on the run says what it waits for."""
        run = None
        with suppress(TransientError):
            run = self._look(run_id)
        if run is None:
            return
        console, steps = self._live.console, run.get("steps", ())
        if not console.is_terminal:
            for step in steps[self._told :]:
                console.print(Text(describe(step)), soft_wrap=True)
            self._told = len(steps)
        self._live.update(render(run, last_steps=LAST_STEPS if console.is_terminal else 0))


def render(run: RunJson, last_steps: int = LAST_STEPS) -> RenderableType:
    """One picture of a run, with so many of its steps. Pure."""
    steps = list(run.get("steps", ()))[-last_steps:] if last_steps else []
    number = f"#{run['issue_number']}" if run["issue_number"] else ""  # a folder has no issues
    title = clean(f"{run['repository']}{number}  {run['title']}")
    return Panel(
        Group(_stages(run), _spend(run.get("spend") or {}), _steps(steps)),
        title=escape(title),
        subtitle=escape(_ending(run)),
    )


def _stages(run: RunJson) -> Text:
    """Done, under way and still to come; a run that ended shows which way it went."""
    reached = {step["data"]["name"] for step in run.get("steps", ()) if step["kind"] == "stage"}
    last = "escalate" if "escalate" in reached else "publish"
    now = run.get("stage") if run["status"] == "running" else None
    line = Text()
    for stage in (*STAGES, last):
        mark, style = ("◐", "bold yellow") if stage == now else ("●", "green") if stage in reached else ("○", "dim")
        line.append(f"{mark} {stage}  ", style=style)
    return line


def _spend(spend: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table.grid(padding=(0, 2))
    for kind, value in spend.items():
        used, limit = value["used"], value["limit"]
        bar = ProgressBar(total=limit or 1, completed=min(used, limit or 0), width=24) if limit else Text("no limit")
        table.add_row(kind, bar, f"{used:,} of {limit:,.0f}" if limit else f"{used:,}")
    return table


def _steps(steps: Iterable[Mapping[str, Any]]) -> Text:
    text = Text(no_wrap=True, overflow="ellipsis")
    for step in steps:
        text.append(f"  {describe(step)}\n", style="dim")
    return text


def describe(step: Mapping[str, Any]) -> str:
    """One step of the journal in one line, which is not to rule the terminal, whoever wrote it."""
    kind, data = step["kind"], step["data"]
    match kind:
        case "stage":
            words = data["name"]
        case "baseline":
            words = data.get("problem") or _counts(data)
        case "environment" | "verifying":
            words = data["line"]
        case "verification":
            words = data.get("verdict", "")
        case "tool_result":
            words = f"{data.get('name', '')}: {data.get('result', '')}"
        case "reply" | "nudge":
            words = data.get("text", "")
        case "measured" | "intent":
            words = data.get("what") or data.get("effect", "")
        case "resumed":
            words = f"{data['charged_tokens']:,} tokens are charged for a call that may have been under way"
        case "candidate":
            words = f"{data['passed']} passed"
        case _:
            words = data.get("detail", "")
    return f"{kind:<12} {clean(' '.join(str(words).split())[:100])}"


def _counts(report: Mapping[str, Any]) -> str:
    return told_counts(report["counts"])


def _ending(run: RunJson) -> str:
    if run["status"] != "ended":
        return str(run["status"])
    told = ending(run["outcome"], run["reason"], run.get("url"))
    return (f"{told}: {run['reason']}" if told != run["reason"] else str(told)).replace("_", " ")
