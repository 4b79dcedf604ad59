"""Old commits run on an older Python of the image; the program that fits packages runs under it too, which knows
neither its own modules' names nor its own command."""

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from repo_tools.environment.contract import Environment, SetupCommand, TestCommand, Tool
from repo_tools.environment.fitting import fitting_versions
from repo_tools.environment.fitting_program import DAY, LATER, SAID
from repo_tools.environment.prepare import prepare
from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.image import FURTHER_PLACE
from tests.support.engine import require_docker
from tests.support.laboratory import checkout_of

pytestmark = pytest.mark.docker

SET_UP = """
set -e
%s/python3.9/bin/python3.9 -m venv --without-pip /env/venv
cd /env/venv/lib/python3.9/site-packages
echo 'raise RuntimeError' > old_plugin.py
mkdir old_plugin-1.dist-info
printf 'Name: old-plugin\\nVersion: 1\\n' > old_plugin-1.dist-info/METADATA
printf 'old_plugin.py,,\\n' > old_plugin-1.dist-info/RECORD
printf '[pytest11]\\nold = old_plugin\\n' > old_plugin-1.dist-info/entry_points.txt
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerEngine]:
    with closing(DockerEngine(docker_host=require_docker(), locks=tmp_path_factory.mktemp("locks"))) as engine:
        yield engine


@pytest.mark.parametrize(("committed", "started"), [("2018-06-01", "3.9"), ("2025-06-01", "3.11")])
def test_a_commit_that_names_no_python_runs_on_the_one_that_is_nearest_to_its_day(
    engine: DockerEngine, tmp_path: Path, committed: str, started: str
) -> None:
    checkout = checkout_of(tmp_path / "repository", {"manifest": "1"})
    checkout.committed_seconds = int(datetime.fromisoformat(f"{committed}T00:00:00+00:00").timestamp())
    asks = SetupCommand(("sh", "-c", "$AGENT_FIX_PYTHON --version"))
    tests = (TestCommand("pytest", ("pytest",)),)
    plan = Environment("test", (), (asks,), tests, ("manifest",), tools=(Tool("python"),), dated=True)
    prepared = prepare(engine, checkout, plan, repository=str(tmp_path), allowed_hosts=(), report=lambda _: None)
    assert f"Python {started}." in prepared.log


def test_a_plug_in_that_cannot_be_loaded_is_raised_by_python_3_9_to_the_day_and_then_to_a_later_one(
    engine: DockerEngine,
) -> None:
    with engine.start(BoxSpec(writable_environment=True)) as box:
        made = box.exec(["sh", "-c", SET_UP % FURTHER_PLACE], timeout_seconds=60)
        assert made.exit_code == 0, made.output
        days = f"{DAY}=2019-06-01", f"{LATER}=2021-02-01"
        words = ("env", *days, "/env/venv/bin/python", *fitting_versions("/bin/true").argv[1:])
        done = box.exec(words, timeout_seconds=60)
    said = [line for line in done.output.decode().splitlines() if line.startswith(SAID)]
    assert said == [f"{SAID}old-plugin"] * 2
