"""`agent-fix runs` and `agent-fix show RUN`."""

import json
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from app.cli.live import describe, render
from app.runs_api import whole_run
from workers.load_settings import load_settings
from workers.settings import StoreSettings
from workers.store import Run, RunStore, open_store

WIDTH_IN_A_PIPE = 200  # each run on one line, for grep
RUN_ID_WIDTH = 16  # whole at any width of the terminal: it is what `show` wants


def runs(limit: Annotated[int, typer.Option(help="How many, newest first.", min=1, max=1_000)] = 20) -> None:
    """List runs, newest first."""
    table = Table(
        Column("run", no_wrap=True, min_width=RUN_ID_WIDTH),
        *(Column(name, overflow="fold") for name in ("repository", "issue", "status", "outcome", "reason", "spent")),
    )
    for run in _store().list_runs(limit=limit):
        table.add_row(*(Text(cell) for cell in _cells(run)))
    Console(width=None if sys.stdout.isatty() else WIDTH_IN_A_PIPE).print(table)


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
        console.print(Text(f"{step['number']:>5} {describe(step)}"))


def _store() -> RunStore:
    return open_store(load_settings(StoreSettings).effective_database_url)


def _cells(run: Run) -> tuple[str, ...]:
    usd = (run.spend or {}).get("usd", {}).get("used", 0.0)
    issue = f"#{run.issue_number}" if run.issue_number else "local"
    return run.id, run.repository, issue, run.status, run.outcome or "", run.reason or "", f"{usd:.2f} USD"
