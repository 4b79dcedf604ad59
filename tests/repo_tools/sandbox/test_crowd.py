"""Sixteen boxes at once, a quarter of them hostile: all end as they should, and nothing of them is left."""

import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from tests.support.containers import containers
from tests.support.crowd import control_groups, descendants, entertain, guests, processes_with
from tests.support.engine import engine_client, require_docker

BOXES = 16
CPU_SECONDS = 0.2


@pytest.fixture
def mark() -> str:
    return secrets.token_hex(8)


def held() -> tuple[int, int, list[int]]:
    """What this process holds: descriptors, threads, processes."""
    return len(os.listdir("/proc/self/fd")), threading.active_count(), descendants()


def test_sixteen_bubblewrap_boxes_at_once_end_as_expected_and_leave_nothing(
    bubblewrap: BubblewrapEngine, mark: str
) -> None:
    before = held()
    assert unexpected(bubblewrap, mark) == []
    assert held() == before
    assert processes_with(mark) == []


@pytest.fixture
def docker(mark: str) -> Iterator[DockerEngine]:
    with closing(DockerEngine(docker_host=require_docker(), run=mark)) as engine:
        yield engine


@pytest.mark.docker
def test_sixteen_containers_at_once_end_as_expected_and_leave_nothing(docker: DockerEngine, mark: str) -> None:
    client = engine_client(require_docker())
    with closing(client), closing(client.api.events(decode=True, filters={"label": f"agent-fix.run={mark}"})) as events:
        threads, before = threading.active_count(), descendants()
        assert unexpected(docker, mark) == []
        assert containers(client, mark) == []
        made = {str(event["id"]) for event, _ in zip(events, range(BOXES), strict=False)}
    assert made
    assert control_groups(made) == []
    assert processes_with(mark) == []
    assert threading.active_count() == threads
    assert set(descendants()) <= set(before)


def unexpected(engine: SandboxEngine, mark: str) -> list[str]:
    return entertain(engine, guests(BOXES), at_once=BOXES, mark=mark, cpu_seconds=CPU_SECONDS)
