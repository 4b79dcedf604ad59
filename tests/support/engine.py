"""The sandbox engines that tests run against."""

import os
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NoReturn

import docker
import pytest
from docker import DockerClient

from repo_tools.errors import SandboxError
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_policy import GVISOR
from repo_tools.sandbox.docker_versions import EngineVersions, versions_of
from repo_tools.sandbox.image import find_image
from repo_tools.sandbox.proof import proved
from scripts.engine import running_host


@cache
def docker_host() -> str | None:
    """DOCKER_HOST of the engine that answers (`make engine` starts one where it can), or None. The answer stands for
    the whole session, and where it is None tests are skipped: one that is busy for some seconds is asked again."""
    return next(filter(None, (running_host() for _ in range(3))), None)


ENGINES = (
    pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
    pytest.param("docker", marks=pytest.mark.docker),
)
ENGINES_WITH_GVISOR = (*ENGINES, pytest.param("gvisor", marks=pytest.mark.docker))
"""For what is asked of each of them: that nothing gets out."""
CONTRACTORS = (*ENGINES, pytest.param("gvisor", marks=[pytest.mark.docker, pytest.mark.long]))
"""The contract is the same code for gVisor as for runc."""


def opened(request: pytest.FixtureRequest) -> Iterator[SandboxEngine]:
    """The engine that a fixture's parameter names."""
    if request.param == "bubblewrap":
        yield request.getfixturevalue("bubblewrap")
        return
    gvisor = request.param == "gvisor"
    host, runtime = (require_gvisor(), "runsc") if gvisor else (require_docker(), "runc")
    with closing(DockerEngine(docker_host=host, runtime=runtime)) as engine:
        yield engine


def require_docker() -> str:
    """DOCKER_HOST of an engine that has the sandbox image; else the test is `unavailable`."""
    host = docker_host()
    if host is None:
        unavailable("no container engine answers: `make engine`, or set DOCKER_HOST")
    if problem := _image_problem(host):
        unavailable(problem)
    return host


@cache
def _image_problem(host: str) -> str:
    client = engine_client(host)
    try:
        find_image(client)
    except SandboxError as error:
        return str(error)
    finally:
        client.close()
    return ""


def engine_client(host: str) -> DockerClient:
    """For what a test looks at behind the sandbox's back."""
    return docker.DockerClient.from_env(timeout=60, environment={**os.environ, "DOCKER_HOST": host})


def require_gvisor() -> str:
    """DOCKER_HOST of an engine that has the sandbox image and gVisor's runtime; else the test is `unavailable`."""
    host = require_docker()
    with closing(engine_client(host)) as client:
        if GVISOR not in client.info()["Runtimes"]:
            unavailable("the container engine has no runtime runsc: `make engine` starts one that has")
    return host


def engine_versions() -> EngineVersions:
    """Of the engine that `require_docker` names."""
    with closing(engine_client(require_docker())) as client:
        return versions_of(client)


def docker_settings() -> dict[str, str]:
    """The environment of a worker whose boxes are containers of the tests' engine, under runc, whatever its version:
    the packages of a distribution are what there is to test with."""
    found = engine_versions()
    return {
        "DOCKER_HOST": require_docker(),
        "AGENT_FIX_SANDBOX": "docker",
        "AGENT_FIX_SANDBOX_RUNTIME": "runc",
        "AGENT_FIX_ACCEPT_RUNC": found.runc_build or found.runc,
    }


def require_bubblewrap(data: Path) -> BubblewrapEngine:
    """An engine that keeps its layers in `data` and has run a command; else the test is `unavailable`."""
    engine = BubblewrapEngine(data)
    try:
        proved(engine)
    except SandboxError as error:
        unavailable(f"bubblewrap cannot make a box here: {error}")
    return engine


def shared_bubblewrap(factory: pytest.TempPathFactory) -> BubblewrapEngine:
    """The same, with the layers of all such tests of the session, in whatever process of it: what was set up for one
    test serves the next that wants just that."""
    own = factory.getbasetemp()
    everybodys = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    return require_bubblewrap(everybodys / "engine")


def unavailable(reason: str) -> NoReturn:
    """What a test needs is not here: skip and say so; with CI=true, where everything must run, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must run this: {reason}")
    pytest.skip(reason)
