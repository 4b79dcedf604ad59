"""mocha on a bundle that webpack makes of the tests, in a real box."""

import json
from pathlib import Path

import pytest

from repo_tools.environment.run import run_tests
from repo_tools.fresh_box import fresh_box
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.test_report import TestReport
from tests.support.laboratory import RUN_SECONDS, checkout_of, prepared_for

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900)]

MANIFEST = {
    "name": "x",
    "scripts": {"test": "NODE_OPTIONS=--openssl-legacy-provider mochapack --mode development 'test/*.spec.js'"},
    "devDependencies": {"mochapack": "2.1.4", "mocha": "8.4.0", "webpack": "4.46.0"},
}
FILES = {
    "package.json": json.dumps(MANIFEST),
    "test/a.spec.js": """
describe('outer', () => {
  it('adds (all) of them', () => {});
  it('fails', () => { throw new Error('one is two'); });
  it.skip('later');
});
""",
    "test/b.spec.js": "describe('second', () => { it('runs', () => {}); });\n",
}


@pytest.mark.long(
    short="tests/repo_tools/environment/javascript/test_runs.py::test_every_test_of_a_suite_has_its_own_result"
)
def test_tests_in_a_bundle_have_their_own_results(engine: BubblewrapEngine, tmp_path: Path) -> None:
    checkout = checkout_of(tmp_path, FILES)
    prepared = prepared_for(engine, checkout)

    def run(*selectors: str) -> TestReport:
        with fresh_box(engine, checkout, prepared) as box:
            return run_tests(box, prepared.environment, selectors, timeout_seconds=RUN_SECONDS)

    def outcomes(*selectors: str) -> dict[str, str]:
        return {case.id: str(case.outcome) for case in run(*selectors).cases}

    every = {
        ".::outer > adds (all) of them": "passed",
        ".::outer > fails": "failed",
        ".::outer > later": "skipped",
        ".::second > runs": "passed",
    }
    assert outcomes() == every
    assert outcomes("test/b.spec.js") == {".::second > runs": "passed"}
    assert outcomes(".::outer > fails") == {".::outer > fails": "failed"}
