"""Which engine is taken, and what the operator reads where none works."""

from pathlib import Path
from typing import Any

import pytest

from repo_tools.errors import ConfigError, SandboxError
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.engines import engine_makers, first_working, open_engine


def broken(text: str) -> Any:
    def make() -> SandboxEngine:
        raise SandboxError(text)

    return make


def no_docker() -> SandboxEngine:
    return DockerEngine(docker_host="tcp://127.0.0.1:1")


@pytest.mark.bubblewrap
def test_bubblewrap_is_taken_where_no_container_engine_answers(bubblewrap: BubblewrapEngine) -> None:
    assert first_working({"docker": no_docker, "bubblewrap": lambda: bubblewrap}) is bubblewrap


@pytest.mark.bubblewrap
def test_the_first_engine_that_works_is_taken(bubblewrap: BubblewrapEngine, tmp_path: Path) -> None:
    other = BubblewrapEngine(tmp_path)
    assert first_working({"one": lambda: bubblewrap, "two": lambda: other}) is bubblewrap


@pytest.mark.bubblewrap
def test_an_engine_can_be_named(bubblewrap: BubblewrapEngine, tmp_path: Path) -> None:
    assert open_engine("bubblewrap", tmp_path).name == "bubblewrap"


def test_containers_come_first() -> None:
    assert list(engine_makers(Path("/nowhere"), None)) == ["docker", "bubblewrap"]


def test_where_nothing_works_the_operator_reads_what_failed_in_each() -> None:
    with pytest.raises(ConfigError, match=r"docker: .*; bubblewrap: no namespaces") as caught:
        first_working({"docker": no_docker, "bubblewrap": broken("no namespaces")})
    assert caught.value.setting == "AGENT_FIX_SANDBOX"
    assert "kernel.unprivileged_userns_clone" in caught.value.remedy


def test_an_unknown_engine_is_an_error_of_the_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Use auto, docker or bubblewrap"):
        open_engine("podman", tmp_path)
