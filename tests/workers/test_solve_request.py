"""What may be given with a task, and what is refused before anything is spent."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from workers.given import given_tests
from workers.solve_request import solve_request


def file(folder: Path, name: str, content: bytes = b"x") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_tests_stand_at_the_root_and_data_below_its_folder(tmp_path: Path) -> None:
    test, data, odd = (file(tmp_path, name) for name in ("test_x.py", "sales 2026.csv", ".gitlab-ci.yml"))
    asked = solve_request("Do it.\nWell.", [test], [data, odd])
    assert asked.files == {"test_x.py": test, "data/sales 2026.csv": data, "data/.gitlab-ci.yml": odd}
    assert asked.title == "Do it."
    beside = file(tmp_path, "cases 1.json")
    assert solve_request("t", [test, beside], []).files == {"test_x.py": test, "cases 1.json": beside}
    assert given_tests([*asked.files, "conftest.py", "data/test_y.py"]) == ("test_x.py",)


def test_what_cannot_be_given_is_refused_with_the_reason(tmp_path: Path) -> None:
    one, other = file(tmp_path, "a/x.csv"), file(tmp_path, "b/x.csv")
    for task, tests, data, why in (
        (" ", [], [], "empty"),
        ("t", [file(tmp_path, "my-tests.py")], [], "plain words"),
        ("t", [file(tmp_path, "conftest.py")], [], "holds no tests"),
        ("t", [file(tmp_path, "cases.json")], [], r"cases\.json: holds no tests, only Python files"),
        ("t", [file(tmp_path, "test_x.py"), file(tmp_path, "data")], [], "where the folder of the data does"),
        ("t" * 100_001, [], [], r"longer than 100,000 characters: put a part into a file"),
        ("t", [], [one, other], r"two files are named x\.csv: .* rename a copy of one"),
        ("t", [], [file(tmp_path, ".git")], "names git's own folder. Give it another name"),
        ("t", [], [file(tmp_path, "a\nb.csv")], "control character"),
        ("t", [], [file(tmp_path, os.fsdecode(b"a\xff.csv"))], "is no text"),
        ("t", [], [Path("/dev/null")], "no file but a pipe or a device"),
    ):
        with pytest.raises(ValueError, match=why):
            solve_request(task, tests, data)


def test_a_database_with_rows_beside_it_is_refused_with_the_remedy(tmp_path: Path) -> None:
    data = file(tmp_path, "shop.db")
    log = tmp_path / "shop.db-wal"
    log.write_bytes(b"")
    assert solve_request("Ask it.", [], [data]).files
    log.write_bytes(b"rows")
    with pytest.raises(ValueError, match=r"shop\.db-wal beside it holds rows.*wal_checkpoint"):
        solve_request("Ask it.", [], [data])


def test_a_database_in_the_middle_of_a_write_is_refused_with_the_remedy(tmp_path: Path) -> None:
    data, kept = tmp_path / "shop.db", tmp_path / "kept.db"
    with closing(sqlite3.connect(data)) as connection, closing(sqlite3.connect(kept)) as other:
        other.execute("PRAGMA journal_mode = PERSIST")
        other.execute("CREATE TABLE t (a)")
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("CREATE TABLE t (a)")
        connection.commit()
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 1_000,)] * 100)
        with pytest.raises(ValueError, match=r"shop\.db-journal beside it is of a write .*sqlite3 shop\.db \.tables"):
            solve_request("Ask it.", [], [data])
    assert (tmp_path / "kept.db-journal").stat().st_size
    assert solve_request("Ask it.", [], [kept]).files
