"""What makes a package's entry points before its tests, in real boxes."""

import json
from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.detect import detect
from repo_tools.environment.prepare import prepare
from repo_tools.environment.run import run_tests
from repo_tools.fresh_box import fresh_box
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.test_report import TestReport
from tests.support.laboratory import checkout_of

pytestmark = [pytest.mark.bubblewrap, pytest.mark.timeout(300)]

TEST = "require('node:test')('adds', () => require('node:assert').equal(require('../sum')(1, 2), 3));"
FAILS = "process.exit(3)"
WORKS = "require('fs').mkdirSync('dist', {recursive: true}); require('fs').copyFileSync('sum.js', 'dist/sum.js');"


def report_of(
    engine: BubblewrapEngine, folder: Path, build: str, later: str, test: str = "node --test test/"
) -> tuple[TestReport, tuple[str, ...]]:
    """Of a package whose `build` is another one `later` than it was in set-up, and what set-up told."""
    scripts = {"build": "node build.js", "test": test}
    files = {
        "package.json": json.dumps({"name": folder.name, "main": "dist/sum.js", "scripts": scripts}),
        "build.js": build,
        "sum.js": "module.exports = (a, b) => a + b;",
        "test/sum.test.js": TEST,
    }
    checkout = checkout_of(folder, files)
    told: list[str] = []
    environment = detect(checkout.tree, checkout.read)
    prepared = prepare(engine, checkout, environment, allowed_hosts=(), report=told.append)
    change = ChangeSet(checkout.commit, {"build.js": FileChange(FileMode.REGULAR, later.encode())})
    with fresh_box(engine, checkout, prepared, overlay=change) as box:
        return run_tests(box, prepared.environment, timeout_seconds=60), tuple(told)


NOT_BUILT = "`npm run build` fails in set-up: tests are run without what it would make"


@pytest.mark.parametrize("test", ["node --test test/", "npm run build && node --test test/"])
def test_tests_are_run_without_what_set_up_could_not_build(engine: BubblewrapEngine, tmp_path: Path, test: str) -> None:
    report, told = report_of(engine, tmp_path, FAILS, FAILS, test)
    assert (report.problem, len(report.passed)) == (None, 1)
    assert report.command == "npm run build && node --test test/"
    assert NOT_BUILT in told


@pytest.mark.parametrize("test", ["node --test test/", "npm run build && node --test test/"])
def test_a_build_that_fails_since_a_change_is_no_result(engine: BubblewrapEngine, tmp_path: Path, test: str) -> None:
    report, told = report_of(engine, tmp_path, WORKS, FAILS, test)
    assert report.problem
    assert "npm run build" in report.problem
    assert NOT_BUILT not in told
