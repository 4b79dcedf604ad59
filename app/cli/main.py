"""`agent-fix`: every command, and the one place where an error becomes an exit code.

Exit codes: 0 proved (or done), 1 internal error, 2 usage or configuration, 3 escalated.
"""

import logging
import sys

import typer

from app.cli import demo, doctor, fix, processes, repository_map, runs, sandbox
from repo_tools.errors import ConfigError, RepoError, SandboxError
from workers.store import StoreUnavailableError

USAGE = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells do

application = typer.Typer(
    name="agent-fix",
    help="A label becomes a verified draft pull request, or an honest hand-off.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    processes.serve,
    processes.web,
    processes.worker,
    fix.fix,
    runs.runs,
    runs.show,
    repository_map.map_repository,
    doctor.doctor,
    demo.demo,
):
    application.command(name="map" if command is repository_map.map_repository else None)(command)
application.add_typer(sandbox.application, name="sandbox")


def main() -> None:
    """The console script."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        application()
    except (ConfigError, RepoError, SandboxError, StoreUnavailableError) as error:
        typer.echo(f"agent-fix: {error}", err=True)
        sys.exit(USAGE)
    except KeyboardInterrupt:
        typer.echo("agent-fix: interrupted", err=True)
        sys.exit(INTERRUPTED)
