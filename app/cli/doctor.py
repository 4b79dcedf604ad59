"""`agent-fix doctor`: what is wrong with this installation, and what to do about each thing."""

import typer
from rich.console import Console
from rich.text import Text

from workers.doctor import examine
from workers.github.checks import Check
from workers.load_settings import load_settings
from workers.settings import WorkerSettings

WELL, WRONG = 0, 2


def doctor() -> None:
    """Check keys, App permissions, engine, sandbox, broker, database and model; print the remedy for what is wrong."""
    console = Console()
    wrong = 0
    for check in examine(load_settings(WorkerSettings)):
        console.print(line(check))
        wrong += not check.ok
    console.print(f"\n{wrong} of the checks failed." if wrong else "\nAll is well.")
    raise typer.Exit(WRONG if wrong else WELL)


def line(check: Check) -> Text:
    """One check for the terminal; pure."""
    text = Text()
    text.append("✓ " if check.ok else "✗ ", style="green" if check.ok else "bold red")
    text.append(f"{check.what}: {check.detail}")
    if check.remedy:
        text.append(f"\n    {check.remedy}", style="yellow")
    return text
