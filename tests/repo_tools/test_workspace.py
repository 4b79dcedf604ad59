"""The workspace keeps its tree at base + change, whatever the agent or a test run does."""

from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import Environment, Runner, TestCommand
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.paths import PathRefusedError
from repo_tools.workspace import Match, Workspace
from tests.support.folder_box import FolderEngine
from tests.support.repositories import head, make_repository

ENVIRONMENT = Environment("test", (), (), TestCommand(Runner.PYTEST, ("true",)), ())


@pytest.fixture
def checkout(tmp_path: Path) -> GitCheckout:
    files = {"a.py": "x = 1\n", "pkg/b.py": "y = 2\n", ".gitignore": "*.log\n"}
    repository = make_repository(tmp_path / "repository", files)
    return GitCheckout(repository / ".git", head(repository))


def open_workspace(checkout: GitCheckout, change: ChangeSet | None = None) -> Workspace:
    box = fresh_box(FolderEngine(), checkout, None, overlay=change)
    return Workspace(box, checkout, ENVIRONMENT, change=change)


def test_reads_a_part_of_a_file(checkout: GitCheckout) -> None:
    with open_workspace(checkout) as workspace:
        assert workspace.read("a.py", max_bytes=3, offset=2) == b"= 1"


def test_a_written_file_is_in_the_change_and_in_the_list(checkout: GitCheckout) -> None:
    with open_workspace(checkout) as workspace:
        workspace.write("pkg/c.py", b"z = 3\n")
        assert workspace.change.files == {"pkg/c.py": FileChange(FileMode.REGULAR, b"z = 3\n")}
        assert workspace.paths() == (".gitignore", "a.py", "pkg/b.py", "pkg/c.py")


def test_writing_back_the_base_state_leaves_no_change(checkout: GitCheckout) -> None:
    with open_workspace(checkout) as workspace:
        workspace.write("a.py", b"x = 2\n")
        workspace.write("a.py", b"x = 1\n")
        assert not workspace.change


def test_search_finds_lines_of_base_and_change(checkout: GitCheckout) -> None:
    with open_workspace(checkout) as workspace:
        workspace.write("c.py", b"one\nx = 7\n")
        assert workspace.search(r"x = \d", None, max_matches=10) == (
            Match("a.py", 1, "x = 1"),
            Match("c.py", 2, "x = 7"),
        )


def test_an_invalid_pattern_is_a_value_error_with_the_reason(checkout: GitCheckout) -> None:
    with open_workspace(checkout) as workspace, pytest.raises(ValueError, match="unterminated"):
        workspace.search("(", None, max_matches=10)


def test_a_path_outside_is_refused(checkout: GitCheckout) -> None:
    with open_workspace(checkout) as workspace, pytest.raises(PathRefusedError):
        workspace.read("../secret", max_bytes=10)
