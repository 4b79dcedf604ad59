"""`agent-fix demo`: see the main job on this machine."""

import os
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from app.cli.output import check_output
from app.demo.show import show


def demo(
    output: Annotated[
        Path | None,
        typer.Option(help="Where pages and logs are kept; default: a new temporary folder.", file_okay=False),
    ] = None,
) -> None:
    """Label two issues in a small repository and follow them to a draft pull request and an escalation."""
    if output:
        check_output(output)
    folder = output or Path(tempfile.mkdtemp(prefix="agent-fix-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    raise typer.Exit(show(Console(), folder.resolve(), os.environ, stay=sys.stdin.isatty()))
