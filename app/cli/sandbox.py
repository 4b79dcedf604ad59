"""`agent-fix sandbox`: the images of the Docker sandbox, and Pythons for the other one."""

import os
import signal
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from repo_tools.errors import ConfigError, SandboxError
from repo_tools.sandbox.docker import connect
from repo_tools.sandbox.image import build_image
from repo_tools.sandbox.languages import LANGUAGES
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
Languages = Annotated[
    str,
    typer.Option(
        help=f"Put these languages into the base image, separated by commas: {', '.join(LANGUAGES)}.", metavar="NAMES"
    ),
]


@application.callback()
def sandbox() -> None:
    """The box that repository code runs in."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what is half made is taken away, as when interrupted


@application.command()
def build(services: Services = "", languages: Languages = "") -> None:
    """Make the base image of the Docker sandbox, or images of services, or say why they cannot be made here."""
    load_settings(WorkerSettings)
    kinds = _known(services, KINDS, "--services", "service")
    wanted = _known(languages, LANGUAGES, "--languages", "language")
    if kinds and wanted:
        raise ConfigError("--languages", "images of services have none", "Call it once for each of the two.")
    if kinds:
        build_service_images(connect(None), kinds, say=typer.echo)
    else:
        build_image(connect(None), wanted, say=typer.echo)


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


def _known(text: str, names: Collection[str], option: str, what: str) -> list[str]:
    given = [name.strip() for name in text.split(",") if name.strip()]
    for name in given:
        if name not in names:
            raise ConfigError(option, f"no {what} is called {name}", f"There are {', '.join(names)}.")
    return given
