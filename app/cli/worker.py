"""`agent-fix worker`: a worker alone."""

import functools
import platform
from typing import Annotated

import typer

from app.cli.options import Concurrency
from workers.build_workshop import build_workshop
from workers.execute import build_executor
from workers.exposed import tell_exposed
from workers.github.host import make_github_host
from workers.liveness import worker_lives
from workers.load_settings import load_settings, make_data_dir
from workers.settings import StoreSettings, WorkerSettings
from workers.worker import run_worker


def worker(
    concurrency: Concurrency = 2,
    check: Annotated[bool, typer.Option("--check", help="Only say whether a worker of this machine is alive.")] = False,
) -> None:
    """Run a worker: the queue, the sandboxes, GitHub, the model."""
    if check:
        alive = worker_lives(load_settings(StoreSettings))
        if not alive:
            typer.echo(f"no worker of {platform.node()} has a run, or gave a sign of life within a minute", err=True)
        raise typer.Exit(0 if alive else 1)
    settings = load_settings(WorkerSettings)
    make_data_dir(settings)
    tell_exposed(settings)
    make_github_host(settings)  # both only to say at once what is wrong: each process of the pool makes its own
    build_workshop(settings)
    run_worker(settings, functools.partial(build_executor, settings), concurrency=concurrency)
