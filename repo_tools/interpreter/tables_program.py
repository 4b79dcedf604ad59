"""Runs inside a box (Python 3.8 or later, standard library only): one query on the data; reads a question, writes an
answer.

Each CSV or TSV file is a table, kept in a database from query to query as long as the files stay the same; each SQLite
file is a schema of its own, opened for reading only.
"""

from __future__ import annotations

import csv
import json
import os
import re
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from repo_tools.interpreter.separated import GUESSED, NUMBER, SEPARATED, body, fitted, form_of, guess, rows_of, stored

SQLITE_MAGIC = b"SQLite format 3\0"
MAX_SCHEMAS = 10  # https://www.sqlite.org/limits.html, number 11
BATCH_ROWS = 5_000
MANY_LINES = 100
MOST_COLUMNS = 2_000  # https://www.sqlite.org/limits.html, number 2
RESERVED = re.compile("sqlite_", re.IGNORECASE)  # https://www.sqlite.org/fileformat2.html, section 2.6
TABLE_PREFIX = "table_"
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
    store, problems, is_new = loaded(with_tables, folder, question["store"])
    connection = sqlite3.connect("file:" + quote(store) + "?mode=ro", uri=True)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    databases = [path for path in paths if is_sqlite(path)]
    problems += attach(databases, connection)
    others = [f"{path.name}: no table; see run_python" for path in sorted({*paths} - {*with_tables, *databases})]
    listing = tables(connection) + problems + others
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
    more = len(rows) > question["max_rows"]
    return {"columns": columns, "rows": shown[: question["max_rows"]], "more": more, "doubts": problems * is_new}


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
    """What is wrong with files that have no schema. One that is damaged leaves the others as they are."""
    taken = {"main", "temp"}
    problems = []
    for path in paths[:MAX_SCHEMAS]:
        name = new_name(path.stem, taken)
        try:
            connection.execute(f"ATTACH ? AS {quoted(name)}", ("file:" + quote(str(path)) + "?mode=ro&immutable=1",))
            connection.execute(f"SELECT count(*) FROM {quoted(name)}.sqlite_master")  # noqa: S608
        except sqlite3.Error as error:
            problems.append(f"{path.name}: {error}")
            with suppress(sqlite3.Error):
                connection.execute(f"DETACH {quoted(name)}")
    left = paths[MAX_SCHEMAS:]
    return problems + [
        f"{path.name}: only {MAX_SCHEMAS} database files can be asked at once; see run_python" for path in left
    ]


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


def loaded(paths: list[Path], folder: Path, store: str) -> tuple[str, list[str], bool]:
    """The database that holds `paths` as tables, the one at `store`, or made anew where it holds others; what is wrong
    with them, or with files that are no table; and whether it was made now."""
    states = [(str(path.relative_to(folder)), path.stat()) for path in paths]
    state = [[name, stat.st_size, stat.st_mtime_ns] for name, stat in states]
    mark = Path(store + ".state")
    known = json.loads(mark.read_text()) if Path(store).exists() and mark.exists() else {}
    is_new = known.get("state") != state
    if is_new:
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
    return store, known["problems"], is_new


def filled(connection: sqlite3.Connection, paths: list[Path]) -> list[str]:
    """A file that cannot be read leaves the others as they are."""
    taken: set[str] = set()
    problems = []
    for path in paths:
        table = new_name(TABLE_PREFIX + path.stem if RESERVED.match(path.stem) else path.stem, taken)
        connection.execute("SAVEPOINT file")
        try:
            problems += [f"{path.name}: {remark}" for remark in load(connection, path, table)]
        except (sqlite3.Error, csv.Error, OSError, ValueError) as error:
            connection.execute("ROLLBACK TO file")
            problems.append(f"{path.name}: {error}")
        connection.execute("RELEASE file")
    return problems


def load(connection: sqlite3.Connection, path: Path, table: str) -> list[str]:
    """One file: looked through once for the types of its columns, then read in. A value that is empty is NULL. What
    makes it doubtful that it was read as it was meant comes back."""
    written = form_of(path)
    header = next(rows_of(path, written), None)
    if header is None:
        raise ValueError("holds no rows")
    kinds, numbered = guess(path, written, len(header))
    if numbered:
        header = ["", *header]
    header += [""] * (len(kinds) - len(header))
    if len(header) > MOST_COLUMNS:
        raise ValueError(f"has {len(header):,} columns, and a table no more than {MOST_COLUMNS:,}; see run_python")
    taken: set[str] = set()
    columns = [new_name(name.strip() or f"column_{number}", taken) for number, name in enumerate(header, 1)]
    told = ", ".join(f"{quoted(column)} {kind.partition(' ')[0]}" for column, kind in zip(columns, kinds))  # noqa: B905 - Python 3.10
    connection.execute(f"CREATE TABLE {quoted(table)} ({told})")
    places = ", ".join("?" * len(columns))
    batch = []
    swallowed = False
    for row in body(path, written):
        swallowed = swallowed or any(value.count("\n") > MANY_LINES for value in row)
        batch.append([stored(*pair) for pair in zip(fitted(row, len(columns)), kinds)])  # noqa: B905
        if len(batch) == BATCH_ROWS:
            connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({places})", batch)  # noqa: S608
            batch = []
    connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({places})", batch)  # noqa: S608
    remarks = []
    if sum(map(bool, header)) * 2 <= len(header):
        remarks.append("most columns have no name in its first line: a title, or a comment, above the header?")
    if all(NUMBER.fullmatch(name.strip()) for name in header):
        remarks.append("its first line holds numbers alone, taken as the columns' names: no header?")
    if swallowed:
        remarks.append(f"one of its values has more than {MANY_LINES} lines: a quote that is not closed?")
    if written.encoding in GUESSED:
        remarks.append(f"is no UTF-8; read as {written.encoding}: look at its letters")
    return remarks


def new_name(name: str, taken: set[str]) -> str:
    """`name`, with a number where SQLite would take it for one that is there already."""
    wanted, number = name, 2
    while wanted.lower() in taken:
        wanted, number = f"{name}_{number}", number + 1
    taken.add(wanted.lower())
    return wanted


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def main() -> None:
    json.dump(answer(json.load(sys.stdin)), sys.stdout)
