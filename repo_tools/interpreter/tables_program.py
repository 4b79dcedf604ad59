"""Runs inside a box (Python 3.8 or later, standard library only): one query on the data; reads a question, writes an
answer.

Each CSV or TSV file is a table, kept in a database from query to query as long as the file stays the same; each SQLite
file is a schema of its own, opened for reading only.
"""

from __future__ import annotations

import csv
import json
import os
import re
import sqlite3
import sys
import time
import zlib
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import accumulate, islice, zip_longest
from pathlib import Path
from typing import Any
from urllib.parse import quote

from repo_tools.interpreter.separated import (
    GUESSED,
    NUMBER,
    SEPARATED,
    TEXT,
    Form,
    Guess,
    SlowError,
    batches,
    body,
    form_of,
    guess,
    name_of,
    rows_of,
    stored,
)

SQLITE_MAGIC = b"SQLite format 3\0"
SQLITE_NAMES = {".db", ".db3", ".sqlite", ".sqlite3"}
MAX_SCHEMAS = 10  # https://www.sqlite.org/limits.html, number 11
HIDDEN = 1  # https://www.sqlite.org/pragma.html#pragma_table_xinfo
MANY_LINES = 100
MOST_COLUMNS_NAMED = 5
MOST_CHARACTERS_NAMED = 40
MOST_COLUMNS = 2_000  # https://www.sqlite.org/limits.html, number 2
RESERVED = re.compile("sqlite_", re.IGNORECASE)  # https://www.sqlite.org/fileformat2.html, section 2.6
TABLE_PREFIX = "table_"
MOST_TRIES = 2  # of a file: what ends the process once may have been another's want of memory
ENDS_READING = "is no table: reading it takes more memory or time than there is; see run_python"
ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    getattr(sqlite3, "SQLITE_RECURSIVE", 33),
}
READING_PRAGMAS = {  # https://www.sqlite.org/pragma.html; the first one is what full-text search asks
    "data_version", "database_list", "foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info",
    "table_list", "table_xinfo",
}  # fmt: skip
REFUSALS = ("not authorized", "authorization denied", "one statement")
READING_ONLY = "only one query that reads is answered"


def answer(question: dict[str, Any]) -> dict[str, Any]:
    folder = Path(question["folder"])
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    with_tables = [path for path in paths if name_of(path).suffix.lower() in SEPARATED]
    problems, is_new = loaded(with_tables, folder, question["store"], question["reading_seconds"])
    connection = sqlite3.connect("file:" + quote(question["store"]) + "?mode=ro", uri=True)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    databases = [path for path in paths if is_sqlite(path)]
    problems += attach(databases, connection)
    others = [
        f"{path.name}: {no_table(path)}; see run_python" for path in sorted({*paths} - {*with_tables, *databases})
    ]
    listing = tables(connection) + problems + others
    connection.set_authorizer(authorize)
    deadline = time.monotonic() + question["seconds"]
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
    try:
        cursor = connection.execute(question["query"])
        rows = cursor.fetchmany(question["max_rows"] + 1)
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        if time.monotonic() > deadline:
            return {"problem": f"the query took longer than {question['seconds']:.0f} seconds", "tables": None}
        refused = any(word in str(error) for word in REFUSALS)
        return {"problem": f"{READING_ONLY} ({error})" if refused else str(error), "tables": listing}
    if cursor.description is None:
        return {"problem": READING_ONLY, "tables": listing}
    columns = [column[0] for column in cursor.description]
    shown = [[shown_value(value, question["max_characters"]) for value in row] for row in rows[: question["max_rows"]]]
    sizes = accumulate(sum(map(len, row)) for row in shown)
    kept = shown[: max(1, sum(size <= question["max_total_characters"] for size in sizes))]
    return {"columns": columns, "rows": kept, "more": len(rows) > len(kept), "doubts": problems * is_new}


