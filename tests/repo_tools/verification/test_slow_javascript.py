"""A JavaScript suite that takes too long is cut to what the issue is about, whichever runner it has and whatever its
files are called."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from repo_tools.environment.contract import PreparedEnvironment, TestCommand
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.contract import SandboxEngine
from repo_tools.verification.baseline import baseline, cut_baseline
from tests.repo_tools.environment.javascript.suites import MANIFESTS, WITH_OTHERS
from tests.support.engine import shared_bubblewrap
from tests.support.laboratory import checkout_of, prepared_for
from tests.support.long import first_of

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900)]

WHOLE_SECONDS = 3.0
PART_SECONDS = 60.0
FOREVER = "new Promise(() => setTimeout(() => {}, 3600000))"
COMMANDS = {
    "mocha": ("mocha", "mocha/test/*.js"),
    "node_test": ("node", "--test", "node_test/test/*.js"),
    "tap": ("tape", "tap/test/*.js"),
    "node_tap": ("tap", "--no-coverage", "--no-check-coverage", "node_tap/test/*.js"),
    "ava": ("ava", "ava/test/*.js"),
    "jasmine": ("jasmine", "jasmine/test/*.js"),
    "qunit": ("qunit", "qunit/test/*.js"),
    "uvu": ("uvu", "uvu/test"),
    "jest": ("jest", "--testMatch", "**/jest/test/*.js"),
    "vitest": ("vitest", "--dir", "vitest"),
}
TILL = {
    "mocha": "describe('till', () => it('adds every price', () => {}));",
    "node_test": "require('node:test').test('adds every price', () => {});",
    "tap": "require('tape')('adds every price', (t) => { t.pass(); t.end(); });",
    "node_tap": "require('tap').test('adds every price', (t) => { t.pass(); t.end(); });",
    "ava": "require('ava')('adds every price', (t) => t.pass());",
    "jasmine": "describe('till', () => it('adds every price', () => expect(1).toBe(1)));",
    "qunit": "QUnit.module('till', () => QUnit.test('adds every price', (assert) => assert.ok(1)));",
    "uvu": "const { test } = require('uvu'); test('adds every price', () => {}); test.run();",
    "jest": "describe('till', () => it('adds every price', () => {}));",
    "vitest": "import { test } from 'vitest'; test('adds every price', () => {});",
}
WAREHOUSE = {
    "mocha": f"describe('warehouse', function () {{ this.timeout(0); it('waits', () => {FOREVER}); }});",
    "node_test": f"require('node:test').test('waits', () => {FOREVER});",
    "tap": f"require('tape')('waits', (t) => {FOREVER}.then(t.end));",
    "node_tap": f"require('tap').test('waits', {{ timeout: 3600000 }}, (t) => {FOREVER});",
    "ava": f"require('ava')('waits', (t) => {{ t.timeout(3600000); return {FOREVER}; }});",
    "jasmine": f"describe('warehouse', () => it('waits', () => {FOREVER}, 3600000));",
    "qunit": f"QUnit.test('waits', (assert) => {{ assert.timeout(3600000); return {FOREVER}; }});",
    "uvu": f"const {{ test }} = require('uvu'); test('waits', () => {FOREVER}); test.run();",
    "jest": f"it('waits', () => {FOREVER}, 3600000);",
    "vitest": f"import {{ test }} from 'vitest'; test('waits', () => {FOREVER}, 3600000);",
}


def named(runner: str, name: str) -> str:
    return f"{runner}/test/{name}.test.mjs" if runner == "vitest" else f"{runner}/test/{name}.js"


FILES = {
    **MANIFESTS,
    **{named(runner, "till"): text for runner, text in TILL.items()},
    **{named(runner, "warehouse"): text for runner, text in WAREHOUSE.items()},
    **{f"{runner}/test/helpers/prices.js": "module.exports = 'every price of the till';\n" for runner in COMMANDS},
}
Slow = tuple[SandboxEngine, GitCheckout, PreparedEnvironment]


def set_up(factory: pytest.TempPathFactory, files: Mapping[str, str]) -> Slow:
    engine = shared_bubblewrap(factory)
    checkout = checkout_of(factory.mktemp("slow"), files)
    prepared = prepared_for(engine, checkout)
    return engine, checkout, prepared


@pytest.fixture(scope="module")
def common(tmp_path_factory: pytest.TempPathFactory) -> Slow:
    return set_up(tmp_path_factory, FILES)


@pytest.fixture(scope="module")
def with_others(tmp_path_factory: pytest.TempPathFactory) -> Slow:
    return set_up(tmp_path_factory, {**FILES, **WITH_OTHERS})


@pytest.fixture
def slow(request: pytest.FixtureRequest) -> Slow:
    """Long proofs have a layer with more runners."""
    is_long = request.node.get_closest_marker("long") is not None
    found: Slow = request.getfixturevalue("with_others" if is_long else "common")
    return found


def of_runner(prepared: PreparedEnvironment, runner: str) -> PreparedEnvironment:
    environment = replace(prepared.environment, tests=(TestCommand(runner, COMMANDS[runner]),))
    return replace(prepared, environment=environment)


@pytest.mark.parametrize("runner", first_of(COMMANDS))
def test_a_suite_that_takes_too_long_is_cut_to_what_the_issue_is_about(slow: Slow, runner: str) -> None:
    engine, checkout, known = slow
    prepared = of_runner(known, runner)
    assert baseline(engine, checkout, prepared, timeout_seconds=WHOLE_SECONDS).timed_out
    issue = "The till does not add every price"
    cut = cut_baseline(engine, checkout, prepared, issue, timeout_seconds=PART_SECONDS)
    assert cut is not None
    assert cut[0].environment.scope == (named(runner, "till"),)
    report = cut[1]
    assert (report.problem, report.part) == (None, (1, 2))
    assert len(report.passed) == len(report.cases) == 1
