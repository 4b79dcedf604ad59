"""Facts by git blob id, in one SQLite file. A cache: what is damaged or of another version is made again."""
# ruff: noqa: S608 - what the questions are put together from is a version of ours

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Self, TypeVar
from zlib import crc32

from repo_tools.repo_map.facts import Detail, Facts
from repo_tools.repo_map.index_file import DamagedError, is_damage, open_index, remove, table

INDEX_VERSION = 16
"""To be raised with every change of `Facts`, of `Detail` or of a query: an index of another version is not read."""

SPARE_ROWS = 200_000
SPARE_TREES = 4
"""Blobs that no longer stand in the tree are forgotten once there are this many times as many, and some more."""

_AT_ONCE = 500
Answer = TypeVar("Answer")


class IndexLostError(Exception):
    """The index was damaged, or keeps nothing any more. It is empty: what is asked of it has to be indexed again."""


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


def again_when_lost(answer: Callable[[], Answer]) -> Answer:
    """`answer()`, and from its beginning again when the index is lost on the way: once for each index."""
    while True:
        with suppress(IndexLostError):
            return answer()


class IndexStore:
    """Any number of processes may use one file. None as the file: in memory, gone with the object.

    Whatever is asked of one with a file may end in an IndexLostError: see `again_when_lost`. `losses` counts them.
    Where nothing can be kept in the file, all is kept in memory, and `notes` say why.
    """

    def __init__(self, file: Path | None = None, *, is_ours: bool = True, version: int = INDEX_VERSION) -> None:
        """ForeignFileError: unless `is_ours`, for a file that holds something else."""
        self.losses = 0
        self.notes: tuple[str, ...] = ()
        self._file = file
        self._version = version
        self._scan, self._detail = table("scan", version), table("detail", version)
        self._database = self._open(is_ours=is_ours)

    def known(self, keys: Iterable[str]) -> frozenset[str]:
        """Those of `keys` that there are facts of."""
        return frozenset(row[0] for row in self._rows(f"SELECT key FROM {self._scan}", keys))

    def scan(self, keys: Iterable[str]) -> Iterator[tuple[str, Scan]]:
        """(key, facts) of those that are known, in no order."""
        for key, *facts in self._sound(f"SELECT key, note, length, terms, counts, names, sum FROM {self._scan}", keys):
            yield key, Scan(*facts)

    def imports(self, keys: Iterable[str]) -> dict[str, str]:
        """By key, of those that are known."""
        return dict(self._sound(f"SELECT key, imports, imports_sum FROM {self._scan}", keys))

    def detail(self, keys: Iterable[str]) -> dict[str, Detail]:
        """By key, of those that are known."""
        rows = self._sound(f"SELECT key, definitions, pieces, is_slow, sum FROM {self._detail}", keys)
        return {key: Detail(definitions, pieces, bool(is_slow)) for key, definitions, pieces, is_slow in rows}

    def add(self, found: Iterable[tuple[str, Facts | None, Detail | None]]) -> None:
        """One transaction. What another process has added meanwhile is the same."""
        rows = list(found)
        scans = (_scan_row(key, facts) for key, facts, _ in rows if facts is not None)
        details = (_detail_row(key, detail) for key, _, detail in rows if detail is not None)
        with self._kept(), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany(f"INSERT OR IGNORE INTO {self._scan} VALUES (?,?,?,?,?,?,?,?,?)", scans)
            self._database.executemany(f"INSERT OR IGNORE INTO {self._detail} VALUES (?,?,?,?,?)", details)

    def forget_all_but(self, keys: Sequence[str]) -> None:
        """Where far more is known than `keys`."""
        with self._kept(), self._database:
            (rows,) = self._database.execute(f"SELECT count(*) FROM {self._scan}").fetchone()
            if rows <= SPARE_TREES * len(keys) + SPARE_ROWS:
                return
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute("CREATE TEMP TABLE kept (key TEXT PRIMARY KEY)")
            self._database.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((key,) for key in keys))
            self._database.execute(f"DELETE FROM {self._scan} WHERE key NOT IN (SELECT key FROM kept)")
            self._database.execute(f"DELETE FROM {self._detail} WHERE key NOT IN (SELECT key FROM kept)")
            self._database.execute("DROP TABLE kept")

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _sound(self, question: str, keys: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        """Rows whose last column is the checksum of the others, without it."""
        for *row, kept in self._rows(question, keys):
            if kept != _sum(row):
                self._lose(DamagedError("a row is not what was written"))
            yield tuple(row)

    def _rows(self, question: str, keys: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        rest = iter(keys)
        with self._kept():
            while some := tuple(islice(rest, _AT_ONCE)):
                asked = f"{question} WHERE key IN ({','.join('?' * len(some))})"
                yield from self._database.execute(asked, some).fetchall()  # not from the cursor: see `_lose`

    @contextmanager
    def _kept(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            self._lose(error)

    def _lose(self, error: sqlite3.DatabaseError) -> NoReturn:
        """Begin anew: a damaged file once, because then it is no accident; else in memory, which cannot be lost."""
        if self._file is None or isinstance(error, sqlite3.ProgrammingError):
            raise error
        self._database.close()
        if self.losses or not is_damage(error):
            self._keep_nothing(error)
        self.losses += 1
        self._database = self._open(is_ours=True, anew=True)
        raise IndexLostError from error

    def _open(self, *, is_ours: bool, anew: bool = False) -> sqlite3.Connection:
        try:
            if anew and self._file is not None:
                remove(self._file)
            return open_index(self._file, self._version, is_ours=is_ours)
        except (OSError, sqlite3.Error) as error:
            self._keep_nothing(error)
            return open_index(None, self._version, is_ours=True)

    def _keep_nothing(self, error: OSError | sqlite3.Error) -> None:
        why = error.strerror if isinstance(error, OSError) else error
        self.notes = (f"what was read is not kept: {why}",)
        self._file = None


def _scan_row(key: str, facts: Facts) -> tuple[Any, ...]:
    note, length, terms, counts, names, imports = facts
    return (*_with_sum(key, note, length, terms, counts, names), imports, _sum([key, imports]))


def _detail_row(key: str, detail: Detail) -> tuple[Any, ...]:
    return _with_sum(key, detail.definitions, detail.pieces, int(detail.is_slow))


def _with_sum(*row: Any) -> tuple[Any, ...]:
    return (*row, _sum(row))


def _sum(row: Iterable[Any]) -> int:
    """Not only a row's bytes may be damaged, but of what type they are, too."""
    found = 0
    for value in row:
        found = crc32(value if isinstance(value, bytes) else str(value).encode(), found)
    return found
