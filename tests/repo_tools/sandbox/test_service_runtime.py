"""Services where gVisor was chosen by itself: their boxes take another runtime, and people are told."""

import re
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from repo_tools.errors import ServiceMissingError
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_policy import GVISOR, RUNC
from repo_tools.sandbox.docker_versions import version_problem
from repo_tools.sandbox.service import Service
from tests.support.containers import SPEC, containers
from tests.support.engine import engine_client, engine_versions, require_gvisor
from tests.support.services import ask, require_service_images

REDIS = Service("redis", name="cache", source="ci.yml:7")
WITH_REDIS = replace(SPEC, services=(REDIS,))
pytestmark = pytest.mark.docker


@pytest.fixture
def run() -> str:
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def gvisor_engine(run: str) -> Iterator[DockerEngine]:
    require_service_images("redis")
    with closing(DockerEngine(docker_host=require_gvisor(), runtime=GVISOR, installation=run)) as engine:
        yield engine


def runtimes(run: str) -> set[str]:
    """Of all containers of this run."""
    with closing(engine_client(require_gvisor())) as client:
        return {one.attrs["HostConfig"]["Runtime"] for one in containers(client, run)}


def test_a_box_with_services_is_under_the_other_runtime_and_says_so(gvisor_engine: DockerEngine, run: str) -> None:
    found = engine_versions()
    gvisor_engine.serve_under(RUNC, found.runc_build or found.runc)
    with gvisor_engine.start(WITH_REDIS) as box:
        assert ask(box, "redis", 6379, "PING", host="cache") == "+PONG"
        assert runtimes(run) == {RUNC}
        assert "under runsc: the sandboxes of the tests that need them ran under runc" in box.service_notes()[-1]
    with gvisor_engine.start(SPEC) as box:
        assert runtimes(run) == {GVISOR}
        assert box.service_notes() == ()


def test_a_service_that_was_only_found_and_cannot_be_had_changes_no_runtime(
    gvisor_engine: DockerEngine, run: str
) -> None:
    found = engine_versions()
    gvisor_engine.serve_under(RUNC, found.runc_build or found.runc)
    with gvisor_engine.start(replace(SPEC, services=(Service("redis", port=80, required=False),))) as box:
        assert runtimes(run) == {GVISOR}
        assert len(box.service_notes()) == 1


def test_a_runtime_that_cannot_be_had_is_not_taken_and_the_refusal_says_why(gvisor_engine: DockerEngine) -> None:
    gvisor_engine.serve_under("nonesuch")
    with pytest.raises(ServiceMissingError, match=r"AGENT_FIX_SANDBOX_RUNTIME.*no runtime nonesuch"):
        gvisor_engine.start(WITH_REDIS)


def test_one_with_known_holes_is_not_taken_either(gvisor_engine: DockerEngine) -> None:
    """S08."""
    problem = version_problem(engine_versions(), RUNC, None)
    gvisor_engine.serve_under(RUNC)
    if problem:
        with pytest.raises(ServiceMissingError, match=re.escape(problem)):
            gvisor_engine.start(WITH_REDIS)
    else:
        gvisor_engine.start(WITH_REDIS).close()


def test_a_runtime_that_the_operator_chose_stays_the_runtime(gvisor_engine: DockerEngine, run: str) -> None:
    with pytest.raises(ServiceMissingError, match=r"The tests need Redis .*services need the runtime\s+runc"):
        gvisor_engine.start(WITH_REDIS)
    assert runtimes(run) == set()
