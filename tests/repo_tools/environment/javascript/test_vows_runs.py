"""An old vows, in a real box."""

import json
from pathlib import Path

import pytest

from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from tests.support.laboratory import laboratory

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(600)]

SUITE = """
require('vows').describe('outer').addBatch({
  'a topic': {
    topic: () => 1,
    'is one': (one) => require('assert').equal(one, 1),
    'and within': { topic: (one) => one + 1, 'another': (two) => require('assert').equal(two, 2) },
  },
}).export(module);
"""
MANIFEST = {"name": "x", "scripts": {"test": "vows test/*.js test/**/*.js"}, "devDependencies": {"vows": "0.6.4"}}
FILES = {"package.json": json.dumps(MANIFEST), "test/a.js": SUITE, "test/more/b.js": SUITE}


@pytest.mark.long(
    short="tests/repo_tools/environment/javascript/test_runs.py::test_every_test_of_a_suite_has_its_own_result"
)
def test_contexts_within_others_are_run_by_a_vows_of_node_0_8(engine: BubblewrapEngine, tmp_path: Path) -> None:
    report = laboratory(engine, tmp_path, FILES).baseline
    tests = ("outer > a topic > is one", "outer > a topic and within > another")
    passed = {f"{file}::{test}": "passed" for file in ("test/a.js", "test/more/b.js") for test in tests}
    assert {case.id: str(case.outcome) for case in report.cases} == passed, report.problem
