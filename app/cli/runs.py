"""`agent-fix runs` and `agent-fix show RUN`."""

import json
import sys
from datetime import UTC
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from app.cli.live import describe, render
from app.journal_view import ending, whole_run
from workers.load_settings import load_settings
from workers.publish.markdown import one_line
from workers.settings import StoreSettings
from workers.store import Run, RunStore, open_store

WIDTH_IN_A_PIPE = 260  # each run on one line, for grep
MOST_OF_A_TITLE = 40
WIDTH_WITH_TITLES = 140
COLUMNS = ("asked (UTC)", "repository", "issue", "title", "status", "outcome", "reason", "spent")
RUN_ID_WIDTH = 16  # whole at any width of the terminal: it is what `show` wants


def runs(limit: Annotated[int, typer.Option(help="How many, newest first.", min=1, max=1_000)] = 20) -> None:
    """List runs, newest first."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH_IN_A_PIPE)
    columns = [name for name in COLUMNS if name != "title" or console.width >= WIDTH_WITH_TITLES]
    table = Table(
        Column("run", no_wrap=True, min_width=RUN_ID_WIDTH),
        *(Column(name, overflow="fold") for name in columns),
    )
    for run in _store().list_runs(limit=limit):
        cells = _cells(run)
        table.add_row(Text(run.id), *(Text(cells[name]) for name in columns))
    console.print(table)


def show(
    run: Annotated[str, typer.Argument(help="The run's id, as `agent-fix runs` lists it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Everything, for a program.")] = False,
) -> None:
    """Show one run: stages, spend, and every step of its journal."""
    found = whole_run(_store(), run)
    if found is None:
        raise typer.BadParameter(f"there is no run {run}; `agent-fix runs` lists them", param_hint="RUN")
    if as_json:
        typer.echo(json.dumps(found, indent=1, default=str))
        return
    console = Console()
    console.print(render(found, last_steps=0))
    for step in found["steps"]:
        console.print(Text(f"{step['number']:>5} {describe(step)}"), soft_wrap=True)


def _store() -> RunStore:
    return open_store(load_settings(StoreSettings).effective_database_url)


def _cells(run: Run) -> dict[str, str]:
    """Of each of the columns."""
    usd = (run.spend or {}).get("usd", {}).get("used", 0.0)
    return {
        "asked (UTC)": f"{run.created_at.astimezone(UTC):%Y-%m-%d %H:%M}",
        "repository": run.repository,
        "issue": f"#{run.issue_number}" if run.issue_number else "local",
        "title": one_line(run.title, MOST_OF_A_TITLE),
        "status": run.status,
        "outcome": ending(run.outcome, run.reason, run.url) or "",
        "reason": run.reason or "",
        "spent": f"{usd:.2f} USD",
    }
