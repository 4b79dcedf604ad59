"""Bring a database to this release's schema. Harmless when repeated, also by several processes at once."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from repo_tools.errors import ConfigError
from workers.store.database import SETTING, WAIT_SECONDS, make_engine, writing
from workers.store.errors import StoreUnavailableError

MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATION_WAIT_SECONDS = 60.0  # for another process that migrates; a webhook could not wait so long
READ_ONLY = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_READONLY_DIRECTORY)  # the others of its kind pass by themselves
LOCK_KEY = 0x6167656E  # any number that nobody else of this database uses


def migrate(engine: Engine, wait_seconds: float = MIGRATION_WAIT_SECONDS) -> None:
    """Run the migrations that are missing, in one transaction under a lock, which is waited for so long, as is SQLite's
    file before it. StoreUnavailableError, ConfigError."""
    if engine.dialect.name == "sqlite":
        _use_write_ahead_log(str(engine.url.database), wait_seconds)
    patient = make_engine(engine.url, wait_seconds)
    try:
        _upgrade_alone(patient)
    finally:
        patient.dispose()


def _upgrade_alone(engine: Engine) -> None:
    with writing(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
            # For a table as ever: whoever asks for it queues behind a change that waits.
            connection.execute(text(f"set local lock_timeout = '{WAIT_SECONDS}s'"))
        _upgrade(connection)


def alembic_config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection) -> None:
    config = alembic_config(connection)
    known = ScriptDirectory.from_config(config)
    present = MigrationContext.configure(connection).get_current_revision()
    if present == known.get_current_head():
        return
    if present is not None and present not in {script.revision for script in known.walk_revisions()}:
        raise ConfigError(SETTING, "was written by a newer agent-fix", "Start that release")
    command.upgrade(config, "head")


def _use_write_ahead_log(path: str, wait_seconds: float) -> None:
    """The mode stays with the file. Switching to it does not wait for a lock, so this does."""
    deadline = time.monotonic() + wait_seconds
    with closing(sqlite3.connect(path, timeout=min(WAIT_SECONDS, wait_seconds), isolation_level=None)) as connection:
        while refusal := _refusal_of_write_ahead_log(connection):
            if refusal.sqlite_errorcode in READ_ONLY:
                raise ConfigError(SETTING, f"{path} is read-only", "Let this user write the file and its folder.")
            if time.monotonic() > deadline:
                raise StoreUnavailableError(
                    f"{path} got no write-ahead log within {wait_seconds:g} s ({refusal}). Stop the other process that "
                    "holds the file, see that its disk has room, and start again"
                )
            time.sleep(0.02)


def _refusal_of_write_ahead_log(connection: sqlite3.Connection) -> sqlite3.OperationalError | None:
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        return error
    return None
