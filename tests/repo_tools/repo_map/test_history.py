"""What was changed lately counts a little, and what was said of it, where there is a history."""

import subprocess
from pathlib import Path

import pytest

from repo_tools.git_checkout import GitCheckout
from repo_tools.repo_map.history import MANY_FILES, MESSAGE_BYTES, how_often, recent_changes
from repo_tools.repo_map.repository_map import RepositoryMap
from repo_tools.repo_map.store import IndexStore


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files that say the same; the second was changed once more. Then a change of everything."""
    folder = tmp_path_factory.mktemp("history")
    git(folder, "init", "-q", "-b", "main")
    for names in (["a.py", "é b.py"], ["é b.py"], [f"{number}.txt" for number in range(MANY_FILES)]):
        for name in names:
            with (folder / name).open("a") as file:
                file.write("def total(): ...\n")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "change")
    (folder / "a.py").write_text((folder / "é b.py").read_text())
    git(folder, "commit", "-q", "-a", "--amend", "-m", "change")
    return folder


def test_a_file_counts_by_the_commits_that_changed_it(repository: Path) -> None:
    changes = how_often(recent_changes(repository / ".git", git(repository, "rev-parse", "HEAD")))
    assert set(changes) == {"a.py", "é b.py"}  # the commit that changes everything says nothing
    assert changes["é b.py"] > changes["a.py"] > 0


def test_of_two_files_with_the_same_words_the_one_that_is_changed_more_often_comes_first(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    with IndexStore() as store, GitCheckout(repository / ".git", commit) as checkout:
        changes = recent_changes(repository / ".git", commit)
        first, second, *_ = RepositoryMap(store, checkout.tree, checkout.read, changes=changes).rank("wrong total")
    assert (first.path, second.path) == ("é b.py", "a.py")
    assert first.why[-1] == "changed lately"


def test_a_clone_without_history_has_no_changes(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{repository}", "shallow")
    assert recent_changes(tmp_path / "shallow", "HEAD") == ()


def test_of_two_files_with_the_same_words_the_one_of_whose_changes_the_issue_speaks_comes_first(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    for name, message in (("z.py", "Round to whole cents"), ("a.py", "Send letters again"), ("b.py", "Log in")):
        (tmp_path / name).write_text("def total(): ...\n")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", message)
    commit = git(tmp_path, "rev-parse", "HEAD")
    with IndexStore() as store, GitCheckout(tmp_path / ".git", commit) as checkout:
        changes = recent_changes(tmp_path / ".git", commit)
        first, *_ = RepositoryMap(store, checkout.tree, checkout.read, changes=changes).rank("half a cent is lost")
    assert first.path == "z.py"
    assert "words of the issue in its history" in first.why


def test_a_message_of_any_bytes_and_length_is_kept_at_its_beginning(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "message").write_bytes(b"R\xe9sum\xe9 \1 and \2" + b"x" * 100_000)
    for content in ("1", "2"):
        (tmp_path / "a.py").write_text(content)
        git(tmp_path, "add", "a.py")
        git(tmp_path, "commit", "-q", "-F", "message")
    assert all(len(change.message) <= MESSAGE_BYTES for change in recent_changes(tmp_path / ".git", "HEAD"))


def test_a_clone_that_ends_somewhere_says_nothing_of_the_commit_at_which_it_ends(
    repository: Path, tmp_path: Path
) -> None:
    """It would seem to have added every file."""
    git(repository, "commit", "-q", "--allow-empty", "-m", "nothing")
    for name in ("one", "two"):
        (repository / "c.py").write_text(name)
        git(repository, "add", "c.py")
        git(repository, "commit", "-q", "-m", name)
    git(tmp_path, "clone", "-q", "--bare", "--depth=3", f"file://{repository}", "shallow")
    assert [change.paths for change in recent_changes(tmp_path / "shallow", "HEAD")] == [("c.py",), ("c.py",)]
