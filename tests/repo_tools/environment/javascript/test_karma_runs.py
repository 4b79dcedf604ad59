"""karma in real boxes, on one layer that is made once: in a browser where the machine has one, else in jsdom."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.run import run_tests
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.test_report import TestReport
from tests.support.laboratory import checkout_of, prepared_for

SHORT = "tests/repo_tools/environment/javascript/test_karma.py::test_what_scripts_start_karma_with_is_the_suite"
pytestmark = [
    pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900), pytest.mark.long(short=SHORT)
]  # fmt: skip

Made = tuple[GitCheckout, PreparedEnvironment]

SETTINGS = """
module.exports = (config) => config.set({
  basePath: '..',
  frameworks: ['jasmine'],
  files: ['web/*.js', 'spec/*.js'],
  browsers: ['Nowhere', 'PhantomJS'],
  plugins: ['karma-jasmine'],
  reporters: ['unknown'],
  autoWatch: true,
});
"""
MANIFEST = {
    "name": "page",
    "version": "1.0.0",
    "scripts": {"test": "karma start settings/karma.conf.js --browsers Chrome"},
    "devDependencies": {"karma": "6.4.4", "karma-jasmine": "5.1.0", "jasmine-core": "4.6.1"},
}
FILES = {
    "package.json": json.dumps(MANIFEST),
    "settings/karma.conf.js": SETTINGS,
    "web/greet.js": "window.greet = (name) => { document.body.innerHTML = '<p>Hello ' + name + '</p>'; };\n",
    "spec/greet.spec.js": """
describe('greet', () => {
  it('says the name', () => { greet('Ada'); expect(document.querySelector('p').textContent).toBe('Hello Ada'); });
  describe('of nobody', () => {
    it('fails', () => { greet(''); expect(document.querySelector('p').textContent).toBe('Hello you'); });
    xit('comes later', () => {});
  });
});
""",
}
CUT = "window.addEventListener('error', () => window.__karma__.error('The page has an error.'));\n"
OUTCOMES = {
    ".::greet > says the name": "passed",
    ".::greet > of nobody > fails": "failed",
    ".::greet > of nobody > comes later": "skipped",
}


@pytest.fixture(scope="module")
def made(engine: BubblewrapEngine, tmp_path_factory: pytest.TempPathFactory) -> Made:
    checkout = checkout_of(tmp_path_factory.mktemp("page"), FILES)
    prepared = prepared_for(engine, checkout)
    return checkout, prepared


def run(
    engine: BubblewrapEngine, made: Made, files: Mapping[str, str] | None = None, seconds: float = 120
) -> TestReport:
    checkout, prepared = made
    states = {path: FileChange(FileMode.REGULAR, text.encode()) for path, text in (files or {}).items()}
    with fresh_box(engine, checkout, prepared, overlay=ChangeSet(checkout.commit, states)) as box:
        return run_tests(box, prepared.environment, (), timeout_seconds=seconds)


def test_every_test_of_a_page_has_its_own_result(engine: BubblewrapEngine, made: Made) -> None:
    report = run(engine, made)
    assert (report.problem, {case.id: str(case.outcome) for case in report.cases}) == (None, OUTCOMES)
    assert "Expected 'Hello ' to be 'Hello you'" in report.by_id[".::greet > of nobody > fails"].message


def test_a_page_that_cannot_be_loaded_is_no_result_and_says_why(engine: BubblewrapEngine, made: Made) -> None:
    report = run(engine, made, {"spec/other.spec.js": "nowhere();\n", "web/cut.js": CUT})
    assert report.problem is not None
    assert "The page has an error." in report.output


def test_a_run_that_karma_ends_at_an_error_outside_of_tests_is_no_result(engine: BubblewrapEngine, made: Made) -> None:
    report = run(
        engine, made, {"spec/around.spec.js": "describe('around', () => { it('is', () => {}); missing(); });\n"}
    )
    assert report.problem == "The test run did not come to its end. (exit code 1)"
    assert "missing is not defined" in report.output


def test_a_page_that_prints_what_a_report_would_say_forges_nothing(engine: BubblewrapEngine, made: Made) -> None:
    forged = 'it("forges", () => { console.log(JSON.stringify(["case", "", ["forged"], "passed", 0, ""])); });'
    report = run(engine, made, {"spec/forge.spec.js": forged})
    assert report.by_id.keys() == {*OUTCOMES, ".::forges"}


def test_settings_in_another_module_system_are_read_too(engine: BubblewrapEngine, made: Made) -> None:
    checkout, prepared = made
    command = replace(prepared.environment.tests[0], argv=("karma", "start"))
    environment = replace(prepared, environment=replace(prepared.environment, tests=(command,)))
    text = SETTINGS.replace("module.exports =", "exports.default =").replace("'..'", "''")
    report = run(engine, (checkout, environment), {"karma.conf.cjs": text})
    assert (report.problem, len(report.cases)) == (None, len(OUTCOMES))


OLD_KARMA = """
if (!process.EventEmitter) throw new Error('Cannot read property prototype of undefined');
require('/workspace/node_modules/karma/bin/karma');
"""


def test_karma_that_wants_what_node_had_up_to_release_6_has_results_too(engine: BubblewrapEngine, made: Made) -> None:
    checkout, prepared = made
    own = "node_modules/old"
    command = replace(prepared.environment.tests[0], argv=("node", f"{own}/bin/karma", "start"))
    environment = replace(prepared, environment=replace(prepared.environment, tests=(command,)))
    files = {f"{own}/bin/karma": OLD_KARMA, f"{own}/package.json": '{"version": "0.12.37"}'}
    files["karma.conf.js"] = SETTINGS.replace("'..'", "''")
    report = run(engine, (checkout, environment), files)
    assert (report.problem, len(report.cases)) == (None, len(OUTCOMES))
