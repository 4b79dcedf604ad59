"""The engine is killed while a box runs on it: whoever waits is told soon, as of something that may be tried again."""

import gc
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_tools.errors import SandboxUnavailableError
from repo_tools.sandbox.docker import DockerEngine
from tests.support.containers import SPEC
from tests.support.second_engine import SecondEngine, second_engine

pytestmark = [
    pytest.mark.docker,
    # The SDK leaves a socket open to the collector where nobody answers it.
    pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]


@pytest.fixture
def dying() -> Iterator[SecondEngine]:
    folder = Path(tempfile.mkdtemp(prefix="agent-fix-"))
    try:
        with second_engine(folder) as engine:
            yield engine
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        gc.collect()  # those sockets, before another test is blamed for them


def test_who_waits_for_an_engine_that_dies_does_not_hang_and_may_try_again(dying: SecondEngine) -> None:
    with closing(DockerEngine(docker_host=dying.host)) as engine:
        box = engine.start(SPEC)
        killer = threading.Timer(1.0, dying.kill)
        killer.start()
        began = time.monotonic()
        with pytest.raises(SandboxUnavailableError):
            box.exec(["sleep", "300"], timeout_seconds=300)
        assert time.monotonic() - began < 60
        killer.join()
        with pytest.raises(SandboxUnavailableError):
            engine.start(SPEC)
        box.close()
