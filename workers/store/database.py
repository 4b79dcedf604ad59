"""The engine, its transactions, and the border where SQLAlchemy's errors become ours."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, ExceptionContext, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, NoSuchModuleError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from repo_tools.errors import ConfigError
from workers.store.errors import StoreFaultError, StoreUnavailableError
from workers.store.prepared import DriverConnection

SETTING = "AGENT_FIX_DATABASE_URL"
WAIT_SECONDS = 5  # for a lock, a connection or a place in the pool; GitHub waits 10 s for the webhook's answer
_WHICH = f"The database is the one that {SETTING} names, or agent-fix.db in the data folder where it is not set."
READ_ONLY = "25006"  # SQLSTATE of a write that a standby refuses
UNAVAILABLE = (OperationalError, InterfaceError, PoolTimeoutError)
# A connection whose other end vanished without a word: Linux would wait for a quarter of an hour for an answer to what
# was sent, and two hours where nothing was. Within a quarter of a lease's 60 s (`lease_seconds`) it counts as cut, so
# that a renewal has time to go by a new one. Without effect on a unix socket.
# https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-KEEPALIVES-IDLE
_SILENCE = {
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15_000,
}


def make_engine(url: str | URL, lock_seconds: float = WAIT_SECONDS) -> Engine:
    """An engine for a SQLite or PostgreSQL URL, which waits so long for a lock. Make it after a fork, never before.

    SQLite's locks break when a process forks with an open connection (https://www.sqlite.org/howtocorrupt.html#_carrying_an_open_database_connection_across_a_fork_),
    and its file must lie on a local disk (https://www.sqlite.org/wal.html). ConfigError for any other kind of URL.
    """
    parsed = _parse(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed, lock_seconds)
    return _postgresql_engine(parsed, lock_seconds)


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that sees one state of the database and changes nothing. StoreUnavailableError."""
    with _border(engine), engine.begin() as connection:
        _begin_sqlite(connection.connection.dbapi_connection, "BEGIN")
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that holds SQLite's write lock from its start. StoreUnavailableError.

    A transaction that begins as a reader cannot always become a writer: https://www.sqlite.org/lang_transaction.html
    """
    with _border(engine), engine.begin() as connection:
        _begin_sqlite(connection.connection.dbapi_connection, "BEGIN IMMEDIATE")
        yield connection


@contextmanager
def writing_past_sqlalchemy(engine: Engine) -> Iterator[DriverConnection]:
    """The same on the driver's connection, which the webhook's few statements go through quicker."""
    with _border(engine):
        pooled = engine.raw_connection()
        try:
            driver: Any = pooled.driver_connection
            _begin_sqlite(driver, "BEGIN IMMEDIATE")
            yield driver
            driver.commit()
        except BaseException:
            pooled.invalidate()  # it may have been cut; what it began is rolled back
            raise
        pooled.close()


@contextmanager
def _border(engine: Engine) -> Iterator[None]:
    driver: Any = engine.dialect.loaded_dbapi  # whose own errors come from `writing_past_sqlalchemy`
    try:
        yield
    except (*UNAVAILABLE, driver.OperationalError, driver.InterfaceError) as error:
        unavailable = StoreUnavailableError(_without_values(error))
        unavailable.add_note(_WHICH)
        raise unavailable from None
    except (DBAPIError, driver.InternalError) as error:
        if _read_only(getattr(error, "orig", error)):
            raise StoreUnavailableError(f"the server takes no writes: {_without_values(error)}") from None
        raise StoreFaultError(f"{type(error).__name__}: {_without_values(error)}") from None


def _read_only(error: BaseException | None) -> bool:
    """The server was a primary, and is a standby since a failover."""
    return getattr(error, "sqlstate", None) == READ_ONLY


def _without_values(error: Exception) -> str:
    """The driver's first line: SQLAlchemy's own text holds the statement's values, an issue's body among them, and
    PostgreSQL quotes the row below it."""
    original = getattr(error, "orig", None) or error
    return str(original).split("\n", maxsplit=1)[0]


def _parse(url: str | URL) -> URL:
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):  # ValueError: a port that is no number
        raise ConfigError(SETTING, "is not a database URL", _REMEDY) from None
    if backend not in ("sqlite", "postgresql"):
        raise ConfigError(SETTING, f"names {backend}, which is not supported", _REMEDY)
    return parsed


_REMEDY = "Write postgresql://USER:PASSWORD@HOST/NAME or sqlite:////FOLDER/FILE.db."


def _sqlite_engine(url: URL, lock_seconds: float) -> Engine:
    if url.database in (None, "", ":memory:"):
        raise ConfigError(SETTING, "names a SQLite database without a file", _REMEDY)
    folder = Path(str(url.database)).parent
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        problem = f"its folder {folder} cannot be made ({error.strerror})"
        raise ConfigError(SETTING, problem, "Name a file in a folder that this user may write.") from None
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_timeout=WAIT_SECONDS,
        # Python's driver would open transactions by its own rules; None leaves them to `_begin_sqlite`.
        connect_args={"timeout": lock_seconds, "isolation_level": None},
    )
    event.listen(engine, "connect", _configure_new)
    return engine


def _configure_new(connection: sqlite3.Connection, _record: object) -> None:
    configure_sqlite(connection)


def configure_sqlite(connection: sqlite3.Connection) -> None:
    """What SQLite keeps for each connection rather than in the file."""
    connection.execute("PRAGMA foreign_keys = ON")
    # KiB, instead of 2,000: the kernel keeps the file's pages too.
    # https://www.sqlite.org/pragma.html#pragma_cache_size
    connection.execute("PRAGMA cache_size = -500")
    # No killed process loses a commit. A power cut may take the last ones, and leaves the file whole; FULL would wait
    # for the disk in every webhook. Where a power cut counts, use PostgreSQL.
    # https://www.sqlite.org/pragma.html#pragma_synchronous
    connection.execute("PRAGMA synchronous = NORMAL")


def _begin_sqlite(driver: Any, statement: str) -> None:
    """Past SQLAlchemy, whose event for this makes every statement of the engine slower."""
    if isinstance(driver, sqlite3.Connection):
        driver.execute(statement)


def _postgresql_engine(url: URL, lock_seconds: float) -> Engine:
    options = f"-c lock_timeout={round(lock_seconds * 1000)}ms"
    silence = {name: value for name, value in _SILENCE.items() if name not in url.query}
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        hide_parameters=True,
        pool_timeout=WAIT_SECONDS,
        pool_pre_ping=True,  # a connection that a failover cut is replaced before it is used
        connect_args={"connect_timeout": WAIT_SECONDS, "options": options, **silence},
    )
    event.listen(engine, "handle_error", _leave_a_standby)
    return engine


def _leave_a_standby(context: ExceptionContext) -> None:
    """Its connections live on: they are given up, so that the next ones are made to whoever is the primary now."""
    if _read_only(context.original_exception):
        context.is_disconnect = True
