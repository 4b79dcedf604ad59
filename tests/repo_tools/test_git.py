"""Running git: time-outs, kinds of failure, and the rules that our own code keeps."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import agent
import app
import repo_tools
import workers
from repo_tools.errors import RepoError, RepoUnavailableError
from repo_tools.git import Git, ReadingGit, failure
from tests.support.git_http import serve_git
from tests.support.processes import eventually
from tests.support.repositories import make_repository

PACKAGES = (app, workers, agent, repo_tools)


def test_a_call_that_takes_too_long_may_succeed_later_and_leaves_no_process(tmp_path: Path) -> None:
    with serve_git(tmp_path) as server:
        server.gate.clear()
        git = Git(make_repository(tmp_path / "r") / ".git", allowed_protocols="http")
        with pytest.raises(RepoUnavailableError, match="longer than"):
            git.run("fetch", server.url, timeout_seconds=0.5)
        eventually(lambda: not any(server.url in line for line in command_lines()), 60)  # it may take a moment to die


def command_lines() -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            yield (process / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue


def test_transports_are_off_unless_they_are_named(tmp_path: Path) -> None:
    git = Git(make_repository(tmp_path / "r") / ".git")
    other = make_repository(tmp_path / "other", {"a": "a"})
    for url in (str(other), f"file://{other}", "https://127.0.0.1:9/x", "ssh://127.0.0.1/x", "ext::true", "git://x/y"):
        with pytest.raises(RepoError, match="not allowed"):
            git.run("fetch", url)


@pytest.mark.parametrize("kind", [Git, ReadingGit])
def test_git_hears_nothing_of_this_process_but_what_it_needs(
    kind: type[Git], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a secret nor a variable that steers git."""
    monkeypatch.setenv("AGENT_FIX_WEBHOOK_SECRET", "s3cret")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "/bin/false")
    monkeypatch.setenv("LD_PRELOAD", "")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_text("#!/bin/sh\nenv\n")
    (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    heard = dict(line.split("=", 1) for line in kind(tmp_path).run("version").decode().splitlines())
    assert not heard.keys() & {"AGENT_FIX_WEBHOOK_SECRET", "GIT_EXTERNAL_DIFF", "LD_PRELOAD"}
    assert (heard["HOME"], heard["GIT_DIR"]) == ("/nonexistent", str(tmp_path))
    assert heard.keys() >= {"GIT_CONFIG_COUNT", "GIT_ALLOW_PROTOCOL", "PATH"}


def test_a_folder_that_is_gone_is_not_taken_for_git(tmp_path: Path) -> None:
    with pytest.raises(RepoError, match=r"git cannot start: .*gone"):
        ReadingGit(tmp_path / "gone").run("version")


@pytest.mark.parametrize(
    "said",
    [
        "fatal: unable to access 'https://x/': Could not resolve host: x",
        "fatal: unable to access 'https://x/': Failed to connect to x port 443 after 2 ms: Connection refused",
        "fatal: unable to access 'https://x/': The requested URL returned error: 503",
        "fatal: unable to access 'https://x/': The requested URL returned error: 429",
        "error: RPC failed; curl 56 GnuTLS recv error (-9)\nfatal: early EOF",
        "fatal: the remote end hung up unexpectedly",
        "fatal: write error: No space left on device",
    ],
)
def test_what_the_network_did_may_be_tried_again(said: str) -> None:
    assert isinstance(failure("fetch", 128, said.encode()), RepoUnavailableError)


@pytest.mark.parametrize(
    "said",
    [
        "remote: Repository not found.\nfatal: repository 'https://x/' not found",
        "fatal: unable to access 'https://x/': The requested URL returned error: 403",
        "fatal: could not read Username for 'https://x': terminal prompts disabled",
        "fatal: Authentication failed for 'https://x/'",
        "fatal: couldn't find remote ref refs/heads/x",
        "fatal: unable to access 'https://x/': server certificate verification failed. CAfile: none",
        "fatal: bad object 123",
        "",
    ],
)
def test_what_somebody_must_change_is_not_tried_again(said: str) -> None:
    assert not isinstance(failure("fetch", 128, said.encode()), RepoUnavailableError)


def test_an_error_tells_what_git_said_and_is_short() -> None:
    error = failure("fetch", 128, b"warning: x\nfatal: no such thing\nhint: " + b"y" * 10_000)
    assert str(error) == "git fetch failed: fatal: no such thing"
    assert len(str(failure("fetch", 128, b"fatal: " + b"z" * 10_000))) < 600


def test_a_machine_without_git_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "env").symlink_to(str(shutil.which("env")))
    program = "from pathlib import Path; from repo_tools.local import LocalRepository as L; L(Path('/'))"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert "git is not installed." in done.stderr.splitlines()[-1]


def product_sources() -> list[Path]:
    return [path for package in PACKAGES for path in Path(next(iter(package.__path__))).rglob("*.py")]


def test_git_is_run_in_one_place_only() -> None:
    """GitPython's high-level calls run hooks and monitors; whatever needs git goes through `repo_tools.git`."""
    users = {path.name for path in product_sources() if imports_gitpython(ast.parse(path.read_bytes()))}
    assert users == {"git.py"}


def imports_gitpython(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "git" for alias in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] == "git":
            return True
    return False


def test_no_call_of_gitpython_takes_options_from_data() -> None:
    """T19: no `**options`, no `multi_options`, no `clone_from`, no other attribute of the module than these."""
    tree = ast.parse(Path(next(iter(repo_tools.__path__)), "git.py").read_bytes())
    assert gitpython_offences(tree) == []


@pytest.mark.parametrize(
    "source",
    [
        "import git\ngit.Repo.clone_from(url, path)",
        "import git\ngit.Git(x).execute(argv, **options)",
        "import git\ngit.Git(x).fetch(url)",
        "import git\ngit.Git(x).execute(argv, multi_options=o)",
        "import git\ngit.Git(x).execute(argv, shell=True)",
        "import git\ngit.Git(x).execute(f'git {x}')",
        "import git as g\ng.Git(x)",
        "from git import Repo",
        "import git\ngetattr(git, name)",
    ],
)
def test_the_check_above_finds_what_it_is_for(source: str) -> None:
    assert gitpython_offences(ast.parse(source))


_EXECUTE_OPTIONS = {"istream", "as_process", "env", "start_new_session"}


def gitpython_offences(tree: ast.AST) -> list[str]:
    return [problem for node in ast.walk(tree) if (problem := offence(node))]


def offence(node: ast.AST) -> str | None:
    match node:
        case ast.ImportFrom(module=str(module), level=0) if module.split(".")[0] == "git":
            return "names imported from the module"
        case ast.alias(name="git", asname=str()):
            return "the module under another name"
        case ast.Attribute(value=ast.Name(id="git"), attr=name) if name not in ("Git", "GitCommandNotFound"):
            return f"git.{name}"
        case ast.Call(func=ast.Name(id="getattr" | "vars"), args=[ast.Name(id="git"), *_]):
            return "attributes by name"
        case ast.Attribute(value=ast.Call(func=ast.Attribute(value=ast.Name(id="git"))), attr=name) if (
            name != "execute"
        ):
            return f"git.Git().{name}"
        case ast.Call(func=ast.Attribute(attr="execute"), args=arguments, keywords=keywords):
            if len(arguments) != 1 or not isinstance(arguments[0], ast.List):
                return "a command that is no list"
            if {keyword.arg for keyword in keywords} - _EXECUTE_OPTIONS:
                return "options that are not named here"
    return None
