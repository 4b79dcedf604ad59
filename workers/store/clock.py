"""Time by the database's clock, so that workers on machines whose clocks differ agree about leases.

Times are kept as seconds since 1970 in UTC, a double: the one form in which SQLite and PostgreSQL reckon alike.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Double, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class now(FunctionElement[float]):  # noqa: N801 - reads as the SQL function that it is
    """The database's time in seconds since 1970."""

    type = Double()
    inherit_cache = True


@compiles(now, "sqlite")
def _sqlite_now(_element: now, _compiler: SQLCompiler, **_options: Any) -> str:
    # unixepoch('subsec') came with SQLite 3.42; Debian 12 has 3.40.
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(now, "postgresql")
def _postgresql_now(_element: now, _compiler: SQLCompiler, **_options: Any) -> str:
    # now() would be the start of the transaction, which may have waited for a lock.
    return "extract(epoch from clock_timestamp())::double precision"


def read_time(connection: Connection) -> datetime:
    return from_seconds(connection.execute(select(now())).scalar_one())


def to_seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def from_seconds(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def from_seconds_or_none(seconds: float | None) -> datetime | None:
    return None if seconds is None else from_seconds(seconds)
