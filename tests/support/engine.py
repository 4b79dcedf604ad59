"""The sandbox engines that tests run against."""

import os
from functools import cache
from pathlib import Path
from typing import NoReturn

import docker
import pytest
from docker import DockerClient

from repo_tools.errors import SandboxError
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.engines import proved
from repo_tools.sandbox.image import find_image
from scripts.engine import running_host


@cache
def docker_host() -> str | None:
    """DOCKER_HOST of the engine that answers (`make engine` starts one where it can), or None."""
    return running_host()


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


def require_bubblewrap(data: Path) -> BubblewrapEngine:
    """An engine that keeps its layers in `data` and has run a command; else the test is `unavailable`."""
    engine = BubblewrapEngine(data)
    try:
        proved(engine)
    except SandboxError as error:
        unavailable(f"bubblewrap cannot make a box here: {error}")
    return engine


def unavailable(reason: str) -> NoReturn:
    """What a test needs is not here: skip and say so; with CI=true, where everything must run, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must run this: {reason}")
    pytest.skip(reason)
