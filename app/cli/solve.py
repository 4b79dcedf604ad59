"""`agent-fix solve`: a task of its own, with tests to pass or data to ask, without a repository."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from agent.errors import Answered
from agent.redaction import redact_json
from app.cli.exit_codes import ESCALATED
from app.cli.live import LiveRun
from app.cli.output import check_output
from app.cli.several import SeveralFiles
from app.journal_view import whole_run
from workers.build_workshop import build_workshop
from workers.host import Evidence
from workers.load_settings import load_settings, make_data_dir
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.publish.markdown import cut
from workers.publish.solve_report import render_answer
from workers.settings import WorkerSettings
from workers.solve_host import SolveHost
from workers.solve_request import SolveRequest, solve_request
from workers.solve_run import Solver
from workers.store import open_store

DONE = 0
MAX_SHOWN = 8_000
Files = list[Path]
CUT_OFF = "Run {0}: should it be cut off, `agent-fix solve --resume {0}` goes on with it."
WORDS = {Reason.PROVED: "solved", Reason.ANSWERED: "answered"}


application = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@application.command("solve", cls=SeveralFiles)
def solve(
    task: Annotated[str | None, typer.Option(help="What to do, in words.")] = None,
    tests: Annotated[
        Files | None,
        typer.Option(
            help="Tests that are to pass (pytest), and what supports them, in one folder: one file or several.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    data: Annotated[
        Files | None,
        typer.Option(
            help="Data, as CSV, SQLite or anything, one file or several: they stand in the folder data/.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    output: Annotated[Path, typer.Option(help="Where report, transcript and files go.", file_okay=False)] = Path(
        "agent-fix-output"
    ),
    resume: Annotated[str | None, typer.Option(help="Instead: the id of a run that was cut off.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for a program.")] = False,
) -> None:
    """Solve a task until given tests pass, or answer a question about data; write report and files to a folder."""
    asked = _asked(task, tests or [], data or [], resume)
    settings = load_settings(WorkerSettings)
    check_output(output)
    make_data_dir(settings)
    store = open_store(settings.effective_database_url)
    solver = Solver(store, build_workshop(settings), settings.data_dir / "solve", settings.lease_seconds)
    hosts: list[SolveHost] = []
    run_ids: list[str] = []

    def host(given: Path) -> SolveHost:
        hosts.append(SolveHost(given, output))
        return hosts[0]

    console = Console(stderr=True)
    with LiveRun(console, lambda run_id: whole_run(store, run_id)) as live:

        def started(run_id: str) -> None:
            run_ids.append(run_id)
            console.print(Text(CUT_OFF.format(run_id)), soft_wrap=True)
            live.follow(run_id)

        if asked is not None:
            outcome = solver.solve(asked, host, started)
        else:
            outcome = solver.resume(resume or "", host, started)
    console.print(Text(summary(outcome)), soft_wrap=True)
    evidence = hosts[0].published
    print(json.dumps(for_a_program(run_ids[0], outcome, evidence), indent=1) if as_json else shown(evidence))
    raise typer.Exit(DONE if outcome.reason in WORDS else ESCALATED)


def _asked(task: str | None, tests: Files, data: Files, resume: str | None) -> SolveRequest | None:
    """None where a run is resumed, which has its task already."""
    if (task is None) is (resume is None):
        raise typer.BadParameter("give either a task or the run to resume", param_hint="--task")
    if task is None:
        if tests or data:
            raise typer.BadParameter("a run that is resumed has its files already", param_hint="--tests, --data")
        return None
    try:
        return solve_request(task, tests, data)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--task, --tests, --data") from error


def summary(outcome: Outcome) -> str:
    word = WORDS.get(outcome.reason, outcome.kind.value if outcome.kind is not OutcomeKind.ESCALATION else "not solved")
    where = f"\nReport, transcript and files: {outcome.url}" if outcome.url else ""
    return f"{word}: {outcome.detail}{where}"


def for_a_program(run_id: str, outcome: Outcome, evidence: Evidence | None) -> dict[str, Any]:
    """What came of a task, as docs/how-it-works.md tells programs; more may be added, and nothing of it renamed."""
    attempt, solution = (evidence.attempt, evidence.solution) if evidence else (None, None)
    answered = attempt.ending if attempt and isinstance(attempt.ending, Answered) else Answered("")
    told: dict[str, Any] = redact_json(
        {
            "run": run_id,
            "done": outcome.reason in WORDS,
            "reason": outcome.reason,
            "detail": outcome.detail,
            "folder": outcome.url,
            "answer": answered.text or None,
            "figures": dict(answered.figures),
            "files": sorted(solution.files) if solution else [],
            "tests": (solution and solution.report) or None,
        }
    )
    return told


def shown(evidence: Evidence | None) -> str:
    """The answer, or what the given tests said last: what a person wants to read at once."""
    if evidence is None:
        return ""
    report = evidence.solution.report if evidence.solution else ""
    answer = render_answer(evidence) if evidence.reason in WORDS else ""
    return cut(answer or report, MAX_SHOWN)
