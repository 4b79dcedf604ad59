"""A repository that is known already: from the label to the end of its baseline, without the tests' own time.

Everything is there that an operator has: `agent-fix serve`, a signed delivery, git over HTTP, boxes. GitHub and the
model are stand-ins on this machine.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from agent.scripted import text, tool_use
from app.demo.service import Service
from app.standins.github import GitHubStandIn
from app.standins.messages import MessagesServer
from bench.engine import engine_host
from bench.table import PeerMissingError, Row, alone, missing
from tests.support.engine import docker_settings
from tests.support.stage import MAINTAINER, ScriptedMessages, open_service
from workers.settings import StoreSettings
from workers.store import Step, open_store

REPOSITORY = "acme/known"
SECOND_RUNS = 5
TARGET_SECONDS = 3.0
RUN_SECONDS = 600.0
MODULES = 200
PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "known"
version = "1.0"
dependencies = ["attrs"]
[project.optional-dependencies]
test = ["pytest"]
[tool.setuptools]
packages = ["known"]
"""
MODULE = "import attrs\n\n\ndef value():\n    return {}\n"
TEST = "from known.module_{0} import value\n\n\ndef test_value():\n    assert value() == {0}\n"
FILES: Mapping[str, bytes] = {
    "pyproject.toml": PROJECT.encode(),
    "known/__init__.py": b"",
    **{f"known/module_{n}.py": 20 * MODULE.format(n).encode() for n in range(MODULES)},
    **{f"tests/test_{n}.py": TEST.format(n).encode() for n in range(MODULES)},
}
GIVE_UP = [text("Success criterion: none.\n\nPlan: none."), tool_use("give_up", reason="Only the start is measured.")]


def measure() -> list[Row]:
    try:
        engine_host()
        docker = _row("docker", docker_settings())
    except PeerMissingError as why:
        docker = missing(_what("docker"), TARGET_SECONDS, "s", why)
    return [docker, _row("bubblewrap", {"AGENT_FIX_SANDBOX": "bubblewrap"})]


def _what(engine: str) -> str:
    return f"label to baseline done, second run on a known repository, {engine}, without the tests' own time"


def _row(engine: str, settings: Mapping[str, str]) -> Row:
    with tempfile.TemporaryDirectory() as folder, _running(Path(folder), settings) as (github, service):
        github.create_repository(REPOSITORY, FILES)
        github.add_collaborator(REPOSITORY, MAINTAINER, "write")
        store = open_store(StoreSettings(data_dir=Path(folder)).effective_database_url)
        try:
            seconds = [_labelled(github, service, store.steps) for _ in range(1 + SECOND_RUNS)]
        finally:
            store.close()
    return alone(_what(engine), seconds[1:], TARGET_SECONDS, "s")


@contextmanager
def _running(folder: Path, settings: Mapping[str, str]) -> Iterator[tuple[GitHubStandIn, Service]]:
    scripted = ScriptedMessages()
    scripted.scripts[""] = [GIVE_UP]
    if bundle := os.environ.get("AGENT_FIX_CA_BUNDLE") or os.environ.get("SSL_CERT_FILE"):
        settings = {"AGENT_FIX_CA_BUNDLE": bundle, **settings}
    sandbox = settings.get("AGENT_FIX_SANDBOX", "docker")
    with (
        GitHubStandIn() as github,
        MessagesServer(scripted) as messages,
        open_service(github, messages, folder, sandbox, settings) as service,
    ):
        yield github, service


def _labelled(github: GitHubStandIn, service: Service, steps: Callable[[str], Sequence[Step]]) -> float:
    number = github.open_issue(REPOSITORY, "Something is wrong", "It is wrong.")
    labelled = time.time()
    delivery = github.label_issue(REPOSITORY, number, "agent-fix", MAINTAINER)
    if delivery is None or delivery.response is None:
        raise RuntimeError("the label was not delivered")
    run = str(delivery.response.json()["run"])
    service.wait_until_ended(run, RUN_SECONDS)
    done = [step for step in steps(run) if step.kind == "baseline"]
    if not done:
        raise RuntimeError(f"no baseline: {service.run(run)}")
    return done[0].at.timestamp() - labelled - float(done[0].data["seconds"])
