"""`agent-fix map`: the map that the model would be given, for a person to look at or a program to use."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.printed_map import BASE, TOKENS, Asked, issue_text, print_map


def map_repository(
    path: Annotated[Path, typer.Argument(help="A git repository or a plain folder.", exists=True, file_okay=False)],
    issue: Annotated[
        Path | None, typer.Option(help="Rank for this issue (Markdown; its first line is the title).", dir_okay=False)
    ] = None,
    tokens: Annotated[int, typer.Option(help="The map never exceeds this many tokens.", min=1)] = TOKENS,
    base: Annotated[str, typer.Option(help="The commit to read.")] = BASE,
    index: Annotated[
        Path | None,
        typer.Option(
            help="Keeps what was read, by content.", show_default="one for each repository in ~/.cache/agent-fix"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The ranked files and why each is there, as JSON.")] = False,
) -> None:
    """Print the repository map: the files that matter for an issue, and their signatures."""
    print_map(Asked(path, issue, tokens, base, index, as_json), text_of(issue))


def text_of(issue: Path | None) -> str:
    """Title and body of the file that `--issue` names; empty without one."""
    try:
        return issue_text(issue)
    except (OSError, ValueError) as error:
        raise typer.BadParameter(f"{issue} {error}", param_hint="--issue") from error
