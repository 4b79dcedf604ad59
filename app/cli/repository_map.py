"""`agent-fix map`: the map that the model would be given, for a person to look at."""

from pathlib import Path
from typing import Annotated

import typer

from repo_tools.local import LocalRepository
from repo_tools.repo_map.render import build_map
from workers.local_run import read_issue


def map_repository(
    path: Annotated[Path, typer.Argument(help="A local git repository.", exists=True, file_okay=False)],
    issue: Annotated[
        Path | None, typer.Option(help="Rank for this issue (Markdown; its first line is the title).", dir_okay=False)
    ] = None,
    tokens: Annotated[int, typer.Option(help="The map never exceeds this many tokens.", min=1)] = 4_000,
    base: Annotated[str, typer.Option(help="The commit to read.")] = "HEAD",
) -> None:
    """Print the repository map: the files that matter for an issue, and their signatures."""
    repository = LocalRepository(path)
    checkout = repository.checkout(repository.resolve(base))
    text = ""
    if issue is not None:
        try:
            read = read_issue(issue)
        except (OSError, ValueError) as error:
            raise typer.BadParameter(f"{issue} {error}", param_hint="--issue") from error
        text = f"{read.title}\n{read.body}"
    typer.echo(build_map(checkout.tree, checkout.read, issue=text, tokens=tokens), nl=False)
