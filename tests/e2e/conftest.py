"""Two services for most end-to-end tests, one for each kind of sandbox; others for other settings."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from app.standins.messages import MessagesServer
from tests.support.engine import require_docker
from tests.support.stage import ScriptedMessages, Stage, open_service

OpenStage = Callable[[Mapping[str, str]], AbstractContextManager[Stage]]
DOCKER_TURNS = 5
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("services")


@pytest.fixture(scope="session")
def open_stage(folder: Path) -> OpenStage:
    """Opens a stage with settings of its own. Layers made by one service are found by the next."""
    layers = folder / "bubblewrap"
    layers.mkdir()

    @contextmanager
    def open_one(settings: Mapping[str, str]) -> Iterator[Stage]:
        own = folder / str(next(_NUMBERS))
        own.mkdir()
        (own / "bubblewrap").symlink_to(layers)
        scripted = ScriptedMessages()
        sandbox = settings.get("AGENT_FIX_SANDBOX", "bubblewrap")
        with (
            GitHubStandIn() as github,
            MessagesServer(scripted) as messages,
            open_service(github, messages, own, sandbox, settings) as service,
        ):
            yield Stage(github, messages, scripted, service, own)

    return open_one


@pytest.fixture(scope="session")
def stage(open_stage: OpenStage) -> Iterator[Stage]:
    """Bubblewrap, and every setting as it is by default."""
    with open_stage({}) as stage:
        yield stage


@pytest.fixture(scope="session")
def docker_stage(open_stage: OpenStage) -> Iterator[Stage]:
    """Docker, and no more than `DOCKER_TURNS` turns."""
    docker = {"AGENT_FIX_SANDBOX": "docker", "DOCKER_HOST": require_docker()}
    with open_stage({**docker, "AGENT_FIX_BUDGET__TURNS": str(DOCKER_TURNS)}) as stage:
        yield stage


@pytest.fixture(scope="session", params=["stage", pytest.param("docker_stage", marks=pytest.mark.docker)])
def each_stage(request: pytest.FixtureRequest) -> Stage:
    """The one and the other kind of sandbox."""
    stage: Stage = request.getfixturevalue(request.param)
    return stage
