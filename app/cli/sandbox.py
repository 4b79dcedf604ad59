"""`agent-fix sandbox build`: the base image of the Docker sandbox."""

import typer

from repo_tools.sandbox.docker import connect
from repo_tools.sandbox.image import build_image
from workers.settings import WorkerSettings, load_settings

application = typer.Typer(help="The box that repository code runs in.", no_args_is_help=True)


@application.callback()
def sandbox() -> None:
    """The box that repository code runs in."""


@application.command()
def build() -> None:
    """Make the base image of the Docker sandbox, or say why it cannot be made here."""
    load_settings(WorkerSettings)
    build_image(connect(None), say=typer.echo)
