"""The engines that the contract is checked on, and boxes from them."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import BoxSpec, Sandbox, SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from tests.support.boxes import LIMITS
from tests.support.engine import require_bubblewrap, require_docker


@pytest.fixture(scope="session")
def bubblewrap(tmp_path_factory: pytest.TempPathFactory) -> BubblewrapEngine:
    return require_bubblewrap(tmp_path_factory.mktemp("data"))


@pytest.fixture(
    scope="session",
    params=[
        pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
        pytest.param("docker", marks=pytest.mark.docker),
    ],
)
def engine(request: pytest.FixtureRequest) -> Iterator[SandboxEngine]:
    if request.param == "bubblewrap":
        yield request.getfixturevalue("bubblewrap")
    else:
        with closing(DockerEngine(docker_host=require_docker())) as engine:
            yield engine


@pytest.fixture(scope="session")
def shared_box(engine: SandboxEngine) -> Iterator[Sandbox]:
    with engine.start(BoxSpec(limits=LIMITS)) as box:
        yield box


@pytest.fixture
def box(shared_box: Sandbox) -> Sandbox:
    """One box for all tests of an engine, with an empty work tree."""
    shared_box.exec(["find", "/workspace", "/tmp", "-mindepth", "1", "-delete"], timeout_seconds=30, cwd="/")
    return shared_box


@pytest.fixture
def fresh_box(engine: SandboxEngine) -> Iterator[Sandbox]:
    """A box to break."""
    with engine.start(BoxSpec(limits=LIMITS)) as box:
        yield box
