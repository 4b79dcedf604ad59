"""Runs inside a box (Python 3.8 or later, standard library only): one query on the data; reads a question, writes an
answer.

Each CSV or TSV file is a table, kept in a database from query to query as long as the files stay the same; each SQLite
file is a schema of its own, opened for reading only.
"""

from __future__ import annotations

import codecs
import csv
import json
import os
import re
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

SEPARATED = {".csv": ",;\t|", ".tsv": "\t", ".tab": "\t"}
SQLITE_MAGIC = b"SQLite format 3\0"
MAX_SCHEMAS = 10  # https://www.sqlite.org/limits.html, number 11
BATCH_ROWS = 5_000
RESERVED = re.compile("sqlite_", re.IGNORECASE)  # https://www.sqlite.org/fileformat2.html, section 2.6
TABLE_PREFIX = "table_"
WHOLE = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})")
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
ZERO_FIRST = re.compile(r"[+-]?0\d")  # postal codes and the like are no numbers
ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    getattr(sqlite3, "SQLITE_RECURSIVE", 33),
}


def answer(question: dict[str, Any]) -> dict[str, Any]:
    folder = Path(question["folder"])
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    with_tables = [path for path in paths if path.suffix.lower() in SEPARATED]
    store, problems = loaded(with_tables, folder, question["store"])
    connection = sqlite3.connect("file:" + quote(store) + "?mode=ro", uri=True)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    problems += attach([path for path in paths if is_sqlite(path)], connection)
    listing = tables(connection) + problems
    connection.set_authorizer(authorize)
    try:
        cursor = connection.execute(question["query"])
        rows = cursor.fetchmany(question["max_rows"] + 1)
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        return {"problem": str(error), "tables": listing}
    if cursor.description is None:
        return {"problem": "only queries that read are answered", "tables": listing}
    columns = [column[0] for column in cursor.description]
    shown = [[shown_value(value, question["max_characters"]) for value in row] for row in rows]
    return {"columns": columns, "rows": shown[: question["max_rows"]], "more": len(rows) > question["max_rows"]}


def authorize(action: int, *names: str | None) -> int:
    if action in ALLOWED and names[1] != "load_extension":
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def shown_value(value: Any, limit: int) -> str:
    if value is None:
        return "NULL"
    text = "x'" + value[:limit].hex() + "'" if isinstance(value, bytes) else str(value)
    return text if len(text) <= limit else text[:limit] + "..."


def is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except OSError:
        return False


def attach(paths: list[Path], connection: sqlite3.Connection) -> list[str]:
    """What is wrong with files that have no schema."""
    taken = {"main", "temp"}
    for path in paths[:MAX_SCHEMAS]:
        name = new_name(path.stem, taken)
        connection.execute(f"ATTACH ? AS {quoted(name)}", ("file:" + quote(str(path)) + "?mode=ro&immutable=1",))
    left = paths[MAX_SCHEMAS:]
    return [f"{path.name}: only {MAX_SCHEMAS} database files can be asked at once; see run_python" for path in left]


def tables(connection: sqlite3.Connection) -> list[str]:
    """``name(column TYPE, ...)`` of every table and view."""
    found = []
    for _, schema, _ in connection.execute("PRAGMA database_list").fetchall():
        try:
            names = connection.execute(
                f"SELECT name FROM {quoted(schema)}.sqlite_master WHERE type IN ('table', 'view') ORDER BY name"  # noqa: S608
            ).fetchall()
            for (name,) in names:
                columns = connection.execute(f"PRAGMA {quoted(schema)}.table_info({quoted(name)})").fetchall()
                told = ", ".join(f"{quoted(column[1])} {column[2]}".strip() for column in columns)
                prefix = "" if schema == "main" else quoted(schema) + "."
                found.append(f"{prefix}{quoted(name)}({told})")
        except sqlite3.Error as error:
            found.append(f"{schema}: {error}")
    return found


def loaded(paths: list[Path], folder: Path, store: str) -> tuple[str, list[str]]:
    """The database that holds `paths` as tables, the one at `store`, or made anew where it holds others; and what is
    wrong with files that are no table."""
    states = [(str(path.relative_to(folder)), path.stat()) for path in paths]
    state = [[name, stat.st_size, stat.st_mtime_ns] for name, stat in states]
    mark = Path(store + ".state")
    known = json.loads(mark.read_text()) if Path(store).exists() and mark.exists() else None
    if known is None or known["state"] != state:
        making = store + ".making"
        for old in (store, making, str(mark)):
            if os.path.exists(old):
                os.remove(old)
        connection = sqlite3.connect(making, isolation_level=None)
        connection.executescript("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; BEGIN;")
        known = {"state": state, "problems": filled(connection, paths)}
        connection.execute("COMMIT")
        connection.close()
        os.rename(making, store)
        mark.write_text(json.dumps(known))
    return store, known["problems"]


