"""Mistakes in the usage of `agent-fix solve`."""

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from agent.errors import Answered, GaveUp
from app.cli.solve import for_a_program
from tests.support.command_line import CommandLine
from tests.support.evidence import make_attempt, make_evidence
from tests.support.long import first_of
from workers.host import Solution
from workers.outcomes import Outcome, OutcomeKind, Reason

Solve = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def solve(agent_fix: CommandLine, tmp_path: Path) -> Solve:
    return partial(agent_fix, "solve", cwd=tmp_path, AGENT_FIX_DATA_DIR=str(tmp_path / "data"))


@pytest.mark.parametrize(
    "command", [("solve", "--task", "x"), ("fix", ".", "--issue", "file"), ("replay", "x", "--from-step", "1")]
)
@pytest.mark.parametrize(
    ("output", "why"),
    first_of(
        [("file/out", "Not a directory"), ("nowhere", "No such file or directory"), ("n" * 300, "File name too long")]
    ),
)
def test_an_output_that_cannot_be_written_is_told_before_anything_is_spent(
    agent_fix: CommandLine, tmp_path: Path, command: tuple[str, ...], output: str, why: str
) -> None:
    (tmp_path / "nowhere").symlink_to("not/there")
    (tmp_path / "file").write_text("Wrong totals\n")
    settings = {"AGENT_FIX_DATA_DIR": str(tmp_path / "data"), "ANTHROPIC_API_KEY": "key"}
    done = agent_fix(*command, "--output", output, cwd=tmp_path, **settings)
    assert done.returncode == 2, done.stderr
    assert f"cannot be written ({why})" in " ".join(done.stderr.replace("│", " ").split())
    assert not (tmp_path / "data" / "agent-fix.db").exists()


def test_a_run_that_is_resumed_takes_no_other_files(solve: Solve, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("a\n1\n")
    done = solve("--resume", "1234", "--data", "sales.csv")
    assert done.returncode == 2
    assert "a run that is resumed has its files already" in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "either a task or the run to resume"),
        (["--task", "x", "--resume", "y"], "either a task or the run to resume"),
        (["--task", "  "], "the task is empty"),
        (["--task", "x", "--tests", "no-such-file.py"], "does not exist"),
        (["--task", "x", "--data", "a/x.csv", "--data", "b/x.csv"], "two files are named x.csv"),
        (["--data", "a/x.csv", "b/x.csv", "--task", "x"], "two files are named x.csv"),
        (["--data=a/x.csv", "b/x.csv", "--task", "x"], "two files are named x.csv"),
        (["--data", "a/x.csv", "--task", "x", "b/x.csv"], "unexpected extra argument(s) (b/x.csv)"),
    ],
)
def test_a_mistake_is_told_and_ends_with_exit_code_two(
    solve: Solve, tmp_path: Path, arguments: list[str], words: str
) -> None:
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.csv").write_text("a\n1\n")
    done = solve(*arguments)
    assert done.returncode == 2, done.stderr
    assert words in " ".join(done.stderr.replace("│", " ").split())


def test_a_requirement_that_pip_would_take_for_an_option_stops_the_start(solve: Solve) -> None:
    done = solve("--task", "x", AGENT_FIX_SOLVE_REQUIREMENTS="--index-url=http://evil")
    assert done.returncode == 2
    assert "AGENT_FIX_SOLVE_REQUIREMENTS" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_is_told_of_an_answer_with_its_figures_and_of_none() -> None:
    attempt = make_attempt(Answered("It **grew**.", (("mean", "4.5"),), ("plot.png",)))
    evidence = make_evidence(attempt=attempt, solution=Solution({"plot.png": b"", "a.csv": b""}, ""))
    outcome = Outcome(OutcomeKind.DRAFT_PULL_REQUEST, Reason.ANSWERED, "Answered.", "/out")
    told = for_a_program("r1", outcome, evidence)
    assert told == {
        "run": "r1", "done": True, "reason": "answered", "detail": "Answered.", "folder": "/out",
        "answer": "It **grew**.", "figures": {"mean": "4.5"}, "files": ["a.csv", "plot.png"], "tests": None,
    }  # fmt: skip
    json.dumps(told)
    red = make_evidence(attempt=make_attempt(GaveUp("x")), solution=Solution({"a.py": b""}, "1 failed"))
    unsolved = for_a_program("r3", Outcome(OutcomeKind.ESCALATION, Reason.GAVE_UP, "x", "/out"), red)
    assert (unsolved["done"], unsolved["answer"], unsolved["tests"]) == (False, None, "1 failed")
    lost = for_a_program("r2", Outcome(OutcomeKind.ESCALATION, Reason.MODEL, "No key."), None)
    assert (lost["done"], lost["answer"], lost["figures"], lost["files"], lost["tests"]) == (False, None, {}, [], None)
