"""QUnit of before it had a command line, in a real box."""

import json
from pathlib import Path

import pytest

from repo_tools.environment.detect import detect
from repo_tools.environment.prepare import prepare
from repo_tools.environment.run import run_tests
from repo_tools.fresh_box import fresh_box
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.test_report import TestReport
from tests.support.laboratory import INDEX_HOSTS, RUN_SECONDS, ca_bundle, checkout_of

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(600)]

SUITE = """
QUnit.module('outer');
test('adds (all) of them', function () { equal(sum([1, 2]), 3); });
test('fails', function () { ok(true); equal(1, 2, 'one is two'); });
asyncTest('waits', function () { setTimeout(function () { ok(true); start(); }, 10); });
test('leaves', function () { ok(true); try { process.exit(0); } catch (error) {} });
"""
FILES = {
    "sum.js": "exports.sum = (numbers) => numbers.reduce((one, other) => one + other, 0);\n",
    "test/a.js": SUITE,
    "test/b.js": "QUnit.module('second');\ntest('runs', function () { ok(true); });\n",
    "test/c.js": "throw new Error('at load');\n",
}
OUTCOMES = {
    "test/a.js::outer > adds (all) of them": "passed",
    "test/a.js::outer > fails": "failed",
    "test/a.js::outer > waits": "passed",
    "test/a.js::outer > leaves": "failed",
    "test/b.js::second > runs": "passed",
    "test/c.js": "error",
}


def outcomes(report: TestReport) -> dict[str, str]:
    return {case.id: str(case.outcome) for case in report.cases}


@pytest.mark.parametrize(
    ("script", "package"),
    [
        ("qunit-cli -c ./sum.js test/*.js", {"qunit-cli": "0.2.0"}),
        ("qunit --cov false -c ./sum.js -t test/*.js", {"qunit": "0.9.1"}),
        ("qunit -c ./sum.js -t ./test/a.js ./test/b.js ./test/c.js", {"qunit": "0.5.16"}),
    ],
    ids=["qunit-cli", "qunit-0.9", "qunit-0.5"],
)
@pytest.mark.long(
    short="tests/repo_tools/environment/javascript/test_runs.py::test_every_test_of_a_suite_has_its_own_result"
)
def test_each_test_has_its_own_result(
    engine: BubblewrapEngine, tmp_path: Path, script: str, package: dict[str, str]
) -> None:
    manifest = json.dumps({"name": "x", "scripts": {"test": script}, "devDependencies": package})
    checkout = checkout_of(tmp_path, {"package.json": manifest, **FILES})
    prepared = prepare(
        engine,
        checkout,
        detect(checkout.tree, checkout.read),
        allowed_hosts=INDEX_HOSTS,
        ca_bundle=ca_bundle(),
        report=lambda _: None,
    )

    def run(*selectors: str) -> TestReport:
        with fresh_box(engine, checkout, prepared) as box:
            return run_tests(box, prepared.environment, selectors, timeout_seconds=RUN_SECONDS)

    every = run()
    assert outcomes(every) == OUTCOMES, every.problem
    assert "one is two" in next(case.message for case in every.cases if case.id.endswith("fails"))
    assert outcomes(run("test/b.js")) == {"test/b.js::second > runs": "passed"}
    assert outcomes(run("test/a.js::outer > waits")) == {"test/a.js::outer > waits": "passed"}
