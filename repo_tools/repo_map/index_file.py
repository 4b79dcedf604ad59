"""The SQLite file of an index: told from other files, made where it is missing, made anew where it is damaged."""

import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

APPLICATION_ID = 0x4166_4D70
"""In the file's header (https://sqlite.org/fileformat.html#application_id): tells our files from anybody else's."""

_MAGIC = b"SQLite format 3\0"
_APPLICATION_ID_AT = 68
_BUSY_SECONDS = 30.0
_SHORT_READ = 522  # SQLITE_IOERR_SHORT_READ
_DAMAGE = frozenset({11, 26})  # SQLITE_CORRUPT, SQLITE_NOTADB: https://sqlite.org/rescode.html
_COLUMNS = {
    "scan": "key TEXT PRIMARY KEY, note TEXT, length INTEGER, terms BLOB, counts BLOB, names BLOB, sum INTEGER,"
    " imports TEXT, imports_sum INTEGER",
    "detail": "key TEXT PRIMARY KEY, definitions BLOB, pieces BLOB, is_slow INTEGER, sum INTEGER",
}
_TABLE = r"(?:scan|detail)(?:_([0-9]+))?"
_UNMARKED_VERSIONS = range(3, 8)
_UNMARKED = {"scan": "CREATE TABLE scan (key TEXT PRIMARY KEY,", "detail": "CREATE TABLE detail (key TEXT PRIMARY KEY,"}
"""Versions without `APPLICATION_ID` are known by their tables."""


class ForeignFileError(Exception):
    """A file that somebody named for the index is neither empty nor an index."""


class DamagedError(sqlite3.DatabaseError):
    """A row is not what was written."""


def open_index(file: Path | None, version: int, *, is_ours: bool) -> sqlite3.Connection:
    """With the tables of that version (see `table`); in memory without a file. Any number of processes may have one
    file open. Unless `is_ours`, somebody named the file.

    Raises ForeignFileError; OSError and sqlite3.Error where no index can be kept there.
    """
    if file is None:
        return _opened(":memory:", version)
    if not (is_ours or _is_index(file)):
        raise ForeignFileError(str(file))
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _opened(str(file), version)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
    remove(file)
    return _opened(str(file), version)


def table(name: str, version: int) -> str:
    """Processes of two versions may have one file open: each has tables of its own."""
    return f"{name}_{version}"


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether something is wrong with what is in the file, rather than with the disk or with who may write."""
    if isinstance(error, sqlite3.ProgrammingError):
        return False
    code = getattr(error, "sqlite_errorcode", None)  # without one: a text that is none
    return code is None or code == _SHORT_READ or code & 0xFF in _DAMAGE


def remove(file: Path) -> None:
    """An index, with what belongs to it. Harmless to processes that have it open."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{file}{suffix}").unlink()


def _is_index(file: Path) -> bool:
    """Or nothing yet. Of a damaged one the header must tell."""
    if not file.exists():
        return True
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        header = opened.read(_APPLICATION_ID_AT + 4)
    if not header.startswith(_MAGIC):
        return not header
    if int.from_bytes(header[_APPLICATION_ID_AT:], "big") == APPLICATION_ID:
        return True
    try:
        with closing(sqlite3.connect(file, timeout=_BUSY_SECONDS)) as database:
            return _is_recognised(database)
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return False
        raise


def _is_recognised(database: sqlite3.Connection) -> bool:
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    made = dict(database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    if application or not made:
        return application in (0, APPLICATION_ID)
    return (
        version in _UNMARKED_VERSIONS
        and made.keys() == _UNMARKED.keys()
        and all(made[name].startswith(beginning) for name, beginning in _UNMARKED.items())
    )


def _opened(file: str, version: int) -> sqlite3.Connection:
    database = sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        database.execute("PRAGMA synchronous = OFF")
        if database.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")  # before WAL: stands in the file at once
        database.execute("PRAGMA journal_mode = WAL")
        if not {table(name, version) for name in _COLUMNS} <= _tables(database):
            _make(database, version)
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


def _make(database: sqlite3.Connection, version: int) -> None:
    """Only one process makes the tables; the others wait and find them made. Those of older versions go."""
    database.execute("BEGIN IMMEDIATE")
    for name in _tables(database):
        made = re.fullmatch(_TABLE, name)
        if made and int(made[1] or 0) < version:
            database.execute(f"DROP TABLE {name}")
    for name, columns in _COLUMNS.items():
        database.execute(f"CREATE TABLE IF NOT EXISTS {table(name, version)} ({columns})")
    database.execute("PRAGMA user_version = 0")  # a version that goes by this number makes tables of its own
    database.execute("COMMIT")


def _tables(database: sqlite3.Connection) -> set[str]:
    return {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
