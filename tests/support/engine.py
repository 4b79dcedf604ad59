"""The container engine that tests run against."""

import os
from functools import cache
from typing import NoReturn

import pytest

from scripts.engine import running_host


@cache
def docker_host() -> str | None:
    """DOCKER_HOST of the engine that answers (`make engine` starts one where it can), or None."""
    return running_host()


def require_docker() -> str:
    """DOCKER_HOST; without an engine the test is skipped, and in continuous integration it fails."""
    host = docker_host()
    if host is None:
        unavailable("no container engine answers: `make engine`, or set DOCKER_HOST")
    return host


def unavailable(reason: str) -> NoReturn:
    """What a test needs is not here: skip and say so; with CI=true, where everything must run, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must run this: {reason}")
    pytest.skip(reason)
