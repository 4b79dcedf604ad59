"""Two services for most end-to-end tests, one for each kind of sandbox; others for other settings."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest

from app.standins.github import GitHubStandIn
from app.standins.messages import MessagesServer
from repo_tools.sandbox.image import TAG
from tests.support.engine import docker_settings
from tests.support.stage import ScriptedMessages, Stage, open_service, put_away

OpenStage = Callable[[Mapping[str, str]], AbstractContextManager[Stage]]
DOCKER_TURNS = 5
OTHER_MODEL = "claude-haiku-5-5"
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("services")


@pytest.fixture(scope="session")
def open_stage(folder: Path) -> Iterator[OpenStage]:
    """Opens a stage with settings of its own. Layers made by one service are found by the next: they have one folder,
    and one GitHub after the other's end."""
    layers = folder / "bubblewrap"
    layers.mkdir()
    free: list[GitHubStandIn] = []

    @contextmanager
    def github() -> Iterator[GitHubStandIn]:
        standin = free.pop() if free else running.enter_context(GitHubStandIn())
        yield standin
        put_away(standin)
        free.append(standin)

    @contextmanager
    def open_one(settings: Mapping[str, str]) -> Iterator[Stage]:
        own = folder / str(next(_NUMBERS))
        own.mkdir()
        (own / "bubblewrap").symlink_to(layers)
        scripted = ScriptedMessages()
        sandbox = settings.get("AGENT_FIX_SANDBOX", "bubblewrap")
        with (
            github() as standin,
            MessagesServer(scripted) as messages,
            open_service(standin, messages, own, sandbox, settings) as service,
        ):
            yield Stage(standin, messages, scripted, service, own)

    with ExitStack() as running:
        yield open_one


@pytest.fixture(scope="session")
def stage(open_stage: OpenStage) -> Iterator[Stage]:
    """Bubblewrap, and every setting as it is by default, but for a model that repositories may choose."""
    with open_stage({"AGENT_FIX_ALLOWED_MODELS": OTHER_MODEL}) as stage:
        yield stage


@pytest.fixture(scope="session")
def docker_stage(open_stage: OpenStage) -> Iterator[Stage]:
    """Docker, with an image that repositories may choose, and no more than `DOCKER_TURNS` turns."""
    own = {"AGENT_FIX_ALLOWED_IMAGES": TAG, "AGENT_FIX_BUDGET__TURNS": str(DOCKER_TURNS)}
    with open_stage({**docker_settings(), **own}) as stage:
        yield stage


@pytest.fixture(
    scope="session", params=["stage", pytest.param("docker_stage", marks=[pytest.mark.docker, pytest.mark.long])]
)
def each_stage(request: pytest.FixtureRequest) -> Stage:
    """The one and the other kind of sandbox; Docker's in the long proofs."""
    stage: Stage = request.getfixturevalue(request.param)
    return stage
