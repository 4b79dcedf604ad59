"""The tools on the real workspace: what the model is told where it asked for something that cannot be."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.assignment import FIX
from agent.budget import Budget, BudgetLimits
from agent.model import ToolCall
from agent.tools.tool import Desk
from agent.tools.toolbox import Result
from repo_tools.changes import FileChange, FileMode
from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.workspace import Workspace
from tests.support.folder_box import FolderEngine
from tests.support.memory_workspace import PRICE
from tests.support.repositories import commit_files, head, make_repository


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repository = make_repository(tmp_path_factory.mktemp("tools") / "repository")
    (repository / "link").symlink_to("/etc/passwd")
    (repository / "pkg").mkdir()
    (repository / "pkg" / "a.py").write_bytes(b"x = 1\r\ny = 2\r\n")
    (repository / "logo.bin").write_bytes(bytes(range(256)))
    commit_files(repository, {})
    return repository


@pytest.fixture
def workspace(repository: Path) -> Iterator[Workspace]:
    environment = Environment("test", (), (), (TestCommand("pytest", ("true",)),), ())
    with GitCheckout(repository / ".git", head(repository)) as checkout:
        box = fresh_box(FolderEngine(), checkout, None)
        with Workspace(box, checkout, environment) as opened:
            yield opened


def call(workspace: Workspace, name: str, **arguments: Any) -> Result:
    desk = Desk(workspace, Budget(BudgetLimits(), PRICE), lambda summary: "")
    return FIX.toolbox.execute(ToolCall("toolu_1", name, arguments), desk)


NOT_TO_BE_CHANGED = (
    "../x", "a/../../x", "/etc/passwd", "/proc/self/environ", ".git/config", ".github/workflows/ci.yml", ".gitmodules",
    "pkg", "link/x", "a\0b", "", "pkg/\u202ex.py", "x" * 5_000,
)  # fmt: skip


@pytest.mark.parametrize("name", ["write_file", "delete_file", "move_file", "edit_file"])
def test_no_tool_changes_what_may_not_be_changed(workspace: Workspace, name: str) -> None:
    for path in NOT_TO_BE_CHANGED:
        arguments: dict[str, Any] = {
            "write_file": {"path": path, "content": "x"},
            "delete_file": {"path": path},
            "move_file": {"from": "pkg/a.py", "to": path},
            "edit_file": {"path": path, "old": "x", "new": "y"},
        }[name]
        result = call(workspace, name, **arguments)
        assert result.is_error, path
        assert "folder-box" not in result.content, "where the box lies is nobody's concern"
        assert not workspace.change


def test_reading_what_is_no_file_of_the_repository_is_refused(workspace: Workspace) -> None:
    for path in ("../x", "/proc/self/environ", "link", "pkg", "none", "/dev/stdin", "", "a\0b"):
        result = call(workspace, "read_file", path=path)
        assert result.is_error, path
        assert "folder-box" not in result.content


def test_each_file_tool_leaves_its_mark_in_the_change(workspace: Workspace) -> None:
    calls = [
        call(workspace, "edit_file", path="pkg/a.py", old="x = 1\ny", new="x = 3\ny"),
        call(workspace, "write_file", path="bin/run", content="#!/bin/sh\n", executable=True),
        call(workspace, "move_file", **{"from": "logo.bin", "to": "img/logo.bin"}),
        call(workspace, "delete_file", path="link"),
    ]
    assert [result.content for result in calls if result.is_error] == []
    assert workspace.change.files == {
        "pkg/a.py": FileChange(FileMode.REGULAR, b"x = 3\r\ny = 2\r\n"),
        "bin/run": FileChange(FileMode.EXECUTABLE, b"#!/bin/sh\n"),
        "img/logo.bin": FileChange(FileMode.REGULAR, bytes(range(256))),
        "logo.bin": None,
        "link": None,
    }


def test_listing_and_searching_see_the_change(workspace: Workspace) -> None:
    call(workspace, "write_file", path="pkg/new.py", content="y = 2\n")
    assert "pkg/new.py" in call(workspace, "list_files", glob="*.py").content
    assert call(workspace, "search", pattern="^y =").content == "pkg/a.py:2: y = 2\npkg/new.py:1: y = 2"
    for everywhere in (".", "./", "/", ""):
        assert "pkg/a.py:2" in call(workspace, "search", pattern="^y =", path=everywhere).content
    assert call(workspace, "search", pattern="(").is_error
    assert call(workspace, "search", pattern="y", path="nowhere").is_error
