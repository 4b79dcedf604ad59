"""Which files of the tests a run altered, in a box that is a folder."""

import json
import os
import time
from collections.abc import Iterator

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode, TreeEntry
from repo_tools.verification.altered import Stamps, told, watched
from repo_tools.verification.sides import TestLayout
from tests.support.folder_box import FolderBox

PATHS = ("tests/caf\udce9.py", "tests/gone.py", "tests/put back.py", "tests/same.py", "tests/touched.py")


def no_files(path: str) -> bytes:
    raise KeyError(path)


@pytest.fixture
def box() -> Iterator[FolderBox]:
    with FolderBox() as box:
        for path in PATHS:
            box.write(f"/workspace/{path}", b"asked")
        time.sleep(0.05)  # the kernel's clock of files goes by ticks
        yield box


def test_files_that_were_written_removed_or_put_back_are_told_from_those_that_were_read(box: FolderBox) -> None:
    stamps = Stamps(box, PATHS)
    folder = box.root / "workspace" / "tests"
    before = (folder / "put back.py").stat()
    (folder / "put back.py").write_text("weaker")
    (folder / "put back.py").write_text("asked")
    os.utime(folder / "put back.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    (folder / "gone.py").unlink()
    (folder / "same.py").read_text()
    (folder / "__pycache__").mkdir()
    assert stamps.altered() == {"tests/gone.py", "tests/put back.py"}


def test_a_folder_that_is_moved_away_and_back_is_told_from_one_that_is_written_in(box: FolderBox) -> None:
    box.write("/workspace/shop/deep/tests/a.py", b"asked")
    time.sleep(0.05)
    stamps = Stamps(box, (*PATHS, "shop/deep/tests/a.py"))
    root = box.root / "workspace"
    (root / "tests" / "made.txt").write_text("by a test")
    (root / "shop" / "deep" / "made.txt").write_text("by a test")
    assert stamps.altered() == frozenset()
    (root / "shop").rename(root / "kept")
    (root / "shop").mkdir()
    assert stamps.altered() == {"shop/deep", "shop/deep/tests", "shop/deep/tests/a.py"}
    (root / "shop").rmdir()
    (root / "kept").rename(root / "shop")
    assert stamps.altered() == {"shop"}


def test_in_a_run_of_the_base_commits_tests_no_name_comes_and_goes_beside_their_programs(box: FolderBox) -> None:
    (box.root / "workspace" / "tests" / "data").mkdir()
    (box.root / "workspace" / "node_modules").mkdir()
    time.sleep(0.05)
    watched_ones = (*PATHS, "conftest.py", "test.js", "t/a.c", "node_modules/decimal.js")
    stamps, of_change = Stamps(box, watched_ones, lists=True), Stamps(box, PATHS)
    (box.root / "workspace" / "made").mkdir()
    (box.root / "workspace" / "tests" / "data" / "made").mkdir()
    (box.root / "workspace" / "node_modules" / ".cache").mkdir()
    assert stamps.altered() == frozenset()
    (box.root / "workspace" / "tests" / "__pycache__").mkdir()
    (box.root / "workspace" / "tests" / "__pycache__").rmdir()
    assert stamps.altered() == {"tests"}
    assert of_change.altered() == frozenset()


def test_packages_that_are_installed_for_javascripts_tests_are_watched_where_their_manifests_are() -> None:
    entry = TreeEntry(FileMode.REGULAR, "0" * 40)
    manifests = {"package.json": {"devDependencies": {"chai": "4", "@types/chai": "4"}}, "a/package.json": {}}
    tree = dict.fromkeys((*manifests, "a/test/a.js", "b/package.json"), entry)
    layout = TestLayout(collected=frozenset({"a/test/a.js"}))
    found = watched(tree, None, layout, lambda path: json.dumps(manifests[path]).encode())
    assert found == ("a/test/a.js", "node_modules/@types/chai", "node_modules/chai")


def test_programs_and_configuration_of_the_tests_are_watched_and_data_and_builds_are_not() -> None:
    entry = TreeEntry(FileMode.REGULAR, "0" * 40)
    tree = dict.fromkeys(("shop.py", "tests/test_a.py", "tests/a.json", "conftest.py", "Makefile", "configure"), entry)
    tree["Gemfile.lock"] = entry  # Bundler writes the version in it anew where the change raises the gem's own
    change = ChangeSet("0" * 40, {"tests/new.py": FileChange(FileMode.REGULAR, b""), "shop/new.py": None})
    there = {*tree, "tests/new.py", "shop/new.py"}
    assert there.intersection(watched(tree, change, TestLayout(), no_files)) == {
        "conftest.py",
        "tests/new.py",
        "tests/test_a.py",
    }
    assert there.intersection(watched(tree, None, TestLayout(), no_files)) == {"conftest.py", "tests/test_a.py"}


def test_configuration_that_pytest_would_find_and_that_is_not_there_is_watched_where_tests_are() -> None:
    entry = TreeEntry(FileMode.REGULAR, "0" * 40)
    tree = dict.fromkeys(("setup.cfg", "shop/a.py", "tests/unit/test_a.py", "test/a_test.go"), entry)
    found = watched(tree, None, TestLayout(), no_files)
    assert {path for path in found if path.endswith(("conftest.py", "setup.cfg"))} == {
        "conftest.py",
        "tests/conftest.py",
        "tests/setup.cfg",
        "tests/unit/conftest.py",
        "tests/unit/setup.cfg",
    }
    assert len(found) == 3 * 8 - 1 + 2
    assert watched({"test/a_test.go": entry}, None, TestLayout(), no_files) == ("test/a_test.go",)


def test_many_files_are_told_in_few_words() -> None:
    assert told("abcdefg").endswith("does not: a, b, c, d, e and 2 more.")
