"""Facts by git blob id, in one SQLite file. A cache: what is damaged or of another version is made again."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from repo_tools.repo_map.facts import Detail, Facts

INDEX_VERSION = 7
"""To be raised with every change of `Facts`, of `Detail` or of a query: an index of another version is not read."""

SPARE_ROWS = 200_000
SPARE_TREES = 4
"""Blobs that no longer stand in the tree are forgotten once there are this many times as many, and some more."""

_BUSY_SECONDS = 30.0
_AT_ONCE = 500
_SCHEMA = """
CREATE TABLE scan (key TEXT PRIMARY KEY, note TEXT, length INTEGER, terms BLOB, counts BLOB, names BLOB, imports TEXT);
CREATE TABLE detail (key TEXT PRIMARY KEY, definitions BLOB, pieces BLOB, is_slow INTEGER);
"""


class Scan(NamedTuple):
    """The part of `Facts` that is looked at for every file of a tree."""

    note: str
    length: int
    terms: bytes
    counts: bytes
    names: bytes


def key_of(blob_id: str, language: str) -> str:
    """The same bytes are other facts in another language."""
    return f"{blob_id}{language}"


class IndexStore:
    """Any number of processes may use one file. None as the file: in memory, gone with the object."""

    def __init__(self, file: Path | None = None) -> None:
        """OSError where the file's folder cannot be made."""
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
        self._file = file
        self._database = self._open()

    def known(self, keys: Iterable[str]) -> frozenset[str]:
        """Those of `keys` that there are facts of."""
        return frozenset(row[0] for row in self._rows("SELECT key FROM scan WHERE key IN", keys))

    def scan(self, keys: Iterable[str]) -> Iterator[tuple[str, Scan]]:
        """(key, facts) of those that are known, in no order."""
        for row in self._rows("SELECT key, note, length, terms, counts, names FROM scan WHERE key IN", keys):
            yield row[0], Scan(*row[1:])

    def imports(self, keys: Iterable[str]) -> dict[str, str]:
        """By key, of those that are known."""
        return dict(self._rows("SELECT key, imports FROM scan WHERE key IN", keys))

    def detail(self, keys: Iterable[str]) -> dict[str, Detail]:
        """By key, of those that are known."""
        rows = self._rows("SELECT key, definitions, pieces, is_slow FROM detail WHERE key IN", keys)
        return {key: Detail(definitions, pieces, bool(is_slow)) for key, definitions, pieces, is_slow in rows}

    def add(self, found: Iterable[tuple[str, Facts | None, Detail | None]]) -> None:
        """One transaction. What another process has added meanwhile is the same."""
        rows = list(found)
        scans = ((key, *facts) for key, facts, _ in rows if facts is not None)
        details = ((key, *detail) for key, _, detail in rows if detail is not None)
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("INSERT OR IGNORE INTO scan VALUES (?,?,?,?,?,?,?)", scans)
            self._database.executemany("INSERT OR IGNORE INTO detail VALUES (?,?,?,?)", details)

    def forget_all_but(self, keys: Sequence[str]) -> None:
        """Where far more is known than `keys`."""
        (rows,) = self._database.execute("SELECT count(*) FROM scan").fetchone()
        if rows <= SPARE_TREES * len(keys) + SPARE_ROWS:
            return
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute("CREATE TEMP TABLE kept (key TEXT PRIMARY KEY)")
            self._database.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((key,) for key in keys))
            self._database.execute("DELETE FROM scan WHERE key NOT IN (SELECT key FROM kept)")
            self._database.execute("DELETE FROM detail WHERE key NOT IN (SELECT key FROM kept)")
            self._database.execute("DROP TABLE kept")

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _rows(self, question: str, keys: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        rest = iter(keys)
        while some := tuple(islice(rest, _AT_ONCE)):
            yield from self._database.execute(f"{question} ({','.join('?' * len(some))})", some)

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connected()
        except sqlite3.OperationalError:
            raise  # busy, or a folder that cannot be written: nothing is wrong with what is in there
        except sqlite3.DatabaseError:
            for suffix in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    Path(f"{self._file}{suffix}").unlink()
            return self._connected()

    def _connected(self) -> sqlite3.Connection:
        database = sqlite3.connect(
            self._file or ":memory:", timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = OFF")
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version != INDEX_VERSION:
                _make(database)
        except sqlite3.DatabaseError:
            database.close()
            raise
        return database


def _make(database: sqlite3.Connection) -> None:
    """Only one process makes the tables; the others wait and find them made."""
    database.execute("BEGIN IMMEDIATE")
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version != INDEX_VERSION:
        for table in ("scan", "detail"):
            database.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in _SCHEMA.strip().split("\n"):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {INDEX_VERSION}")
    database.execute("COMMIT")
