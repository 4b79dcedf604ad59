"""`agent-fix schema`: the JSON schema of `.github/agent-fix.yml`, for editors."""

import typer

from workers.configuration.schema import schema_text


def schema() -> None:
    """Print the JSON schema of `.github/agent-fix.yml`, for editors."""
    typer.echo(schema_text(), nl=False)
