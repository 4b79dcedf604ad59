"""`agent-fix replay`: a past run again, from its journal."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from app.cli.exit_codes import ESCALATED
from app.cli.fix import exit_code, summary
from app.cli.live import LiveRun
from app.cli.output import check_output
from app.journal_view import whole_run
from repo_tools.counted import counted
from workers.build_workshop import build_workshop
from workers.load_settings import load_settings, make_data_dir
from workers.replay import PastRun, Replayed, check_replay, find_past, kept_steps, replay_from
from workers.settings import WorkerSettings
from workers.store import RunStore, open_store
from workers.store.text import storable


def replay(
    run: Annotated[str, typer.Argument(help="The run's id, as `agent-fix runs` lists it.")],
    from_step: Annotated[
        int | None,
        typer.Option(help="Go on live from this step, as `agent-fix show` counts them.", min=1),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Ask this model, one of the operator's, instead of the run's own.")
    ] = None,
    repository: Annotated[
        Path | None, typer.Option(help="A repository with the base commit; default: the mirror.", file_okay=False)
    ] = None,
    output: Annotated[Path, typer.Option(help="Where patch, report and transcript go.", file_okay=False)] = Path(
        "agent-fix-output"
    ),
) -> None:
    """Replay a past run: offline, as a check of its journal, or live from one of its steps, as a run of its own.

    Nothing is published, and the past run stays as it is. Exit codes: 0 the same change, or proved; 2 usage; 3 the
    replay departs from the journal, or handed over.
    """
    if model is not None and from_step is None:
        raise typer.BadParameter("without --from-step no model is asked", param_hint="--model")
    settings = load_settings(WorkerSettings)
    if from_step is not None:
        check_output(output)
    make_data_dir(settings)
    store = open_store(settings.effective_database_url)
    past = find_past(store, run, repository, settings.data_dir / "mirrors")
    if from_step is None:
        replayed = check_replay(past)
        typer.echo(told(past, replayed))
        raise typer.Exit(ESCALATED if replayed.departures else 0)
    _go_on(past, from_step, store, _with_model(settings, model or past.run.model or settings.model), output)


def told(past: PastRun, replayed: Replayed) -> str:
    """What an offline replay found, for a person."""
    told_sizes = (
        counted(replayed.turns, "turn"),
        counted(len(past.steps), "step"),
        counted(len(replayed.change.files), "changed file"),
    )
    size = ", ".join(told_sizes)
    if not replayed.departures:
        return f"{past.run.id}: the journal replays to the same change ({size})."
    lines = [f"{past.run.id}: the replay departs from the journal ({size}):", *replayed.departures]
    return storable("\n".join(lines))  # a path of the repository may be no text


def _with_model(settings: WorkerSettings, model: str) -> WorkerSettings:
    """For one of the operator's models. A price that the operator set is of the model of the settings alone."""
    if model == settings.model:
        return settings
    if model not in settings.allowed_models:
        ours = ", ".join(sorted({settings.model, *settings.allowed_models}))
        raise typer.BadParameter(
            f"{model} is none of the operator's models ({ours}); AGENT_FIX_ALLOWED_MODELS names further ones",
            param_hint="--model",
        )
    return settings.model_copy(update={"model": model, "price": None})


def _go_on(past: PastRun, from_step: int, store: RunStore, settings: WorkerSettings, output: Path) -> None:
    workshop = build_workshop(settings)
    try:
        kept_steps(past, from_step, workshop)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--from-step") from error
    console = Console(stderr=True)
    with LiveRun(console, lambda run_id: whole_run(store, run_id)) as live:

        def started(run_id: str) -> None:
            words = f"Run {run_id} goes on from step {from_step} of run {past.run.id}, with {settings.model}."
            console.print(Text(f"{words} Nothing is published."), soft_wrap=True)
            live.follow(run_id)

        outcome = replay_from(past, from_step, store, workshop, output, settings.lease_seconds, started)
    console.print(Text(summary(outcome)), soft_wrap=True)
    raise typer.Exit(exit_code(outcome))