def authorize(action: int, *names: str | None) -> int:
    """What a virtual table does to be there (full-text search, json_each) looks like an alteration of the schema; the
    connection alters nothing."""
    allowed = (
        (action in ALLOWED and names[1] != "load_extension")
        or (action == sqlite3.SQLITE_PRAGMA and str(names[0]).lower() in READING_PRAGMAS)
        or (action == sqlite3.SQLITE_UPDATE and names[0] == "sqlite_master")
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


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


def no_table(path: Path) -> str:
    return "no SQLite file, or an encrypted one" if path.suffix.lower() in SQLITE_NAMES else "no table"


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
                columns = connection.execute(f"PRAGMA {quoted(schema)}.table_xinfo({quoted(name)})").fetchall()
                told = ", ".join(f"{quoted(one[1])} {one[2]}".strip() for one in columns if one[6] != HIDDEN)
                prefix = "" if schema == "main" else quoted(schema) + "."
                found.append(f"{prefix}{quoted(name)}({told})")
        except sqlite3.Error as error:
            found.append(f"{schema}: {error}")
    return found


def loaded(paths: list[Path], folder: Path, store: str, seconds: float) -> tuple[list[str], bool]:
    """Make the database at `store` hold `paths` as tables: those that are new or altered are read, each as a whole, as
    long as there is time. What is wrong with them, or with files that are no table; and whether any was read now."""
    deadline = time.monotonic() + seconds
    mark = Path(store + ".state")
    known: dict[str, Any] = json.loads(mark.read_text()) if os.path.exists(store) and mark.exists() else {}
    states = {str(path.relative_to(folder)): [path.stat().st_size, path.stat().st_mtime_ns] for path in paths}
    gone = [name for name, file in known.items() if states.get(name) != file["state"]]
    done = {name for name, file in known.items() if file.get("begun", MOST_TRIES) >= MOST_TRIES} - {*gone}
    new = [path for path in paths if str(path.relative_to(folder)) not in done]
    if gone or new or not os.path.exists(store) or os.path.exists(store + "-journal"):  # of a process that was killed
        connection = sqlite3.connect(store, isolation_level=None)
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA user_version = 1")  # makes the file
        for name in gone:
            connection.execute(f"DROP TABLE IF EXISTS {quoted(known.pop(name)['table'])}")
        for path in new:
            if time.monotonic() < deadline:
                name = str(path.relative_to(folder))
                begun = known.pop(name, {}).get("begun", 0) + 1
                told = {"table": "", "problems": [f"{path.name}: {ENDS_READING}"], "begun": begun}
                keep({**known, name: {"state": states[name], **told}}, mark)
                known[name] = {"state": states[name], **filled(connection, path, known, (deadline, seconds))}
            keep(known, mark)
        connection.close()
    problems = [remark for name in sorted(known) for remark in known[name]["problems"]]
    late = [path for path in new if "begun" in known.get(str(path.relative_to(folder)), {"begun": 0})]
    return problems + [f"{path.name}: there was no time to read it: ask again" for path in late], bool(gone or new)


def keep(known: dict[str, Any], mark: Path) -> None:
    making = Path(str(mark) + ".making")
    making.write_text(json.dumps(known))
    making.replace(mark)


def filled(
    connection: sqlite3.Connection, path: Path, known: dict[str, Any], time_left: tuple[float, float]
) -> dict[str, Any]:
    """The table of one file, and what is to be said of it. One that cannot be read leaves the others as they are."""
    stem = name_of(path).stem
    taken = {str(file["table"]).lower() for file in known.values()}
    table = new_name(TABLE_PREFIX + stem if RESERVED.match(stem) else stem, taken)
    connection.execute("BEGIN")
    try:
        connection.execute(f"DROP TABLE IF EXISTS {quoted(table)}")  # of a process that was killed
        remarks = load(connection, path, table, time_left[0])
    except SlowError:
        connection.execute("ROLLBACK")
        remarks = [f"is no table: reading it takes longer than {time_left[1]:.0f} seconds; see run_python"]
    except (sqlite3.Error, csv.Error, OSError, EOFError, zlib.error, ValueError, MemoryError) as error:
        connection.execute("ROLLBACK")
        remarks = [str(error) or ENDS_READING]
    else:
        connection.execute("COMMIT")
    return {"table": table, "problems": [f"{path.name}: {remark}" for remark in remarks]}


def load(connection: sqlite3.Connection, path: Path, table: str, deadline: float) -> list[str]:
    """One file: looked through once for the types of its columns, then read in. A value that is empty is NULL. What
    makes it doubtful that it was read as it was meant comes back. SlowError."""
    written = form_of(path, deadline)
    header = next(rows_of(path, written), None)
    if header is None:
        raise ValueError("holds no rows")
    guessed = guess(path, written, len(header), deadline)
    if guessed.numbered:
        header = ["", *header]
    header += [""] * (len(guessed.kinds) - len(header))
    if len(header) > MOST_COLUMNS:
        raise ValueError(f"has {len(header):,} columns, and a table no more than {MOST_COLUMNS:,}; see run_python")
    taken: set[str] = set()
    columns = [new_name(name.strip() or f"column_{number}", taken) for number, name in enumerate(header, 1)]
    told = ", ".join(f"{quoted(name)} {kind.partition(' ')[0]}" for name, kind in zip(columns, guessed.kinds))  # noqa: B905 - Python 3.10
    connection.execute(f"CREATE TABLE {quoted(table)} ({told})")
    swallowed = insert(connection, table, guessed.kinds, batches(body(path, written), deadline))
    return doubts_of(header, columns, guessed, swallowed, written)


def insert(connection: sqlite3.Connection, table: str, kinds: list[str], rows: Iterator[list[list[str]]]) -> bool:
    """Whether a value has so many lines that it may have swallowed rows."""
    places = ", ".join("?" * len(kinds))
    swallowed = False
    for batch in rows:
        values = list(islice(zip_longest(*batch, fillvalue=""), len(kinds)))
        values += [("",) * len(batch)] * (len(kinds) - len(values))
        swallowed = swallowed or any(map(has_many_lines, values))
        held = zip(*map(stored, values, kinds))  # noqa: B905 - Python 3.10
        connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({places})", held)  # noqa: S608
    return swallowed


def has_many_lines(values: Collection[str]) -> bool:
    return max(map(len, values)) > MANY_LINES and any(value.count("\n") > MANY_LINES for value in values)


def doubts_of(header: list[str], columns: list[str], guessed: Guess, swallowed: bool, written: Form) -> list[str]:
    remarks = []
    if sum(map(bool, header)) * 2 <= len(header):
        remarks.append("most columns have no name in its first line: a title, or a comment, above the header?")
    if all(NUMBER.fullmatch(name.strip()) for name in header):
        remarks.append("its first line holds numbers alone, taken as the columns' names: no header?")
    if guessed.numbered:
        remarks.append("its rows have one value more than its first line has names: the first one is column_1")
    elif guessed.long:
        remarks.append(f"{rows_that_have(guessed.long)} more values than its first line has names: misplaced ones?")
    if guessed.short:
        remarks.append(f"{rows_that_have(guessed.short)} fewer values than its first line has names")
    for place in list(guessed.odd)[:MOST_COLUMNS_NAMED]:
        value = repr(guessed.odd[place][:MOST_CHARACTERS_NAMED])
        remarks.append(f"{quoted(columns[place])} is {TEXT}, for values like {value} among its numbers")
    if len(guessed.odd) > MOST_COLUMNS_NAMED:
        remarks.append(f"more such columns, with numbers: {len(guessed.odd) - MOST_COLUMNS_NAMED}")
    remarks += doubts_of_commas(columns, guessed, written)
    if swallowed:
        remarks.append(f"one of its values has more than {MANY_LINES} lines: a quote that is not closed?")
    if written.encoding in GUESSED:
        remarks.append(f"is no UTF-8; read as {written.encoding}: look at its letters")
    return remarks


def rows_that_have(number: int) -> str:
    return f"{number:,} of its rows {'has' if number == 1 else 'have'}"


def doubts_of_commas(columns: list[str], guessed: Guess, written: Form) -> Iterator[str]:
    """Decimal commas where they are not usual, or beside decimal points."""
    with_points = [place for place, kind in enumerate(guessed.kinds) if kind == "REAL"]
    if guessed.commas and with_points:
        one, other = quoted(columns[min(guessed.commas)]), quoted(columns[with_points[0]])
        yield f"its numbers have commas in {one}, and points in {other}: which of them are decimal?"
    elif written.delimiter != ";":
        for place in list(guessed.commas)[:MOST_COLUMNS_NAMED]:
            value = repr(guessed.commas[place][:MOST_CHARACTERS_NAMED])
            yield f"{quoted(columns[place])}: the comma of values like {value} is taken for a decimal one"


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
