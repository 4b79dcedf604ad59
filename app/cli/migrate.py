"""`agent-fix migrate`: the database's tables, brought up to date before the processes start."""

import typer

from workers.load_settings import load_settings, make_data_dir
from workers.settings import StoreSettings
from workers.store import open_store


def migrate() -> None:
    """Bring the database's tables up to date. The other processes do the same at their start."""
    settings = load_settings(StoreSettings)
    make_data_dir(settings)
    open_store(settings.effective_database_url).close()
    typer.echo("The database's tables are up to date.")
