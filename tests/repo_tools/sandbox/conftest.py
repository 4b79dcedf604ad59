"""The engines that the contract is checked on, and boxes from them."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from docker import DockerClient

from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import BoxSpec, Sandbox, SandboxEngine
from tests.support.boxes import LIMITS
from tests.support.engine import ENGINES, engine_client, opened, require_bubblewrap, require_docker


@pytest.fixture(scope="session")
def bubblewrap(tmp_path_factory: pytest.TempPathFactory) -> BubblewrapEngine:
    return require_bubblewrap(tmp_path_factory.mktemp("data"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A file may name `ENGINES` of its own. The fixture stays the one: a box that files share is made anew with its
    next engine, and would not be with another fixture of that name."""
    if "engine" in metafunc.fixturenames and not hasattr(metafunc.module, "engine"):
        engines = getattr(metafunc.module, "ENGINES", ENGINES)
        metafunc.parametrize("engine", engines, indirect=True, scope="session")


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest) -> Iterator[SandboxEngine]:
    yield from opened(request)


@pytest.fixture
def gvisor(request: pytest.FixtureRequest) -> bool:
    """Whether the test's engine is that one, whose box is one process group of the host's: it ends as a whole."""
    return bool(request.node.callspec.params["engine"] == "gvisor")


@pytest.fixture(scope="session")
def shared_box(engine: SandboxEngine) -> Iterator[Sandbox]:
    with engine.start(BoxSpec(limits=LIMITS)) as box:
        yield box


@pytest.fixture
def box(shared_box: Sandbox) -> Sandbox:
    """One box for all tests of an engine, with an empty work tree."""
    shared_box.exec(
        ["find", "/workspace", "/tmp", "/var/tmp", "-mindepth", "1", "-delete"], timeout_seconds=30, cwd="/"
    )
    return shared_box


@pytest.fixture
def fresh_box(engine: SandboxEngine) -> Iterator[Sandbox]:
    """A box to break."""
    with engine.start(BoxSpec(limits=LIMITS)) as box:
        yield box


@pytest.fixture(scope="session")
def host() -> str:
    """DOCKER_HOST."""
    return require_docker()


@pytest.fixture(scope="module")
def client(host: str) -> Iterator[DockerClient]:
    with closing(engine_client(host)) as client:
        yield client
