"""Which engine is taken, and what the operator reads where none works."""

import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from repo_tools.errors import ConfigError, SandboxError, ServiceMissingError
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_versions import version_problem
from repo_tools.sandbox.engines import chosen, engine_makers, first_working, open_engine
from repo_tools.sandbox.service import Service
from tests.support.containers import SPEC
from tests.support.engine import engine_versions, require_docker, require_gvisor
from tests.support.services import require_service_images

WITH_REDIS = replace(SPEC, services=(Service("redis"),))


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
def test_who_asks_is_told_why_a_better_engine_was_passed_over(bubblewrap: BubblewrapEngine) -> None:
    told: list[str] = []
    first_working({"docker with runc": broken("runc is old"), "bubblewrap": lambda: bubblewrap}, told.append)
    away = {"docker with runsc": broken("no answer"), "docker with runc": broken("no answer")}
    first_working({**away, "bubblewrap": lambda: bubblewrap}, told.append)
    assert told == ["docker with runc: runc is old", "docker with runsc, docker with runc: no answer"]


@pytest.mark.bubblewrap
def test_an_engine_can_be_named(bubblewrap: BubblewrapEngine, tmp_path: Path) -> None:
    assert open_engine("bubblewrap", tmp_path).name == "bubblewrap"


def test_containers_come_first() -> None:
    assert list(engine_makers(Path("/nowhere"), None)) == ["docker with runsc", "docker with runc", "bubblewrap"]
    assert list(engine_makers(Path("/nowhere"), None, "runc")) == ["docker with runc", "bubblewrap"]


def test_docker_is_taken_with_either_runtime_and_with_nothing_else() -> None:
    makers = engine_makers(Path("/nowhere"), None)
    assert list(chosen("docker", makers)) == ["docker with runsc", "docker with runc"]
    assert chosen("auto", makers) is makers


@pytest.mark.docker
def test_an_engine_whose_runc_has_known_holes_is_taken_only_where_the_operator_vouches_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S08."""
    monkeypatch.setenv("DOCKER_HOST", require_docker())
    found = engine_versions()
    if version_problem(found, "runc", None) == "":
        assert_taken(open_engine("docker", tmp_path, runtime="runc"))
        return
    with pytest.raises(
        ConfigError, match=f"docker with runc: .*set AGENT_FIX_ACCEPT_RUNC={re.escape(found.runc_build)}"
    ):
        open_engine("docker", tmp_path, runtime="runc")
    with pytest.raises(ConfigError, match="docker with runc"):
        open_engine("docker", tmp_path, runtime="runc", accepted_runc=f"{found.runc_build}.1")
    assert_taken(open_engine("docker", tmp_path, runtime="runc", accepted_runc=found.runc_build))


def assert_taken(engine: SandboxEngine) -> None:
    assert isinstance(engine, DockerEngine)
    engine.close()


@pytest.mark.docker
@pytest.mark.parametrize(("choice", "runtime"), [("auto", "auto"), ("docker", "auto"), ("docker", "runsc")])
def test_gvisor_is_taken_where_the_engine_has_it(
    choice: str, runtime: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", require_gvisor())
    told: list[str] = []
    engine = open_engine(choice, tmp_path, runtime=runtime, passed_over=told.append)
    assert isinstance(engine, DockerEngine)
    with closing(engine):
        assert "runsc" in engine.describe()
    assert told == []


@pytest.mark.docker
@pytest.mark.parametrize("runtime", ["auto", "runsc"])
def test_services_have_a_runtime_of_their_own_only_where_nobody_chose_one(
    runtime: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_service_images("redis")
    monkeypatch.setenv("DOCKER_HOST", require_gvisor())
    found = engine_versions()
    engine = open_engine("docker", tmp_path, runtime=runtime, accepted_runc=found.runc_build or found.runc)
    assert isinstance(engine, DockerEngine)
    with closing(engine):
        if runtime == "auto":
            with engine.start(WITH_REDIS) as box:
                assert "ran under runc" in box.service_notes()[-1]
        else:
            with pytest.raises(ServiceMissingError, match="AGENT_FIX_SANDBOX_RUNTIME"):
                engine.start(WITH_REDIS)


def test_where_nothing_works_the_operator_reads_what_failed_in_each() -> None:
    with pytest.raises(ConfigError, match=r"docker: .*; bubblewrap: no namespaces") as caught:
        first_working({"docker": no_docker, "bubblewrap": broken("no namespaces")})
    assert caught.value.setting == "AGENT_FIX_SANDBOX"
    assert "kernel.unprivileged_userns_clone" in caught.value.remedy
    assert caught.value.remedy.startswith("Start a container engine and run `agent-fix sandbox build`, or allow")


def test_the_remedy_is_that_of_the_engine_which_was_asked_for() -> None:
    with pytest.raises(ConfigError) as caught:
        first_working({"docker with runc": no_docker})
    assert caught.value.remedy == "Start a container engine and run `agent-fix sandbox build`"


def test_an_unknown_engine_is_an_error_of_the_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Use auto, docker or bubblewrap"):
        open_engine("podman", tmp_path)