def filled(connection: sqlite3.Connection, paths: list[Path]) -> list[str]:
    """A file that cannot be read leaves the others as they are."""
    taken: set[str] = set()
    problems = []
    for path in paths:
        table = new_name(TABLE_PREFIX + path.stem if RESERVED.match(path.stem) else path.stem, taken)
        connection.execute("SAVEPOINT file")
        try:
            load(connection, path, table)
        except (sqlite3.Error, csv.Error, OSError, ValueError) as error:
            connection.execute("ROLLBACK TO file")
            problems.append(f"{path.name}: {error}")
        connection.execute("RELEASE file")
    return problems


def load(connection: sqlite3.Connection, path: Path, table: str) -> None:
    """One file: looked through once for the types of its columns, then read in. A value that is empty is NULL."""
    header = next(rows_of(path), None)
    if header is None:
        return
    kinds, numbered = guess(path, len(header))
    if numbered:
        header = ["", *header]
    header += [""] * (len(kinds) - len(header))
    taken: set[str] = set()
    columns = [new_name(name.strip() or f"column_{number}", taken) for number, name in enumerate(header, 1)]
    told = ", ".join(f"{quoted(column)} {kind}" for column, kind in zip(columns, kinds))  # noqa: B905 - Python 3.10
    connection.execute(f"CREATE TABLE {quoted(table)} ({told})")
    places = ", ".join("?" * len(columns))
    batch = []
    for row in body(path):
        batch.append([None if not value.strip() else value for value in fitted(row, len(columns))])
        if len(batch) == BATCH_ROWS:
            connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({places})", batch)  # noqa: S608
            batch = []
    connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({places})", batch)  # noqa: S608


def guess(path: Path, named: int) -> tuple[list[str], bool]:
    """INTEGER, REAL or TEXT, by every value of a column: of those with a name, and of those beyond them that hold a
    value somewhere. And whether the names begin one column later, as R writes tables whose rows have names."""
    whole, number, seen = [True] * named, [True] * named, [False] * named
    all_longer = True
    for row in body(path):
        all_longer = all_longer and len(row) == named + 1
        for place, value in enumerate(row):
            if place == len(seen):
                whole.append(True)
                number.append(True)
                seen.append(False)
            text = value.strip()
            if text:
                seen[place] = True
            if text and number[place]:
                number[place] = NUMBER.fullmatch(text) is not None and not ZERO_FIRST.match(text)
                whole[place] = whole[place] and WHOLE.fullmatch(text) is not None
    columns = max([named, *(place + 1 for place, is_seen in enumerate(seen) if is_seen)])
    kinds = ["TEXT" if not (seen[n] and number[n]) else "INTEGER" if whole[n] else "REAL" for n in range(columns)]
    return kinds, all_longer and columns == named + 1


def fitted(row: list[str], columns: int) -> list[str]:
    return (row + [""] * (columns - len(row)))[:columns]


def body(path: Path) -> Iterator[list[str]]:
    rows = rows_of(path)
    next(rows, None)
    return rows


def rows_of(path: Path) -> Iterator[list[str]]:
    """Lines that hold nothing are passed over."""
    encoding = encoding_of(path)
    with path.open(encoding=encoding, newline="") as file:
        first = file.readline()
        file.seek(0)
        delimiters = SEPARATED[path.suffix.lower()]
        delimiter = max(delimiters, key=lambda one: (first.count(one), -delimiters.index(one)))
        for row in csv.reader(file, delimiter=delimiter):
            if any(row):
                yield row


def encoding_of(path: Path) -> str:
    """By its mark, or UTF-8, or else the one that takes any byte."""
    with path.open("rb") as raw:
        if raw.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
    try:
        with path.open(encoding="utf-8-sig") as file:
            while file.read(1 << 20):
                pass
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8-sig"


def new_name(name: str, taken: set[str]) -> str:
    """`name`, with a number where SQLite would take it for one that is there already."""
    wanted, number = name, 2
    while wanted.lower() in taken:
        wanted, number = f"{name}_{number}", number + 1
    taken.add(wanted.lower())
    return wanted


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


csv.field_size_limit(1 << 30)
json.dump(answer(json.load(sys.stdin)), sys.stdout)
