"""`agent-fix sandbox`: the images of the Docker sandbox, and Pythons for the other one."""

import os
from pathlib import Path
from typing import Annotated

import typer

from repo_tools.errors import ConfigError, SandboxError
from repo_tools.sandbox.docker import connect
from repo_tools.sandbox.image import build_image
from repo_tools.sandbox.pythons import FURTHER, unpack_pythons
from repo_tools.sandbox.service import KINDS
from repo_tools.sandbox.service_images import build_service_images
from workers.load_settings import load_settings
from workers.settings import WorkerSettings

application = typer.Typer(help="The box that repository code runs in.", no_args_is_help=True, add_completion=False)

Services = Annotated[
    str,
    typer.Option(
        help=f"Make the images of these services instead, separated by commas: {', '.join(KINDS)}.", metavar="KINDS"
    ),
]


@application.callback()
def sandbox() -> None:
    """The box that repository code runs in."""


@application.command()
def build(services: Services = "") -> None:
    """Make the base image of the Docker sandbox, or images of services, or say why they cannot be made here."""
    load_settings(WorkerSettings)
    kinds = _kinds(services)
    if kinds:
        build_service_images(connect(None), kinds, say=typer.echo)
    else:
        build_image(connect(None), say=typer.echo)


_LOCAL = Path("/usr/local")
_VERSIONS = ", ".join(python.version for python in FURTHER)


@application.command(help=f"Put Pythons ({_VERSIONS}) of Debian beside this machine's own, for the bubblewrap sandbox.")
def pythons(
    folder: Annotated[
        Path, typer.Argument(help="Where the sandbox looks for them: /usr/local or a folder in it.")
    ] = _LOCAL,
) -> None:
    if _LOCAL not in (folder.resolve(), folder.resolve().parent):
        raise ConfigError("FOLDER", f"{folder} is nowhere that the sandbox looks", f"Name {_LOCAL} or a folder in it.")
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise ConfigError("FOLDER", f"{folder} is no folder that can be written to", "Name another one, or be root.")
    place = folder.resolve()
    pythons = unpack_pythons(place, str(place), typer.echo)
    for made in pythons:
        typer.echo(f"made {made}")
    if not pythons:
        raise SandboxError("no Python could be made: what is said above tells why")


def _kinds(services: str) -> list[str]:
    kinds = [kind.strip() for kind in services.split(",") if kind.strip()]
    for kind in kinds:
        if kind not in KINDS:
            raise ConfigError("--services", f"no service is called {kind}", f"There are {', '.join(KINDS)}.")
    return kinds
