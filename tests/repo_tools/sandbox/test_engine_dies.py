"""The engine is killed while a box runs on it: whoever waits is told soon, as of something that may be tried again."""

import secrets
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from repo_tools.errors import SandboxUnavailableError
from repo_tools.sandbox.docker import DockerEngine
from tests.support.containers import SPEC
from tests.support.crowd import processes_with
from tests.support.processes import eventually
from tests.support.second_engine import SecondEngine, second_engine

pytestmark = [
    pytest.mark.docker,
    # The SDK leaves a socket open to the collector where nobody answers it.
    pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]


@pytest.fixture
def dying() -> Iterator[SecondEngine]:
    with second_engine() as engine:
        yield engine


def test_who_waits_for_an_engine_that_dies_does_not_hang_and_may_try_again(dying: SecondEngine) -> None:
    with closing(DockerEngine(docker_host=dying.host)) as engine:
        box = engine.start(SPEC)
        nap = f"300.{secrets.randbelow(10**12):012}"  # which no other process of this machine has in its command line
        with ThreadPoolExecutor(1) as pool:
            killing = pool.submit(kill_once_running, dying, nap)
            with pytest.raises(SandboxUnavailableError):
                box.exec(["sleep", nap], timeout_seconds=300)
            assert time.monotonic() - killing.result() < 60
        with pytest.raises(SandboxUnavailableError):
            engine.start(SPEC)
        box.close()


def kill_once_running(engine: SecondEngine, mark: str) -> float:
    """Kill it when a process with `mark` in its command line is there; when that was."""
    try:
        eventually(lambda: processes_with(mark), 120)
    finally:
        engine.kill()
    return time.monotonic()
