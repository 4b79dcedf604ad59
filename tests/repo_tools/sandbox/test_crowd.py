"""Sixteen boxes at once, a quarter of them hostile: all end as they should, and nothing of them is left."""

import gc
import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.owner import INSTALLATION_LABEL
from tests.support.containers import containers
from tests.support.crowd import control_groups, descendants, entertain, guests, processes_with
from tests.support.engine import engine_client, require_docker
from tests.support.processes import eventually
from tests.support.threads import LASTING, wait_for_threads

BOXES = 16
CPU_SECONDS = 0.2


@pytest.fixture
def mark() -> str:
    return secrets.token_hex(8)


Held = frozenset[tuple[str, object]]


def held() -> Held:
    """What this process holds: descriptors and what they stand for, threads, processes."""
    targets = {name: target(name) for name in os.listdir("/proc/self/fd")}
    return frozenset(("descriptor", held) for held in targets.items() if held[1]) | threads_and_processes()


def target(descriptor: str) -> str:
    """What it stands for; nothing for the one that the list itself was read with."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except FileNotFoundError:
        return ""


def threads_and_processes() -> Held:
    threads = {("thread", thread) for thread in threading.enumerate()}
    return frozenset(threads | {("process", pid) for pid in descendants()})


def settle() -> None:
    """What earlier tests of this process left for a moment goes before anything is measured."""
    wait_for_threads(*LASTING)
    gc.collect()


def returns_to(before: Held, now: Callable[[], Held]) -> None:
    eventually(lambda: now() <= before, 60, "nothing is held that was not before")


def test_sixteen_bubblewrap_boxes_at_once_end_as_expected_and_leave_nothing(
    bubblewrap: BubblewrapEngine, mark: str
) -> None:
    settle()
    before = held()
    assert unexpected(bubblewrap, mark) == []
    returns_to(before, held)
    assert processes_with(mark) == []


@pytest.fixture
def docker(mark: str) -> Iterator[DockerEngine]:
    with closing(DockerEngine(docker_host=require_docker(), installation=mark)) as engine:
        yield engine


@pytest.mark.docker
def test_sixteen_containers_at_once_end_as_expected_and_leave_nothing(docker: DockerEngine, mark: str) -> None:
    settle()
    client = engine_client(require_docker())
    with (
        closing(client),
        closing(client.api.events(decode=True, filters={"label": f"{INSTALLATION_LABEL}={mark}"})) as events,
    ):
        before = threads_and_processes()
        assert unexpected(docker, mark) == []
        assert containers(client, mark) == []
        made = {str(event["id"]) for event, _ in zip(events, range(BOXES), strict=False)}
    assert made
    eventually(lambda: not control_groups(made), 60)
    assert processes_with(mark) == []
    returns_to(before, threads_and_processes)


def unexpected(engine: SandboxEngine, mark: str) -> list[str]:
    return entertain(engine, guests(BOXES), at_once=BOXES, mark=mark, cpu_seconds=CPU_SECONDS)
