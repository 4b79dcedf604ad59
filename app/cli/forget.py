"""`agent-fix forget`: delete what ended long ago from the database."""

from typing import Annotated

import typer

from workers.load_settings import load_settings
from workers.settings import StoreSettings
from workers.store import open_store

DAY_SECONDS = 86_400.0


def forget(
    older_than: Annotated[int, typer.Option(help="Days since the end of a run.", min=8, metavar="DAYS")],
) -> None:
    """Delete runs that ended long ago, with their transcripts, from the database; what stands on GitHub stays."""
    store = open_store(load_settings(StoreSettings).effective_database_url)
    forgotten = store.forget(older_than * DAY_SECONDS)
    store.close()
    typer.echo(f"runs deleted: {forgotten}")
