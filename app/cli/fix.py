"""`agent-fix fix`: try the product on a local repository, without GitHub."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from app.cli.exit_codes import CONFIGURATION, ESCALATED, PROVED
from app.cli.live import LiveRun
from app.cli.options import REPOSITORY
from app.cli.output import check_output
from app.journal_view import whole_run
from workers.build_workshop import build_workshop
from workers.configuration.uncommitted import uncommitted_note
from workers.load_settings import load_settings, make_data_dir
from workers.local_issue import read_issue
from workers.local_run import LocalRun, run_locally
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.publish.markdown import clean
from workers.settings import WorkerSettings
from workers.store import open_store


def fix(
    path: Annotated[Path, typer.Argument(help=REPOSITORY, exists=True, file_okay=False)],
    issue: Annotated[Path, typer.Option(help="Markdown; its first line is the title.", exists=True, dir_okay=False)],
    base: Annotated[str, typer.Option(help="The commit to start from.")] = "HEAD",
    output: Annotated[Path, typer.Option(help="Where patch, report and transcript go.", file_okay=False)] = Path(
        "agent-fix-output"
    ),
    branch: Annotated[
        str | None, typer.Option(help="Also make this branch; work tree and index stay as they are.")
    ] = None,
) -> None:
    """Fix an issue in a local repository; write patch, report and transcript to a folder."""
    try:
        asked = LocalRun(path, read_issue(issue), base, output, branch)
    except ValueError as error:
        raise typer.BadParameter(f"{issue} {error}", param_hint="--issue") from error
    settings = load_settings(WorkerSettings)
    check_output(output)
    make_data_dir(settings)
    store = open_store(settings.effective_database_url)
    console = Console(stderr=True)
    workshop = build_workshop(settings)
    if note := uncommitted_note(path, base):
        console.print(Text(note), soft_wrap=True)
    with LiveRun(console, lambda run_id: whole_run(store, run_id)) as live:
        outcome = run_locally(asked, store, workshop, settings.lease_seconds, live.follow)
    console.print(Text(summary(outcome)), soft_wrap=True)
    raise typer.Exit(exit_code(outcome))


def summary(outcome: Outcome) -> str:
    """What is left to say when the live view has ended."""
    verdict = (
        outcome.kind.value.replace("_", " ") if outcome.kind is not OutcomeKind.DRAFT_PULL_REQUEST else outcome.reason
    )
    where = f"\nPatch, report and transcript: {outcome.url}" if outcome.url else ""
    return f"{verdict}: {clean(outcome.detail)}{where}"  # it may quote what the repository's programs said


def exit_code(outcome: Outcome) -> int:
    """0 only for what was proved; a changed contract wants a person, as an escalation does."""
    if outcome.reason is Reason.CONFIGURATION:
        return CONFIGURATION
    return PROVED if outcome.reason is Reason.PROVED else ESCALATED
