"""Options that several commands take."""

from typing import Annotated

import typer

REPOSITORY = "A local git repository, or a folder in it: of several projects the one there, if the issue names none."
Host = Annotated[str, typer.Option(help="The address to listen on.")]
Port = Annotated[int, typer.Option(help="The port to listen on.", min=0, max=65535)]
Concurrency = Annotated[int, typer.Option(help="How many runs at a time.", min=1, max=64)]
