"""What dead workers left is removed while others live, and by nobody that somebody waits for."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from docker import DockerClient

from repo_tools.sandbox.image import TAG
from repo_tools.sandbox.owner import INSTALLATION_LABEL, WORKER_LABEL, installation_id, this_process
from tests.support.engine import engine_client, require_docker
from tests.support.processes import eventually
from workers.companion import Companion, CompanionConfig
from workers.periodic_program import PeriodicProgram
from workers.worker import reaping_argv

ROOT = Path(__file__).parents[2]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def client() -> Iterator[DockerClient]:
    with closing(engine_client(require_docker())) as client:
        yield client


def marks(file: Path) -> int:
    return len(file.read_text()) if file.exists() else 0


def test_it_is_done_when_it_is_due_and_never_twice_at_once(tmp_path: Path) -> None:
    file, gate, clock = tmp_path / "marks", tmp_path / "gate", Clock()
    os.mkfifo(gate)
    argv = ("/bin/sh", "-c", f"printf x >> {file}; read line < {gate}")
    reaping = PeriodicProgram(argv, every_seconds=100, clock=clock)
    reaping.look()
    assert not reaping.busy
    clock.now = 10
    reaping.look()
    eventually(lambda: marks(file) == 1)
    clock.now = 200
    reaping.look()
    assert marks(file) == 1
    gate.write_text("go on\n")
    eventually(lambda: not reaping.busy)
    reaping.look()
    eventually(lambda: marks(file) == 2)
    gate.write_text("go on\n")
    eventually(lambda: not reaping.busy)
    reaping.look()
    assert not reaping.busy


@pytest.mark.docker
def test_the_program_removes_what_a_dead_worker_of_this_installation_left(client: DockerClient, tmp_path: Path) -> None:
    mine, other = installation_id(tmp_path), f"test-{uuid.uuid4().hex}"
    dead = f"{this_process()}0"  # this process's number, and not its start
    left, lives, stranger = (
        client.containers.create(TAG, ["true"], network_mode="none", labels=labels)
        for labels in (
            {INSTALLATION_LABEL: mine, WORKER_LABEL: dead},
            {INSTALLATION_LABEL: mine, WORKER_LABEL: this_process()},
            {INSTALLATION_LABEL: other, WORKER_LABEL: dead},
        )
    )
    try:
        assert "removed 1 container that" in reaped(tmp_path, require_docker())
        kept = {container.id for container in client.containers.list(all=True, ignore_removed=True)}
        assert {lives.id, stranger.id} == kept & {left.id, lives.id, stranger.id}
    finally:
        lives.remove()
        stranger.remove()


def test_where_no_engine_answers_there_is_nothing_to_remove(tmp_path: Path) -> None:
    assert reaped(tmp_path, f"unix://{tmp_path}/no.sock") == ""


def reaped(data_dir: Path, host: str) -> str:
    """What the program says. It ends well."""
    environment = {**os.environ, "DOCKER_HOST": host}
    done = subprocess.run(
        reaping_argv(data_dir), cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    return done.stderr


def test_the_companion_of_a_worker_has_it_done(tmp_path: Path) -> None:
    file = tmp_path / "marks"
    argv = ("/bin/sh", "-c", f"printf x >> {file}")
    nobody = "redis+socket:///nowhere/broker.sock"
    companion = Companion(CompanionConfig("w", f"sqlite:///{tmp_path}/runs.db", nobody, 0.2, argv, 0.5))
    eventually(lambda: marks(file) > 1)
    companion.close()
    assert marks(file) > 1


def test_a_worker_that_waits_keeps_no_engine_library_in_memory() -> None:
    program = "import sys, workers.companion; sys.exit('docker' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
