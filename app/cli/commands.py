"""Every command of `agent-fix`, and how it is found."""

import os
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from app.cli.garbage import without_collections
from app.cli.main import INTERRUPTED, say
from workers.log import configure_log

COMMANDS = {
    "serve": "app.cli.serve:serve",
    "web": "app.cli.web:web",
    "worker": "app.cli.worker:worker",
    "migrate": "app.cli.migrate:migrate",
    "fix": "app.cli.fix:fix",
    "solve": "app.cli.solve:application",
    "runs": "app.cli.runs:runs",
    "show": "app.cli.runs:show",
    "forget": "app.cli.forget:forget",
    "replay": "app.cli.replay:replay",
    "schema": "app.cli.schema:schema",
    "environment": "app.cli.environment:environment",
    "map": "app.cli.repository_map:map_repository",
    "doctor": "app.cli.doctor:doctor",
    "sandbox": "app.cli.sandbox:application",
    "demo": "app.cli.demo:demo",
}
"""name -> where it is. Only the one that is called is imported: the web process stays small and holds no SDK."""

WITHOUT_SETTINGS = frozenset({"map"})
"""Commands that read no setting: what settings need would take them longer than their work."""


class Commands(TyperGroup):
    """Looks commands up in `COMMANDS`."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:  # of which typer itself says nothing
            say("interrupted", interrupt)
            raise typer.Exit(INTERRUPTED) from interrupt

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        with without_collections():
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


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"agent-fix {import_module('importlib.metadata').version('agent-fix')}")
        raise typer.Exit


@application.callback()
def agent_fix(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback tells it
        bool, typer.Option("--version", help="Say which release this is.", is_eager=True, callback=_tell_version)
    ] = False,
) -> None:
    """A label becomes a verified draft pull request, or an honest hand-off."""
    if context.invoked_subcommand not in WITHOUT_SETTINGS:
        import_module("app.settings").check_environment(os.environ)


def run() -> None:
    """The command of this process."""
    configure_log()
    application(prog_name="agent-fix")
