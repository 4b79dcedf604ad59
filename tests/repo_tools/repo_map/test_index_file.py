"""The file of an index: damage is repaired wherever it is met, and versions do not mix."""

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet
from repo_tools.repo_map.facts import Detail, Facts
from repo_tools.repo_map.index_file import ForeignFileError
from repo_tools.repo_map.repository_map import RepositoryMap
from repo_tools.repo_map.store import INDEX_VERSION, IndexStore
from repo_tools.repo_map.symbols import CodeIndex
from tests.support.files_checkout import FilesCheckout
from tests.support.maps import build_map
from tests.support.trees import tree_of

FILES = {f"m{n:03}.py": f"import os\n\ndef f{n}(price): return os.{'abc' * (n % 90)}(price)\n" for n in range(300)}
TREE = tree_of(FILES)
PAGE_BYTES = 4096


def map_of(index: Path | None) -> str:
    return build_map(TREE, lambda path: FILES[path].encode(), issue="f100 is wrong", tokens=900, index=index)


def unread(path: str) -> bytes:
    raise AssertionError(f"{path} is read again")


def damage(index: Path, seed: int, first_page: int = 0) -> None:
    """64 random bytes in each page."""
    chance = random.Random(seed)
    content = bytearray(index.read_bytes())
    for page in range(first_page * PAGE_BYTES, len(content), PAGE_BYTES):
        start = page + chance.randrange(100, PAGE_BYTES - 64)
        content[start : start + 64] = chance.randbytes(64)
    index.write_bytes(content)


@pytest.mark.parametrize("seed", range(6))
def test_an_index_with_damaged_pages_is_made_again_and_kept(tmp_path: Path, seed: int) -> None:
    index = tmp_path / "index.db"
    map_of(index)
    damage(index, seed)
    assert map_of(index) == map_of(None)
    again = build_map(TREE, unread, issue="f100 is wrong", tokens=900, index=index)
    assert again == map_of(None)


def test_questions_about_names_are_answered_over_a_damaged_index(tmp_path: Path) -> None:
    index, checkout = tmp_path / "index.db", FilesCheckout(FILES)
    questions: tuple[Callable[[CodeIndex], object], ...] = (
        lambda code: code.find_symbol("f100", ChangeSet(checkout.commit), max_uses=10),
        lambda code: code.outline("m100.py", ChangeSet(checkout.commit)),
        lambda code: code.related_tests("m100.py", ChangeSet(checkout.commit), most=3),
    )
    for ask in questions:
        with IndexStore(index) as store:
            whole = ask(CodeIndex(store, checkout))
        damage(index, 1, first_page=1)
        with IndexStore(index) as store:
            assert ask(CodeIndex(store, checkout)) == whole


def test_a_row_that_is_not_what_was_written_is_damage(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    map_of(index)
    index.write_bytes(index.read_bytes().replace(b"f100", b"f1\xff0"))
    assert map_of(index) == map_of(None)


def test_two_versions_may_have_one_index_open_and_know_nothing_of_each_others_facts(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    with (
        IndexStore(index, version=INDEX_VERSION) as old,
        IndexStore(index, version=INDEX_VERSION - 1) as older,
    ):
        older.add([("a", Facts("of the older"), Detail())])
        old.add([("b", Facts(""), Detail())])
        assert (older.known("ab"), old.known("ab")) == (frozenset("a"), frozenset("b"))
    with IndexStore(index, version=INDEX_VERSION + 1) as new:
        assert not new.known("ab")


def test_where_no_index_can_be_kept_the_map_is_made_without_one_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    shown = map_of(tmp_path / "file" / "index.db")
    assert "(what was read is not kept: " in shown
    assert "f100" in shown


def test_an_index_that_takes_no_more_is_told_once_and_the_rest_kept_in_memory(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    with IndexStore(index) as store, sqlite3.connect(index, isolation_level=None) as other:
        found = RepositoryMap(store, TREE, lambda path: FILES[path].encode())
        other.execute(f"DROP TABLE detail_{INDEX_VERSION}")  # as a newer version does
        assert "f100" in found.text("f100 is wrong", tokens=900)
        assert store.notes == (f"what was read is not kept: no such table: detail_{INDEX_VERSION}",)
    other.close()


def a_database(file: Path) -> None:
    with sqlite3.connect(file) as database:
        for table in ("scan", "detail"):
            database.execute(f"CREATE TABLE {table} (page INTEGER)")
            database.execute(f"INSERT INTO {table} VALUES (7)")
    database.close()


@pytest.mark.parametrize("write", [lambda file: file.write_text("precious\n" * 99), a_database])
def test_a_file_that_is_no_index_is_refused_and_stays_as_it_is(tmp_path: Path, write: Callable[[Path], None]) -> None:
    named = tmp_path / "named"
    write(named)
    before = named.read_bytes()
    with pytest.raises(ForeignFileError):
        IndexStore(named, is_ours=False)
    assert named.read_bytes() == before
    assert [*tmp_path.iterdir()] == [named]


def an_older_index(file: Path) -> None:
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE scan (key TEXT PRIMARY KEY, note TEXT)")
        database.execute("CREATE TABLE detail (key TEXT PRIMARY KEY, definitions BLOB)")
        database.execute("PRAGMA user_version = 4")
    database.close()


def a_damaged_index(file: Path) -> None:
    map_of(file)
    damage(file, 2)


@pytest.mark.parametrize("write", [Path.touch, an_older_index, a_damaged_index])
def test_an_index_is_known_by_its_mark_and_older_ones_by_their_tables(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    named = tmp_path / "named"
    write(named)
    with IndexStore(named, is_ours=False) as store:
        shown = RepositoryMap(store, TREE, lambda path: FILES[path].encode()).text("f100 is wrong", tokens=900)
        assert shown == map_of(None)
