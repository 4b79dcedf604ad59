"""`agent-fix fix` that ends in a hand-over: exit code 3, the folder as it was, no markup and no secret shown."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent.scripted import tool_use
from app.standins.messages import MessagesServer
from tests.support import calc

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

SECRET = "ghp_" + "a1B2" * 9


def test_what_a_model_says_is_shown_as_text_and_the_work_tree_stays_clean(tmp_path: Path) -> None:
    repository, issue = tmp_path / "calc", tmp_path / "issue.md"
    repository.mkdir()
    for name, content in calc.FILES.items():
        (repository / name).write_bytes(content)
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "1"],
    ):
        subprocess.run(["git", *arguments], cwd=repository, check=True)
    issue.write_text("# The first price is left out\n")
    reply = [*calc.PLAN, tool_use("give_up", reason=f"closing [/oops] tag, key {SECRET}")]
    with MessagesServer(lambda _: reply) as messages:
        environment = {
            **os.environ,
            "PYTHONPATH": os.getcwd(),
            "ANTHROPIC_API_KEY": "test-key",
            "ANTHROPIC_BASE_URL": messages.url,
            "AGENT_FIX_SANDBOX": "bubblewrap",
            "AGENT_FIX_DATA_DIR": str(tmp_path / "data"),
        }
        command = [sys.executable, "-m", "app.cli", "fix", ".", "--issue", str(issue)]
        done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "closing [/oops] tag" in " ".join(done.stderr.split())
    assert SECRET not in done.stderr + done.stdout
    assert not [p for p in tmp_path.rglob("report.md") if SECRET in p.read_text()]
    assert (repository / "agent-fix-output" / "report.md").exists()
    assert (
        subprocess.run(["git", "status", "--porcelain"], cwd=repository, capture_output=True, check=True).stdout == b""
    )
