"""Boxes for tests of what works on them."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet, FileMode
from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.contract import Limits, SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.workspace import Workspace
from tests.support.engine import ENGINES, require_bubblewrap, require_docker
from tests.support.repositories import commit_files, head, make_repository

DEFAULT_LIMITS = Limits()
OpenWorkspace = Callable[..., Workspace]

SCRIPT_RUNNER = b"""
import os, subprocess

def hookimpl(**_):
    return lambda hook: hook

def main(arguments, plugins):
    return subprocess.call(["sh", "-c", os.environ["SCRIPT"]])
"""
"""Stands where pytest would: all that these tests want of a suite is what it does to the work tree."""

BASE_FILES: dict[str, bytes | str] = {
    "a.py": "x = 1\n",
    "pkg/b.py": "y = 2\n",
    "binary.bin": bytes(range(256)),
    "latin.txt": "caf\xe9\n".encode("latin-1"),
    ".gitignore": "*.log\n/build/\n",
}


@pytest.fixture(scope="session", params=ENGINES)
def real_engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxEngine]:
    """Boxes that contain what runs in them."""
    if request.param == "docker":
        with closing(DockerEngine(docker_host=require_docker())) as engine:
            yield engine
        return
    yield require_bubblewrap(tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with `BASE_FILES`, an executable and links; not to be altered."""
    repository = make_repository(tmp_path_factory.mktemp("base") / "repository")
    (repository / "run.sh").write_text("#!/bin/sh\n")
    (repository / "run.sh").chmod(0o755)
    (repository / "link").symlink_to("a.py")
    (repository / "outside").symlink_to("/etc")
    for path, content in BASE_FILES.items():
        (repository / path).parent.mkdir(exist_ok=True)
        (repository / path).write_bytes(content.encode() if isinstance(content, str) else content)
    commit_files(repository, {})
    return repository


@pytest.fixture
def checkout(base: Path) -> Iterator[GitCheckout]:
    with GitCheckout(base / ".git", head(base)) as checkout:
        yield checkout


@pytest.fixture
def open_workspace(checkout: GitCheckout) -> Iterator[OpenWorkspace]:
    """`open_workspace(engine, script, change, limits)`: a workspace whose "test runner" is a shell script."""
    opened = []

    def open_one(
        engine: SandboxEngine, script: str = "true", change: ChangeSet | None = None, limits: Limits = DEFAULT_LIMITS
    ) -> Workspace:
        variables = {"PATH": "/tmp/runner:/usr/bin:/bin", "SCRIPT": script}
        environment = Environment("test", (), (), (TestCommand("pytest", ("pytest",)),), (), variables=variables)
        box = fresh_box(engine, checkout, None, overlay=change, limits=limits)
        box.write("/tmp/runner/python3", b"/usr/bin/python3", FileMode.SYMLINK)
        box.write("/tmp/runner/pytest.py", SCRIPT_RUNNER)
        workspace = Workspace(box, checkout, environment, change=change)
        opened.append(workspace)
        return workspace

    yield open_one
    for workspace in opened:
        workspace.close()
