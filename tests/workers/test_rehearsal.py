"""A repository up to where a model would begin: what stands for a suite that takes too long."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from repo_tools.local import LocalRepository
from repo_tools.sandbox.contract import SandboxEngine
from tests.support.engine import shared_bubblewrap
from tests.support.repositories import make_repository
from workers.host import RunRequest
from workers.local_host import LocalHost
from workers.rehearsal import Rehearsal, planned, rehearse
from workers.settings import WorkerSettings

pytestmark = pytest.mark.bubblewrap

SECONDS = 15.0
QUICK = "require('node:test')('adds', () => require('./total.js').total([1]));"
SLOW = "require('node:test')('waits', () => new Promise((end) => setTimeout(end, 600_000)));"
FILES = {
    "package.json": json.dumps({"name": "x", "scripts": {"test": "node --test"}}),
    "total.js": "exports.total = (prices) => prices.length;",
    "total.test.js": QUICK,
    "warehouse.test.js": SLOW,
}


def rehearsed(engine: SandboxEngine, folder: Path, issue: str, told: list[str]) -> Rehearsal:
    settings = WorkerSettings(data_dir=folder / "data")
    repository = make_repository(folder / "repository", FILES)
    plan = planned(repository, "HEAD", issue, settings, engine.name)
    return rehearse(plan, engine, str(repository), settings, told.append, baseline_seconds=SECONDS)


@pytest.mark.long(
    short="tests/repo_tools/verification/test_baseline.py::test_a_suite_that_takes_too_long_is_cut_to_what_the_issue_is_about"
)
def test_a_suite_that_takes_too_long_is_cut_to_what_the_issue_is_about(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    told: list[str] = []
    done = rehearsed(shared_bubblewrap(tmp_path_factory), tmp_path, "total() counts the prices", told)
    assert done.suite is not None
    assert done.suite.baseline.problem is None
    assert done.suite.baseline.part == (1, 2)
    assert done.suite.baseline.passed == {"total.test.js::adds"}
    assert done.suite.prepared.environment.scope == ("total.test.js",)
    assert told[-1] == "the whole suite takes too long: running a part of it"


def test_of_several_projects_the_one_that_the_issue_is_likely_about_is_planned(tmp_path: Path) -> None:
    parts = ("api", "jobs")
    files = {f"{part}/package.json": json.dumps({"name": part, "scripts": {"test": "node --test"}}) for part in parts}
    files |= {f"{part}/{part}.js": f"exports.open_{part} = () => null;" for part in parts}
    files |= {f"{part}/a.test.js": QUICK for part in parts}
    repository, settings = make_repository(tmp_path / "repository", files), WorkerSettings(data_dir=tmp_path / "data")

    def folder(issue: str) -> str:
        return planned(repository, "HEAD", issue, settings).environment.tests[0].directory

    assert [folder(issue) for issue in ("", "open_jobs gives null")] == ["api", "jobs"]


def test_the_project_in_the_folder_that_is_given_is_planned_and_worked_on(tmp_path: Path) -> None:
    parts = ("api", "jobs")
    files = {f"{part}/package.json": json.dumps({"scripts": {"test": "node --test"}}) for part in parts}
    folder = make_repository(tmp_path / "it", files | {f"{part}/a.test.js": QUICK for part in parts}) / "jobs"
    folder.mkdir(exist_ok=True)
    plan = planned(folder, "HEAD", "", WorkerSettings(data_dir=tmp_path / "data"))
    assert plan.environment.tests[0].directory == "jobs"
    host = LocalHost(LocalRepository(folder), plan.checkout.commit, tmp_path / "output")
    assert host.folder(RunRequest("r", "it", 1, 1, 0, "", "", "", datetime.now(UTC))) == "jobs"
