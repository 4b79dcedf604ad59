"""A package that is no part of this project: source from the package index, a bug put in, fixed on both ways."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent.scripted import text, tool_use
from app.standins.messages import MessagesServer
from tests.support.calc import Blocks
from tests.support.package import MODULE, PUT_IN, package_with_a_bug
from tests.support.stage import ScriptedMessages, Stage

pytestmark = [pytest.mark.e2e, pytest.mark.registry, pytest.mark.timeout(900)]

TITLE = "ordinalize(111) gives 111st"
TURNS: list[Blocks] = [
    [
        text("Success criterion: 111, 112 and 113 end in th.\n\nPlan: find where eleven to thirteen are told apart."),
        tool_use("search", pattern="11, 12, 13", path="inflection"),
        tool_use("run_tests", selector="test_inflection.py"),
    ],
    [
        tool_use("edit_file", path=MODULE, old=PUT_IN[1].decode(), new=PUT_IN[0].decode()),
        tool_use("run_tests"),
    ],
    [tool_use("finish", summary="The last two digits decide, not the whole number.")],
]


@pytest.mark.long(short="tests/e2e/test_draft.py::test_the_run_ends_proved_with_the_address_of_its_draft")
def test_a_label_on_its_issue_becomes_a_draft(stage: Stage) -> None:
    played = stage.play(package_with_a_bug(), TURNS, body=TITLE)
    assert played.ending == ("draft_pull_request", "proved"), played.run["detail"]
    assert PUT_IN[0] in played.committed(MODULE)
    assert "test_inflection.py" in played.pull_requests[0].body


@pytest.mark.long(short="tests/e2e/test_fix.py::test_what_a_model_says_is_shown_as_text_and_the_work_tree_stays_clean")
def test_the_command_line_fixes_it_without_github(tmp_path: Path, folder: Path) -> None:
    repository = _git_repository(tmp_path / "inflection", package_with_a_bug())
    issue = tmp_path / "issue.md"
    issue.write_text(f"# {TITLE}\n\nI expect 111th.\n")
    before = _state(repository)
    scripted = ScriptedMessages()
    scripted.scripts[TITLE] = TURNS
    with MessagesServer(scripted) as messages:
        environment = {
            **os.environ,
            "ANTHROPIC_API_KEY": "test-key",
            "ANTHROPIC_BASE_URL": messages.url,
            "AGENT_FIX_SANDBOX": "bubblewrap",
            "AGENT_FIX_DATA_DIR": str(tmp_path / "data"),
        }
        arguments = ["fix", str(repository), "--issue", str(issue)]
        arguments += ["--output", str(tmp_path / "out"), "--branch", "fix/ordinals"]
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *arguments], env=environment, capture_output=True, check=False
        )
    assert done.returncode == 0, done.stderr.decode()
    assert _state(repository) == before
    assert PUT_IN[0] in _git(repository, "show", f"fix/ordinals:{MODULE}")
    _git(repository, "apply", "--check", str(tmp_path / "out" / "change.patch"))
    assert "**Proved.**" in (tmp_path / "out" / "report.md").read_text()
    assert len(json.loads((tmp_path / "out" / "transcript.json").read_text())["turns"]) == len(TURNS)


def _git_repository(path: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    _git(path, "init", "-q", "-b", "main")
    _git(path, "add", "-A")
    _git(path, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first")
    (path / "notes.txt").write_text("not committed\n")
    _git(path, "add", "notes.txt")
    return path


def _state(path: Path) -> tuple[bytes, ...]:
    """Work tree, index and the branch that is checked out."""
    index = (path / ".git" / "index").read_bytes()
    return (
        index,
        _git(path, "status", "--porcelain=v2"),
        _git(path, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD"),
    )


def _git(path: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", path, *arguments], check=True, capture_output=True).stdout
