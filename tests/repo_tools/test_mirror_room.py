"""What mirrors may take of a worker's disk."""

import os
import time
from pathlib import Path

import pytest

from repo_tools.mirror import Mirror, locked
from repo_tools.mirror_room import make_room, remove_unless_used
from tests.support.git_http import serve_git
from tests.support.repositories import head, make_repository

DAY = 86_400


@pytest.fixture
def mirrors(tmp_path: Path) -> Path:
    (tmp_path / "mirrors").mkdir()
    return tmp_path / "mirrors"


def kept(mirrors: Path, name: str, size_bytes: int, days_ago: float) -> None:
    """A mirror of that size, used that long ago, with the log of its changes."""
    pack = mirrors / name / "objects" / "pack" / "pack-1.pack"
    pack.parent.mkdir(parents=True)
    pack.write_bytes(bytes(size_bytes))
    (mirrors / f"{name}.changes").write_bytes(b"log")
    lock = mirrors / f"{name}.lock"
    lock.touch()
    used = time.time() - days_ago * DAY
    os.utime(lock, (used, used))


def there(mirrors: Path) -> set[str]:
    return {path.name for path in mirrors.iterdir() if not path.name.endswith(".lock")}


def test_those_that_were_not_used_for_longest_go_until_the_others_have_room(mirrors: Path) -> None:
    for name, days in (("1", 2), ("2", 9), ("3", 5), ("4", 3)):
        kept(mirrors, name, 100_000, days)
    make_room(mirrors, 250_000)
    assert there(mirrors) == {"1", "1.changes", "4", "4.changes"}


def test_what_has_room_stays_however_old(mirrors: Path) -> None:
    kept(mirrors, "1", 100_000, 900)
    make_room(mirrors, 250_000)
    assert there(mirrors) == {"1", "1.changes"}


def test_what_was_used_within_a_day_stays_however_large(mirrors: Path) -> None:
    """A run may be reading it."""
    kept(mirrors, "1", 300_000, 0.9)
    kept(mirrors, "2", 300_000, 1.1)
    make_room(mirrors, 250_000)
    assert there(mirrors) == {"1", "1.changes"}


def test_what_is_being_fetched_stays(mirrors: Path) -> None:
    kept(mirrors, "1", 300_000, 5)
    with locked(mirrors / "1.lock", 1):
        os.utime(mirrors / "1.lock", (0, 0))
        make_room(mirrors, 250_000)
    assert there(mirrors) == {"1", "1.changes"}


def test_what_was_used_since_it_was_looked_at_stays(mirrors: Path) -> None:
    kept(mirrors, "1", 300_000, 5)
    remove_unless_used(mirrors, "1", since=time.time() - 6 * DAY)
    assert there(mirrors) == {"1", "1.changes"}
    remove_unless_used(mirrors, "1", since=time.time() - 4 * DAY)
    assert there(mirrors) == set()


def test_what_a_killed_fetch_or_removal_left_goes_with_the_rest(mirrors: Path) -> None:
    kept(mirrors, "1", 1_000, 5)
    (mirrors / ".1-left" / "new").mkdir(parents=True)
    (mirrors / ".1-left" / "new" / "tmp_pack").write_bytes(bytes(300_000))
    kept(mirrors, "12", 1_000, 4)
    make_room(mirrors, 250_000)
    assert there(mirrors) == {"12", "12.changes"}


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    make_room(tmp_path / "mirrors", 0)
    assert not list(tmp_path.iterdir())


def test_a_commit_that_is_asked_for_again_is_used_then_and_comes_again_when_it_was_removed(
    tmp_path: Path, mirrors: Path
) -> None:
    repository = make_repository(tmp_path / "served" / "owner" / "name", {"a.py": "x = 1\n"})
    mirror, commit = Mirror(mirrors / "42"), head(repository)
    with serve_git(tmp_path / "served") as server:
        url = f"{server.url}/owner/name/.git"
        mirror.fetch(url, "main", token=None)
        os.utime(mirrors / "42.lock", (0, 0))
        mirror.fetch(url, commit, token=None)
        make_room(mirrors, 0)
        assert "42" in there(mirrors)
        os.utime(mirrors / "42.lock", (0, 0))
        make_room(mirrors, 0)
        assert there(mirrors) == set()
        mirror.fetch(url, commit, token=None)
    assert mirror.checkout(commit).read("a.py") == b"x = 1\n"
