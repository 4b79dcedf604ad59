"""`agent-fix map` without typer: the same answers, and whatever is not plain is left to typer."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.cli.printed_map import Asked, plainly_asked
from tests.support.command_line import CommandLine
from tests.support.repositories import make_repository

PROGRAM = "import sys; from app.cli.main import main; main(); print(*sys.modules)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sums").mkdir()
    (tmp_path / "sums" / "total.py").write_text("def total(prices): ...\n")
    return tmp_path / "sums"


def test_a_plain_command_loads_no_typer_pydantic_or_gitpython(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, "map", str(folder), "--index", str(tmp_path / "map.db")]
    shown, loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip().rsplit("\n", 1)
    assert shown.startswith("total.py\n    1  def total(prices):\n")
    assert {name.partition(".")[0] for name in loaded.split()}.isdisjoint({"typer", "pydantic", "rich", "git"})


def test_a_map_of_a_repository_loads_nothing_that_only_a_change_needs(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository", {"total.py": "def total(prices): ...\n"})
    command = [sys.executable, "-c", PROGRAM, "map", str(repository), "--index", str(tmp_path / "map.db")]
    shown, loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip().rsplit("\n", 1)
    assert shown.startswith("total.py\n    1  def total(prices):\n")
    unneeded = {"tarfile", "tempfile", "random", "hashlib", "json", "logging", "dataclasses", "inspect"}
    assert set(loaded.split()).isdisjoint({*unneeded, "repo_tools.patches", "repo_tools.changes"})


@pytest.mark.parametrize("plain", [["--tokens", "90"], ["--json"]])
def test_a_plain_command_says_what_typer_would_say(
    agent_fix: CommandLine, folder: Path, tmp_path: Path, plain: Sequence[str]
) -> None:
    index = tmp_path / "map.db"
    by_typer = agent_fix("map", folder, f"--index={index}", *plain)
    assert agent_fix("map", folder, "--index", index, *plain).stdout == by_typer.stdout != ""


def test_a_program_is_told_every_path_in_utf_8(agent_fix: CommandLine, folder: Path, tmp_path: Path) -> None:
    (folder / os.fsdecode(b"gr\xfc\xdfe.py")).write_text("def size(): ...\n")
    (folder / '"big".py').write_text("def big(): ...\n")
    (folder / "größe.py").write_text("def other(): ...\n")
    told = agent_fix("map", folder, "--json", "--index", tmp_path / "map.db").stdout
    paths = {file["path"] for file in json.loads(told)["files"]}
    assert paths == {"total.py", "größe.py", r'"gr\374\337e.py"', r'"\"big\".py"'}
    assert "\\udc" not in told


def test_every_option_is_read(folder: Path, tmp_path: Path) -> None:
    words = f"--json --issue i.md --tokens 90 {folder} --base main --index {tmp_path}/x".split()
    assert plainly_asked(words) == Asked(folder, Path("i.md"), 90, "main", tmp_path / "x", as_json=True)
    assert plainly_asked([str(folder)]) == Asked(folder)


@pytest.mark.parametrize(
    "words",
    [
        *("", "no-such-folder", ". --help", ". .", ". --tokens", ". --tokens 0", ". --tokens 1e3", ". --issue ."),
        *(". --base -x", ". --base=main", ". -- x", ". --json --json", ". --unknown"),
    ],
)
def test_help_mistakes_and_other_spellings_are_left_to_typer(words: str) -> None:
    assert plainly_asked(words.split()) is None


def test_an_issue_that_cannot_be_read_is_a_mistake_at_the_command_line(agent_fix: CommandLine, folder: Path) -> None:
    done = agent_fix("map", folder, "--issue", folder / "none.md")
    assert done.returncode == 2
    assert "--issue" in done.stderr


@pytest.mark.parametrize("plain", [["--index"], ["--tokens=900", "--index"]])
def test_an_index_file_that_is_something_else_is_refused(
    agent_fix: CommandLine, folder: Path, tmp_path: Path, plain: Sequence[str]
) -> None:
    (tmp_path / "precious.txt").write_text("precious\n")
    done = agent_fix("map", folder, *plain, tmp_path / "precious.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "agent-fix: --index: the file is neither empty nor an index. Name another one\n"
    assert (tmp_path / "precious.txt").read_text() == "precious\n"


def test_a_map_that_cannot_be_written_is_told_in_one_line(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app.cli", "map", str(folder), "--index", str(tmp_path / "map.db")]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("agent-fix: standard output: No space left on device")
    assert done.stderr.count("\n") == 1


def test_a_disk_that_is_full_costs_the_index_and_not_the_map(folder: Path, tmp_path: Path) -> None:
    """RLIMIT_FSIZE stands for it: no file may become larger than one page."""
    program = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); {PROGRAM}"
    command = [sys.executable, "-c", program, "map", str(folder), "--index", str(tmp_path / "map.db")]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.startswith("total.py\n    1  def total(prices):\n")
    assert "(what was read is not kept: " in shown


def test_a_budget_that_shows_nothing_is_told(agent_fix: CommandLine, folder: Path, tmp_path: Path) -> None:
    done = agent_fix("map", folder, "--index", tmp_path / "map.db", "--tokens", "5")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "agent-fix: 5 tokens are too few to show anything\n"


def test_a_repository_that_cannot_be_read_is_noted(agent_fix: CommandLine, folder: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / ".git" / "config").write_text("[broken\n")
    done = agent_fix("map", folder, "--index", tmp_path / "map.db")
    assert "(no commit but the folder as it is: git rev-parse failed: fatal: bad config line 1" in done.stdout
    assert "total.py\n    1  def total(prices):\n" in done.stdout


def test_a_repository_without_a_commit_is_said_to_be_one(agent_fix: CommandLine, folder: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    done = agent_fix("map", folder, "--index", tmp_path / "map.db")
    assert f"(no commit but the folder as it is: The repository {folder} has no commit yet.)" in done.stdout
    assert done.stderr == ""


def test_a_note_that_does_not_fit_is_told_beside_the_map(agent_fix: CommandLine, folder: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    done = agent_fix("map", folder, "--index", tmp_path / "map.db", "--tokens", "250")
    assert done.stdout.endswith("top level:\n  total.py\n")
    assert done.stderr == f"agent-fix: no commit but the folder as it is: The repository {folder} has no commit yet.\n"


def test_a_tree_without_files_is_not_put_down_to_the_budget(agent_fix: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = agent_fix("map", tmp_path / "empty", "--index", tmp_path / "map.db", "--tokens", "50")
    assert done.stderr == "agent-fix: there are no files to show\n"


def test_each_repository_has_an_index_of_its_own(agent_fix: CommandLine, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    for mapped in (folder, tmp_path / "other", folder):
        agent_fix("map", mapped, HOME=str(tmp_path))
    assert len([*(tmp_path / ".cache" / "agent-fix").glob("*.db")]) == 2


def test_clones_and_work_trees_of_a_repository_share_one(agent_fix: CommandLine, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository", {"total.py": "def total(prices): ...\n"})
    subprocess.run(["git", "clone", "-q", str(repository), str(tmp_path / "clone")], check=True)
    worktree = ["git", "-C", str(repository), "worktree", "add", "-q", "--detach", str(tmp_path / "tree")]
    subprocess.run(worktree, check=True)
    shown = {agent_fix("map", tmp_path / name, HOME=str(tmp_path)).stdout for name in ("repository", "clone", "tree")}
    assert len(shown) == 1
    assert len([*(tmp_path / ".cache" / "agent-fix").glob("*.db")]) == 1


def test_of_a_folder_in_a_repository_only_what_is_below_it_is_shown(agent_fix: CommandLine, tmp_path: Path) -> None:
    files = {"shop/cart.py": "def total(): ...\n", "shopping/list.py": "def total(): ...\n"}
    repository = make_repository(tmp_path / "repository", files)
    shown = agent_fix("map", repository / "shop", "--index", tmp_path / "map.db").stdout
    assert "shop/cart.py\n" in shown
    assert "shopping" not in shown
    assert "(only what is below shop/)" in shown


def test_a_folder_that_the_commit_does_not_hold_is_shown_as_it_is(agent_fix: CommandLine, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository", {"shop/cart.py": "def total(): ...\n"})
    (repository / "new").mkdir()
    (repository / "new" / "till.py").write_text("def till(): ...\n")
    shown = agent_fix("map", repository / "new", "--index", tmp_path / "map.db").stdout
    assert shown.startswith("till.py\n")
    assert "cart" not in shown
    assert "HEAD holds no file of it" in shown
