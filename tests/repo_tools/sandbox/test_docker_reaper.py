"""What a killed worker leaves on an engine goes; what lives, and what is somebody else's, stays."""

import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests
from docker import DockerClient
from docker.errors import APIError
from docker.models.containers import Container

from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_reaper import ENDED_FOR_SECONDS, is_orphan, reap
from repo_tools.sandbox.owner import INSTALLATION_LABEL, WORKER_LABEL, this_process
from tests.support.containers import SPEC
from tests.support.engine import require_docker

ROOT = Path(__file__).parents[3]
WORKER = """
import sys
from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.docker import DockerEngine
engine = DockerEngine(docker_host=sys.argv[1], installation=sys.argv[2])
boxes = [engine.start(BoxSpec()) for _ in range(2)]
made = engine._create(BoxSpec())
print("ready", flush=True)
boxes[0].exec(["sh", "-c", "trap '' TERM HUP; sleep 1000"], timeout_seconds=1000)
"""
SLEEP = ["sleep", "1000"]


@pytest.fixture
def installation(client: DockerClient) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex}"
    yield name
    for container in held(client, name):
        container.remove(force=True)


def held(client: DockerClient, installation: str) -> list[Container]:
    label = f"{INSTALLATION_LABEL}={installation}"
    found: list[Container] = client.containers.list(all=True, filters={"label": label}, ignore_removed=True)
    return found


def kill_a_worker(installation: str) -> None:
    """One that holds a box with a command, one without, and a container that was never started."""
    argv = [sys.executable, "-c", WORKER, require_docker(), installation]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE) as worker:
        assert worker.stdout
        assert worker.stdout.readline() == b"ready\n"
        worker.kill()


@pytest.mark.docker
def test_nothing_of_a_killed_worker_is_left(client: DockerClient, installation: str) -> None:
    """S04."""
    kill_a_worker(installation)
    assert len(held(client, installation)) == 3
    assert reap(client, installation) == 3
    assert held(client, installation) == []
    assert reap(client, installation) == 0


@pytest.mark.docker
def test_the_next_worker_reaps_at_its_start(client: DockerClient, installation: str) -> None:
    kill_a_worker(installation)
    with closing(DockerEngine(docker_host=require_docker(), installation=installation)):
        assert held(client, installation) == []


@pytest.mark.docker
def test_a_live_workers_boxes_work_on(client: DockerClient, installation: str) -> None:
    with closing(DockerEngine(docker_host=require_docker(), installation=installation)) as engine:
        with engine.start(SPEC) as box:
            kill_a_worker(installation)
            assert engine.reap() == 3
            assert box.exec(["echo", "here"], timeout_seconds=30).output == b"here\n"
        assert held(client, installation) == []


@pytest.mark.docker
def test_a_strangers_containers_are_not_touched(client: DockerClient, installation: str) -> None:
    """S13. Neither another installation's, though its worker is dead, nor those of nobody."""
    kill_a_worker(other := f"{installation}-other")
    stranger = client.containers.run(
        held(client, other)[0].image, SLEEP, detach=True, network_mode="none", name=f"agent-fix-{uuid.uuid4().hex}"
    )
    try:
        assert reap(client, installation) == 0
        assert len(held(client, other)) == 3
        stranger.reload()
        assert stranger.status == "running"
    finally:
        stranger.remove(force=True)
        assert reap(client, other) == 3


@pytest.mark.docker
def test_the_box_of_a_killed_worker_ends_by_itself(client: DockerClient, installation: str) -> None:
    """S04. Also where nobody reaps."""
    kill_a_worker(installation)
    deadline = time.monotonic() + 60
    while running(client, installation) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert running(client, installation) == []


def running(client: DockerClient, installation: str) -> list[Container]:
    return [container for container in held(client, installation) if container.status == "running"]


class Stubborn:
    """An engine's low-level client: it answers these removals with these status codes."""

    def __init__(self, **answers: int) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def containers(self, **_: object) -> list[dict[str, Any]]:
        return [listed(Id=name) for name in self.answers]

    def remove_container(self, container_id: str, **_: object) -> None:
        self.asked.append(container_id)
        response = requests.Response()
        response.status_code = self.answers[container_id]
        if not response.ok:
            raise APIError("no", response)


def test_a_container_that_cannot_be_removed_is_told_of_and_keeps_no_other(caplog: pytest.LogCaptureFixture) -> None:
    engine = Stubborn(stuck=500, leaving=409, gone=404, removed=204)
    client: Any = SimpleNamespace(api=engine)
    assert reap(client, "mine", 1e12) == 3
    assert engine.asked == ["stuck", "leaving", "gone", "removed"]
    (message,) = caplog.messages
    assert "stuck" in message


def listed(**changes: Any) -> dict[str, Any]:
    labels = {INSTALLATION_LABEL: "mine", WORKER_LABEL: "elsewhere/1:2:3"}
    return {"Labels": labels, "State": "exited", "Created": 1000, **changes}


def test_what_a_worker_elsewhere_left_goes_once_it_has_not_run_for_long() -> None:
    later = 1000 + ENDED_FOR_SECONDS + 1
    assert is_orphan(listed(), "mine", later)
    assert is_orphan(listed(State="created"), "mine", later)
    assert not is_orphan(listed(), "mine", later - 2)
    assert not is_orphan(listed(State="running"), "mine", later)
    assert not is_orphan(listed(), "another", later)
    assert not is_orphan(listed(Labels={}), "mine", later)


def test_age_is_told_by_the_engines_clock_not_by_this_machines() -> None:
    """By that of this machine these were made decades ago, as they would be where its clock has jumped."""
    engine = Stubborn(starting=204)
    told = {"SystemTime": "1970-01-01T00:16:41.123456789Z"}
    client: Any = SimpleNamespace(api=engine, info=lambda: told)
    assert reap(client, "mine") == 0
    told["SystemTime"] = "1970-01-01T01:16:42.5Z"
    assert reap(client, "mine") == 1


def test_a_live_workers_box_stays_however_old_unless_it_has_ended() -> None:
    labels = {INSTALLATION_LABEL: "mine", WORKER_LABEL: this_process()}
    assert not is_orphan(listed(Labels=labels, State="running"), "mine", 1e12)
    assert not is_orphan(listed(Labels=labels), "mine", 1001)
