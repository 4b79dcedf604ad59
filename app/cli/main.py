"""`agent-fix`: every command, and the one place where an error becomes an exit code.

Exit codes: 0 proved (or done), 1 internal error, 2 usage or configuration, 3 escalated.
"""

import logging
import os
import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from app.settings import check_environment
from repo_tools.errors import ConfigError, RepoError, SandboxError, TransientError

USAGE = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells do

COMMANDS = {
    "serve": "app.cli.serve:serve",
    "web": "app.cli.web:web",
    "worker": "app.cli.worker:worker",
    "migrate": "app.cli.migrate:migrate",
    "fix": "app.cli.fix:fix",
    "runs": "app.cli.runs:runs",
    "show": "app.cli.runs:show",
    "map": "app.cli.repository_map:map_repository",
    "doctor": "app.cli.doctor:doctor",
    "sandbox": "app.cli.sandbox:application",
    "demo": "app.cli.demo:demo",
}
"""name -> where it is. Only the one that is called is imported: the web process stays small and holds no SDK."""


class Commands(TyperGroup):
    """Looks commands up in `COMMANDS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        found = getattr(import_module(module), attribute)
        return typer.main.get_command(found if isinstance(found, typer.Typer) else _single(cmd_name, found))


def _single(name: str, function: Any) -> typer.Typer:
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    single.command(name)(function)
    return single


application = typer.Typer(
    name="agent-fix",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@application.callback()
def agent_fix() -> None:
    """A label becomes a verified draft pull request, or an honest hand-off."""
    check_environment(os.environ)


def main() -> None:
    """The console script."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for talkative in ("httpx", "httpx2", "alembic", "celery", "kombu"):
        logging.getLogger(talkative).setLevel(logging.WARNING)
    try:
        application(prog_name="agent-fix")
    except (ConfigError, RepoError, SandboxError, TransientError) as error:
        typer.echo(f"agent-fix: {error}", err=True)
        sys.exit(USAGE)
    except KeyboardInterrupt:
        typer.echo("agent-fix: interrupted", err=True)
        sys.exit(INTERRUPTED)
