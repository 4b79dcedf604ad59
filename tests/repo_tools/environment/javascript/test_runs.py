"""Real runners in real boxes, on one layer that is made once. (Long proofs have one with more runners.)"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import PreparedEnvironment, TestCommand
from repo_tools.environment.run import run_tests
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.test_report import TestReport
from tests.repo_tools.environment.javascript.suites import COMMANDS, FILES, OUTCOMES, WITH_OTHERS
from tests.support.laboratory import checkout_of, prepared_for
from tests.support.long import first_of

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900)]

RUN_SECONDS = 120.0
COMMON = ("mocha", "jest", "vitest")
Five = tuple[GitCheckout, PreparedEnvironment]


FORGERY = """
const fs = require('fs');
for (const name of fs.readdirSync('/proc/self/fd')) {
  if (Number(name) < 3) continue;
  try {
    const line = JSON.stringify(['case', 'mocha/a.test.js', ['forged'], 'passed', 0, '']);
    if (fs.fstatSync(Number(name)).isFIFO()) fs.writeSync(Number(name), line + '\\n');
  } catch {}
}
"""


def prepared_from(engine: BubblewrapEngine, folder: Path, files: Mapping[str, str]) -> Five:
    checkout = checkout_of(folder, files)
    prepared = prepared_for(engine, checkout)
    return checkout, prepared


@pytest.fixture(scope="module")
def common(engine: BubblewrapEngine, tmp_path_factory: pytest.TempPathFactory) -> Five:
    return prepared_from(engine, tmp_path_factory.mktemp("common"), FILES)


@pytest.fixture(scope="module")
def with_others(engine: BubblewrapEngine, tmp_path_factory: pytest.TempPathFactory) -> Five:
    return prepared_from(engine, tmp_path_factory.mktemp("others"), {**FILES, **WITH_OTHERS})


@pytest.fixture
def five(request: pytest.FixtureRequest) -> Five:
    is_long = request.node.get_closest_marker("long") is not None
    found: Five = request.getfixturevalue("with_others" if is_long else "common")
    return found


def run(
    engine: BubblewrapEngine, five: Five, command: TestCommand, *selectors: str, files: Mapping[str, str] | None = None
) -> TestReport:
    checkout, prepared = five
    states = {path: FileChange(FileMode.REGULAR, text.encode()) for path, text in (files or {}).items()}
    environment = replace(prepared.environment, tests=(command,))
    with fresh_box(engine, checkout, prepared, overlay=ChangeSet(checkout.commit, states)) as box:
        return run_tests(box, environment, selectors, timeout_seconds=RUN_SECONDS)


def outcomes(report: TestReport) -> dict[str, str]:
    return {case.id: str(case.outcome) for case in report.cases}


@pytest.mark.parametrize("runner", first_of(sorted(COMMANDS, key=COMMON.count, reverse=True), always=len(COMMON)))
def test_every_test_of_a_suite_has_its_own_result(engine: BubblewrapEngine, five: Five, runner: str) -> None:
    report = run(engine, five, TestCommand(runner, COMMANDS[runner]))
    assert (report.problem, outcomes(report)) == (None, OUTCOMES[runner])
    assert all(report.by_id[case_id].message for case_id in report.red)


@pytest.mark.parametrize(
    ("runner", "words"),
    [
        ("mocha", ("mocha", "exit")),
        ("jasmine", ("jasmine", "exit/*.js")),
        ("jest", ("jest", "-i", "exit")),
        ("qunit", ("qunit", "exit/*.js")),
    ],
    ids=["mocha", "jasmine", "jest", "qunit"],
)
def test_a_test_that_ends_the_process_of_all_is_red_and_hides_no_other(
    engine: BubblewrapEngine, five: Five, runner: str, words: tuple[str, ...]
) -> None:
    define = "const it = (name, body) => QUnit.test(name, (a) => { a.ok(1); return body(); });" * (runner == "qunit")
    good = f"{define}it('stays', () => {{}});"
    leaves = f"{define}it('leaves', async () => {{ await null; process.exit(0); }}); it('is run', () => {{}});"
    files = {"exit/a.test.js": good, "exit/b.test.js": leaves, "exit/c.test.js": good.replace("stays", "stays, too")}
    report = run(engine, five, TestCommand(runner, words), files=files)
    assert report.problem is None
    assert "process.exit(0) was called" in report.by_id["exit/b.test.js::leaves"].message
    assert outcomes(report) == {
        "exit/a.test.js::stays": "passed",
        "exit/b.test.js::leaves": "failed",
        "exit/b.test.js::is run": "passed",
        "exit/c.test.js::stays, too": "passed",
    }


@pytest.mark.parametrize(
    ("runner", "words", "red"),
    [
        ("mocha", ("mocha", "exit"), "exit/a.test.js::leaves"),
        ("jasmine", ("jasmine", "exit/*.js"), "exit/a.test.js::leaves"),
        ("jest", ("jest", "-i", "exit"), "exit/a.test.js"),
        ("qunit", ("qunit", "exit/*.js"), "exit/a.test.js::leaves"),
    ],
    ids=["mocha", "jasmine", "jest", "qunit"],
)
def test_a_test_that_takes_the_end_of_the_process_for_an_error_is_red(
    engine: BubblewrapEngine, five: Five, runner: str, words: tuple[str, ...], red: str
) -> None:
    """Where its maintainers run it, nothing is thrown."""
    define = "const it = (name, body) => QUnit.test(name, (a) => { a.ok(1); return body(); });" * (runner == "qunit")
    leaves = "it('leaves', () => { try { process.exit(0); } catch (error) {} }); it('stays', () => {});"
    report = run(engine, five, TestCommand(runner, words), files={"exit/a.test.js": f"{define}{leaves}"})
    assert report.problem is None
    assert report.red == {red}
    assert "process.exit(0) was called" in report.by_id[red].message
    assert "exit/a.test.js::stays" in report.passed


@pytest.mark.parametrize(("fails", "exit_code"), [("", 0), ("throw new Error('no');", 1)])
def test_a_suite_of_mocha_that_ends_the_process_once_all_is_told_has_its_results(
    engine: BubblewrapEngine, five: Five, fails: str, exit_code: int
) -> None:
    left = "after(() => process.exit(0)); it('b', () => {});"
    files = {"exit/a.js": f"it('a', () => {{ {fails} }});", "exit/b.js": left, "exit/c.js": "process.exit(0);"}
    report = run(engine, five, TestCommand("mocha", ("mocha", "exit/a.js", "exit/b.js")), files=files)
    told = {"exit/a.js::a": "failed" if fails else "passed", "exit/b.js::b": "passed"}
    assert (report.problem, report.exit_code, outcomes(report)) == (None, exit_code, told)
    report = run(engine, five, TestCommand("mocha", ("mocha", "exit")), files=files)
    assert (report.problem, outcomes(report)) == (None, {**told, "exit/c.js": "error"})


def test_a_build_that_writes_beside_its_packages_is_tried_again_with_packages_of_its_own(
    engine: BubblewrapEngine, five: Five
) -> None:
    write = "require('fs').writeFileSync(require.resolve('tape/package.json') + '.made', '');"
    test = "it('sees', () => require('fs').readFileSync(require.resolve('tape/package.json') + '.made'));"
    argv = ("sh", "-c", f'node -e "{write}" && exec "$@"', "sh", "mocha", "made.js")
    assert outcomes(run(engine, five, TestCommand("mocha", argv), files={"made.js": test})) == {
        "made.js::sees": "passed"
    }


def test_what_is_set_for_the_runner_is_not_set_for_what_is_built_before(engine: BubblewrapEngine, five: Five) -> None:
    argv = ("sh", "-c", 'test -z "$MODE" && exec "$@"', "sh", "env", "MODE=x", "mocha", "made.js")
    test = "it('sees', () => require('assert').equal(process.env.MODE, 'x'));"
    assert outcomes(run(engine, five, TestCommand("mocha", argv), files={"made.js": test})) == {
        "made.js::sees": "passed"
    }


@pytest.mark.parametrize(
    "runner",
    first_of(["mocha", "node_test", "jest", "vitest", "jasmine", "qunit", "uvu", "japa", "vows", "lab"], always=4),
)
def test_a_test_can_be_run_alone_by_its_id(engine: BubblewrapEngine, five: Five, runner: str) -> None:
    wanted = next(case_id for case_id, outcome in OUTCOMES[runner].items() if outcome == "passed")
    report = run(engine, five, TestCommand(runner, COMMANDS[runner]), wanted)
    assert (report.problem, outcomes(report)) == (None, {wanted: "passed"})


IN_PROGRAM = {
    "mocha": """
const mocha = new (require('mocha'))({ reporter: 'dot', bail: true });
for (const name of ['a', 'b']) mocha.addFile(`./mocha/${name}.test.js`);
mocha.run((failures) => process.exit(failures));
""",
    "jasmine": """
const Jasmine = require('jasmine');
const runner = new Jasmine();
runner.exitOnCompletion = false;
runner.execute(['jasmine/*.spec.js']).then((result) => process.exit(result.overallStatus === 'passed' ? 0 : 1));
""",
}


@pytest.mark.parametrize("runner", first_of(IN_PROGRAM))
def test_a_program_that_starts_a_runner_tells_of_every_test_and_runs_what_is_wanted(
    engine: BubblewrapEngine, five: Five, runner: str
) -> None:
    command, files = TestCommand(runner, ("node", "run.js")), {"run.js": IN_PROGRAM[runner]}
    report = run(engine, five, command, files=files)
    assert (report.problem, outcomes(report)) == (None, OUTCOMES[runner])
    wanted = next(case_id for case_id, outcome in OUTCOMES[runner].items() if outcome == "passed")
    assert outcomes(run(engine, five, command, wanted, files=files)) == {wanted: "passed"}


@pytest.mark.long(short="test_every_test_of_a_suite_has_its_own_result")
def test_a_file_can_be_run_alone(engine: BubblewrapEngine, five: Five) -> None:
    for runner, file in (
        ("tap", "tape/a.js"),
        ("mocha", "mocha/b.test.js"),
        ("ava", "ava/test/a.js"),
        ("ava", "ava/test/deep"),
        ("uvu", "uvu/b.mjs"),
        ("japa", "japa/b.spec.mjs"),
        ("vows", "vows/b.js"),
        ("nodeunit", "nodeunit/a.js"),
        ("jasmine_node", "jasmine_node/a.spec.js"),
    ):
        report = run(engine, five, TestCommand(runner, COMMANDS[runner]), file)
        assert outcomes(report) == {i: o for i, o in OUTCOMES[runner].items() if i.startswith(file)}


WHOLE = """
const fails = () => { throw new Error('x'); };
describe('bails', function () { this.bail(true); it('red', fails); it('goes on', () => {}); });
describe('skips', () => { before(function () { this.skip(); }); it('one', () => {}); });
describe('each', () => { beforeEach(function () { this.skip(); }); it('one', () => {}); it('two', () => {}); });
let tries = 0;
describe('again', function () { this.retries(2); it('at last', () => { if (tries++ < 2) fails(); }); });
describe('red hook', () => { before(fails); it('a', () => {}); describe('in', () => it('b', () => {})); });
"""
UNLOADABLE = {
    "load/a.js": "describe('begun', () => { it('one', () => {}); require('./nothing'); });",
    "load/b.js": "describe('whole', () => { it('one', () => {}); });",
    "load/c.mjs": "import './nothing.mjs';",
}
LOADED = {"load/a.js": "error", "load/a.js::begun > one": "passed", "load/b.js::whole > one": "passed"}


def test_a_file_that_mocha_cannot_load_is_red_and_hides_no_other(engine: BubblewrapEngine, five: Five) -> None:
    report = run(engine, five, TestCommand("mocha", ("mocha", "load/*")), files=UNLOADABLE)
    assert (report.problem, outcomes(report)) == (None, {**LOADED, "load/c.mjs": "error"})
    assert "Cannot find module './nothing'" in report.by_id["load/a.js"].message
    alone = run(engine, five, TestCommand("mocha", ("mocha", "load/*")), "load/a.js::begun > two", files=UNLOADABLE)
    assert (alone.problem, outcomes(alone)) == (None, {"load/a.js": "error"})


def test_a_file_that_cannot_be_loaded_into_a_program_that_starts_mocha_is_red(
    engine: BubblewrapEngine, five: Five
) -> None:
    program = IN_PROGRAM["mocha"].replace("./mocha/${name}.test.js", "./load/${name}.js")
    report = run(engine, five, TestCommand("mocha", ("node", "run.js")), files={**UNLOADABLE, "run.js": program})
    assert (report.problem, outcomes(report)) == (None, LOADED)


def test_a_suite_that_leaves_at_its_first_failure_is_run_whole_and_what_mocha_skips_is_no_early_end(
    engine: BubblewrapEngine, five: Five
) -> None:
    report = run(engine, five, TestCommand("mocha", ("mocha", "whole.js")), files={"whole.js": WHOLE})
    assert (report.problem, sum("red" in name for name in report.red)) == (None, len(report.red))
    assert report.by_id["whole.js::bails > goes on"].outcome == "passed"


@pytest.mark.long(short="test_every_test_of_a_suite_has_its_own_result")
def test_what_ava_is_told_beside_its_files_is_not_taken_for_one(engine: BubblewrapEngine, five: Five) -> None:
    command = TestCommand("ava", ("ava", "--config", "_ava.config.cjs"))
    report = run(engine, five, command, files={"_ava.config.cjs": "module.exports = { files: ['ava/test/a.js'] };"})
    assert outcomes(report) == {i: o for i, o in OUTCOMES["ava"].items() if i.startswith("ava/test/a.js")}


AVA_STEP = """
const [fs, path, os] = ['fs', 'path', 'os'].map(require);
const mark = (name) => path.join(os.tmpdir(), name);
const put = (name) => fs.writeFileSync(mark(name), '');
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (name) => { while (!fs.existsSync(mark(name))) await pause(20); };
"""
AVA_LEAVES = "require('ava')('leaves', async () => { await until('held'); put('left'); process.exit(0); });"
AVA_BROKEN = """
const test = require('ava');
test.before('set up', async () => { put('held'); await until('left'); await pause(1000); throw new Error('boom'); });
test('one', (t) => t.pass());
"""


def test_a_test_that_leaves_hides_no_other_that_never_began(engine: BubblewrapEngine, five: Five) -> None:
    files = {"ava/left/a.js": AVA_STEP + AVA_LEAVES, "ava/left/b.js": AVA_STEP + AVA_BROKEN}
    report = run(engine, five, TestCommand("ava", ("ava", "ava/left/*.js")), files=files)
    assert outcomes(report) == {
        "ava/left/a.js": "error",
        "ava/left/a.js::leaves": "failed",
        "ava/left/b.js::set up": "failed",
        "ava/left/b.js::one": "failed",
    }


UVU_EARLY = {
    "throw new Error('at load');": {"early/a.js::one": "failed", "early/b.js": "error"},
    "late.before(() => { throw new Error('boom'); }); late('two', () => {}); late.run();": {
        "early/a.js::one": "passed",
        "early/b.js::late > two": "failed",
    },
    "late('two', () => process.exit(0)); late.run();": {
        "early/a.js::one": "passed",
        "early/b.js::late > two": "failed",
    },
    "late('two', () => {}); late.after(() => { throw new Error('boom'); }); late.run();": {
        "early/a.js::one": "passed",
        "early/b.js::late > two": "passed",
        "early/b.js": "error",
    },
}


@pytest.mark.parametrize("text", first_of(UVU_EARLY))
def test_no_test_of_uvu_is_hidden_by_what_ends_a_suite_early(engine: BubblewrapEngine, five: Five, text: str) -> None:
    files = {
        "early/a.js": "const { test } = require('uvu'); test('one', () => {}); test.run();",
        "early/b.js": f"const late = require('uvu').suite('late'); {text}",
    }
    report = run(engine, five, TestCommand("uvu", ("uvu", "early")), files=files)
    assert (report.problem, outcomes(report)) == (None, UVU_EARLY[text])
    assert all(report.by_id[case_id].message for case_id in report.red)


JAPA_2 = {
    "japa_of_before/a.spec.js::outer > adds (all) of them": "passed",
    "japa_of_before/a.spec.js::outer > fails": "failed",
    "japa_of_before/a.spec.js::outer > later": "skipped",
    "japa_of_before/a.spec.js::alone": "passed",
    "japa_of_before/b.spec.js::hook > (before)": "error",
}


@pytest.mark.long(short="test_every_test_of_a_suite_has_its_own_result")
def test_japa_of_before_it_was_several_packages_is_heard_too(engine: BubblewrapEngine, five: Five) -> None:
    command = TestCommand("japa", ("node", "japa_of_before/all.js"))
    report = run(engine, five, command)
    assert (report.problem, outcomes(report)) == (None, JAPA_2)
    alone = next(iter(JAPA_2))
    assert outcomes(run(engine, five, command, alone)) == {alone: "passed"}


@pytest.mark.long(short="test_every_test_of_a_suite_has_its_own_result")
def test_a_file_of_vows_that_node_runs_is_heard_and_what_is_never_run_is_not(
    engine: BubblewrapEngine, five: Five
) -> None:
    own = "const vows = require('vows'); vows.describe('left'); const asked = { topic: 1, 'b': () => {} };"
    files = {"alone.js": own + "vows.describe('run').addBatch({ a: asked }).run();"}
    report = run(engine, five, TestCommand("vows", ("node", "alone.js")), files=files)
    assert (report.problem, outcomes(report)) == (None, {"alone.js::run > a > b": "passed"})
    files = {"alone.js": files["alone.js"].replace("() => {}", "() => process.exit()")}
    report = run(engine, five, TestCommand("vows", ("node", "alone.js")), files=files)
    assert report.red == {"alone.js::run > a > b"}


@pytest.mark.long(short="test_every_test_of_a_suite_has_its_own_result")
def test_a_suite_of_vows_that_a_file_exports_is_run_where_node_runs_that_file(
    engine: BubblewrapEngine, five: Five
) -> None:
    text = "require('vows').describe('run').addBatch({ a: { topic: 1, 'b': () => {} } }).export(module);"
    report = run(engine, five, TestCommand("vows", ("node", "alone.js")), files={"alone.js": text})
    assert (report.problem, outcomes(report)) == (None, {"alone.js::run > a > b": "passed"})


@pytest.mark.parametrize(
    "text",
    first_of(
        [
            "SUITE; process.exit(0);",
            "process.exit(0);",
            "process.emit('exit', 0); SUITE;",
        ]
    ),
)
def test_a_file_of_vows_that_leaves_before_its_suites_begin_spoils_the_whole_run(
    engine: BubblewrapEngine, five: Five, text: str
) -> None:
    good = "require('vows').describe('run').addBatch({ a: { topic: 1, 'b': () => {} } }).export(module);"
    bad = good.replace("() => {}", "() => { throw new Error('x'); }").removesuffix(";")
    files = {"vows_alone/a.js": good, "vows_alone/b.js": text.replace("SUITE", bad)}
    report = run(engine, five, TestCommand("vows", ("vows", "-i", "vows_alone/*.js")), files=files)
    assert report.problem or report.red


NESTED = """
import { test } from '@japa/runner';
import { Emitter, Refiner, Runner, Suite, Test, TestContext } from '@japa/runner/core';
test('runs another', async () => {
  const emitter = new Emitter();
  const runner = new Runner(emitter);
  const suite = new Suite('inner', emitter, new Refiner());
  suite.add(new Test('inner', () => new TestContext(), emitter, new Refiner()).run(() => { throw new Error('no'); }));
  runner.add(suite);
  await runner.start();
  await runner.exec();
  await runner.end();
});
test('goes on', () => {});
test('leaves', () => LEAVES);
"""


@pytest.mark.long(short="test_every_test_of_a_suite_has_its_own_result")
def test_a_run_of_japa_within_a_test_is_another_one(engine: BubblewrapEngine, five: Five) -> None:
    command = TestCommand("japa", COMMANDS["japa"])
    files = {"japa/a.spec.mjs": NESTED.replace("LEAVES", "1"), "japa/b.spec.mjs": ""}
    report = run(engine, five, command, files=files)
    passed = {f"japa/a.spec.mjs::{name}": "passed" for name in ("runs another", "goes on", "leaves")}
    assert (report.problem, outcomes(report)) == (None, passed)
    files = {**files, "japa/a.spec.mjs": NESTED.replace("LEAVES", "process.exit(0)")}
    left = run(engine, five, command, files=files)
    assert left.problem or left.red


def test_settings_that_end_a_run_at_its_first_failure_hide_none_of_the_others(
    engine: BubblewrapEngine, five: Five
) -> None:
    files = {"jest.config.js": "module.exports = { bail: 1, maxWorkers: 1, testMatch: ['**/jest/*.test.js'] };"}
    report = run(engine, five, TestCommand("jest", ("jest",)), files=files)
    assert (report.problem, outcomes(report)) == (None, OUTCOMES["jest"])


@pytest.mark.parametrize("restored", [True, False])
def test_results_outlive_a_file_system_that_tests_put_in_the_place_of_the_real_one(
    engine: BubblewrapEngine, five: Five, restored: bool
) -> None:
    """As mock-fs does: a descriptor that it has not opened itself is none."""
    text = f"""
    const binding = process.binding('fs');
    const real = binding.writeBuffer;
    describe('mocked', () => {{
      before(() => {{
        binding.writeBuffer = () => {{ throw Object.assign(new Error('EBADF'), {{ code: 'EBADF' }}); }};
      }});
      after(() => {{ if ({str(restored).lower()}) binding.writeBuffer = real; }});
      it('one', () => {{}});
      it('two', () => {{ throw new Error('boom'); }});
    }});
    it('three', () => {{}});
    """
    report = run(engine, five, TestCommand("mocha", ("mocha", "fs/a.js")), files={"fs/a.js": text})
    if restored:
        expected = {"fs/a.js::mocked > one": "passed", "fs/a.js::mocked > two": "failed", "fs/a.js::three": "passed"}
        assert (report.problem, outcomes(report)) == (None, expected)
    else:
        assert report.problem


def test_a_runner_that_starts_itself_anew_has_results_too(engine: BubblewrapEngine, five: Five) -> None:
    report = run(engine, five, TestCommand("mocha", ("mocha", "--expose-gc", "mocha/*.test.js")))
    assert (report.problem, outcomes(report)) == (None, OUTCOMES["mocha"])


def test_a_process_that_tests_keep_from_leaving_ends_with_a_code_that_tells_of_failures(
    engine: BubblewrapEngine, five: Five
) -> None:
    stays = "setInterval(() => {}, 1000); process.exit = () => {};\n"
    command = TestCommand("mocha", ("mocha", "--exit", "mocha/*.test.js"))
    report = run(engine, five, command, files={"mocha/a.test.js": stays + FILES["mocha/a.test.js"]})
    assert (report.problem, outcomes(report)) == (None, OUTCOMES["mocha"])


@pytest.mark.long(short="test_every_test_of_a_suite_has_its_own_result")
@pytest.mark.parametrize("runner", first_of(["mocha", "jest"]))
def test_a_process_that_lives_on_when_every_test_has_ended_is_ended(
    engine: BubblewrapEngine, five: Five, runner: str
) -> None:
    lingers = "setInterval(() => {}, 1000); globalThis.setTimeout = process.exit = () => {};\n"
    suite = f"{runner}/a.test.js"
    report = run(engine, five, TestCommand(runner, COMMANDS[runner]), files={suite: lingers + FILES[suite]})
    assert (report.problem, outcomes(report)) == (None, OUTCOMES[runner])
    assert "every test has ended, its process has not" in report.output


OLD_MOCHA = """
const { spawn } = require('child_process');
const args = [__dirname + '/_mocha', ...process.argv.slice(2)];
const proc = spawn(process.argv[0], args, { customFds: [0,1,2] });
proc.on('exit', (code) => process.on('exit', () => process.exit(code)));
"""
OLD_SECOND = """
const words = process.argv.slice(2);
if (words.some((word) => word.includes('*'))) throw new Error('the shell has patterns');
if (words.some((word, index) => word.startsWith('/') && words[index - 1] === '--require')) throw new Error('not below');
require('/workspace/node_modules/mocha/bin/_mocha');
"""


WITHOUT_CONSOLE = """
const kept = global.console;
let asked = 0;
after(() => { global.console = kept; if (asked) throw new Error('somebody else spoke'); });
it('is gone', () => { global.console = undefined; });
it('is another', () => { global.console = { log() { asked += 1; } }; });
"""


def test_a_console_that_tests_replace_is_not_asked_for_by_the_reporter(engine: BubblewrapEngine, five: Five) -> None:
    report = run(engine, five, TestCommand("mocha", ("mocha", "console.js")), files={"console.js": WITHOUT_CONSOLE})
    assert (report.problem, set(outcomes(report).values())) == (None, {"passed"})


def test_mocha_that_starts_itself_as_before_its_release_2_has_results_too(engine: BubblewrapEngine, five: Five) -> None:
    own = "node_modules/old/mocha/bin"
    files = {f"{own}/mocha": OLD_MOCHA, f"{own}/_mocha": OLD_SECOND}
    report = run(engine, five, TestCommand("mocha", ("node", f"{own}/mocha", "mocha/*.test.js")), files=files)
    assert (report.problem, outcomes(report)) == (None, OUTCOMES["mocha"])


def test_jasmine_that_is_told_of_no_reporter_as_before_its_release_3_has_results_too(
    engine: BubblewrapEngine, five: Five
) -> None:
    own = "node_modules/old/bin/jasmine.js"
    starts = "new (require('jasmine'))().execute(process.argv.slice(2).filter((word) => !word.startsWith('-')));"
    files = {own: starts, "node_modules/old/lib/command.js": "// --helper= alone"}
    report = run(engine, five, TestCommand("jasmine", ("node", own, "jasmine/*.spec.js")), files=files)
    assert (report.problem, outcomes(report)) == (None, OUTCOMES["jasmine"])


OLD_VITEST = """
const known = { default: class { onFinished() {} } };
const asked = process.argv.filter((word) => word.startsWith('--reporter=')).map((word) => known[word.slice(11)]);
if (!asked.every(Boolean)) throw new Error('Unknown reporter');
if (process.argv.some((word) => word.startsWith('--coverage'))) throw new Error('begins anew');
const failed = (reason) => ({ state: 'fail', error: new Error(reason) });
const test = { type: 'test', name: 'a', result: failed('is not 1') };
const files = [
  { filepath: '/workspace/a.test.js', tasks: [test], result: { state: 'fail' } },
  { filepath: '/workspace/b.test.js', tasks: [], result: failed('cannot be loaded') },
];
for (const Reporter of asked) new Reporter().onFinished(files, []);
process.exitCode = 1;
"""


def test_vitest_that_knows_reporters_by_name_and_one_error_of_a_test_has_results_too(
    engine: BubblewrapEngine, five: Five
) -> None:
    own = "node_modules/old/bin"
    files = {f"{own}/vitest.mjs": OLD_VITEST, f"{own}/package.json": '{"version": "0.9.4"}'}
    report = run(engine, five, TestCommand("vitest", ("node", f"{own}/vitest.mjs", "run")), files=files)
    assert (report.problem, outcomes(report)) == (None, {"a.test.js::a": "failed", "b.test.js": "error"})
    assert [case.message.splitlines()[0] for case in report.cases] == ["Error: is not 1", "Error: cannot be loaded"]


OLD_JEST = """
const { fork } = require('child_process');
const told = process.argv.filter((word) => word.startsWith('--testResultsProcessor='));
if (told.length !== 1 || process.argv.some((word) => /^--(reporters|ci)/.test(word))) throw new Error('Unknown');
const test = { ancestorTitles: ['s'], title: 'a', status: 'failed', failureMessages: ['Error: is not 1'] };
const results = { testResults: [
  { testFilePath: '/workspace/a.test.js', testResults: [test, { ...test, title: 'b', status: 'passed' }] },
  { testFilePath: '/workspace/b.test.js', testResults: [], testExecError: {}, failureMessage: 'cannot be loaded' },
] };
fork(__dirname + '/worker.js').on('exit', (code) => {
  if (code) throw new Error('what it starts is kept from running');
  require(told[0].slice(23))(results);
  process.exitCode = 1;
});
"""


def test_jest_that_takes_no_reporter_as_before_its_release_20_has_results_too(
    engine: BubblewrapEngine, five: Five
) -> None:
    own = "node_modules/old/bin"
    files = {
        f"{own}/jest.js": OLD_JEST,
        f"{own}/worker.js": "",
        "node_modules/old/package.json": '{"version": "19.0.2"}',
    }
    report = run(engine, five, TestCommand("jest", ("node", f"{own}/jest.js", "--runInBand")), files=files)
    assert (report.problem, outcomes(report)) == (
        None, {"a.test.js::s > a": "failed", "a.test.js::s > b": "passed", "b.test.js": "error"}
    )  # fmt: skip


OLDER_JEST = """
if (process.argv.some((word) => /^--(reporters|ci|coverage|testResults)/.test(word))) throw new Error('Unknown');
const [told] = process.argv.filter((word) => word.startsWith('--config='));
const settings = JSON.parse(require('fs').readFileSync(told.slice(9)));
if (settings.rootDir !== '/workspace/src' || settings.collectCoverage || settings.own !== 1) throw new Error(told);
const test = { ancestorTitles: [], title: 'a', status: 'passed', failureMessages: [] };
const file = { testFilePath: '/workspace/a.test.js', testResults: [test] };
require(settings.testResultsProcessor)({ testResults: [file] });
"""
OWN_SETTINGS = '{"rootDir": "src", "collectCoverage": true, "own": 1}'


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ((), {"package.json": f'{{"jest": {OWN_SETTINGS}}}'}),
        (("--config", "jest.json"), {"jest.json": OWN_SETTINGS}),
        (("--config=src/jest.json",), {"src/jest.json": OWN_SETTINGS.replace("src", "../src")}),
    ],
)
def test_jest_that_only_settings_tell_of_its_results_as_before_its_release_18_has_some_too(
    engine: BubblewrapEngine, five: Five, words: tuple[str, ...], settings: dict[str, str]
) -> None:
    own = "node_modules/old/bin/jest.js"
    files = {own: OLDER_JEST, "node_modules/old/package.json": '{"version": "15.1.1"}', **settings}
    report = run(engine, five, TestCommand("jest", ("node", own, *words)), files=files)
    assert (report.problem, outcomes(report)) == (None, {"a.test.js::a": "passed"})


@pytest.mark.parametrize(
    "options", [("--es-staging", "--harmony"), ("--harmony", "--expose-gc"), ("--harmony-vanished",)]
)
def test_options_for_parts_of_the_language_that_node_has_no_more_hide_no_result(
    engine: BubblewrapEngine, five: Five, options: tuple[str, ...]
) -> None:
    files = {"gc.js": "require('tape')('gc', (t) => { t.equal(typeof gc, process.env.GC); t.end(); });"}
    collects = "function" if "--expose-gc" in options else "undefined"
    command = TestCommand("tap", ("env", f"GC={collects}", "node", *options, "gc.js"))
    report = run(engine, five, command, files=files)
    assert (report.problem, outcomes(report)) == (None, {"gc.js::gc": "passed"})


@pytest.mark.parametrize("files", [("tape/a.js",), ("a.js",)])
def test_what_is_exported_before_the_tests_and_where_it_goes_holds_for_them(
    engine: BubblewrapEngine, five: Five, files: tuple[str, ...]
) -> None:
    test = "require('tape')('a', (t) => { t.equal(process.env.WAY + process.cwd(), 'far/workspace/tape'); t.end(); });"
    before = "export WAY=$(echo far) && cd tape && export LATER=1"
    command = TestCommand("tap", ("sh", "-c", f'{before} && exec "$@"', "sh", "tape", *files))
    report = run(engine, five, command, files={"tape/a.js": test})
    assert (report.problem, outcomes(report)) == (None, {"tape/a.js::a": "passed"})


def test_what_is_sourced_before_the_tests_decides_neither_what_runs_them_nor_what_is_in_it(
    engine: BubblewrapEngine, five: Five
) -> None:
    files = {
        "env.sh": "export PATH=/workspace/own:$PATH NODE_OPTIONS='--require /workspace/own/evil.js' WAY=far\n",
        "own/evil.js": "process.exit(0);\n",
        "own/mocha/a.test.js": "it('a', () => { if (process.env.WAY !== 'far') throw new Error('no'); });\n",
    }
    command = TestCommand("mocha", ("sh", "-c", '. ./env.sh && exec "$@"', "sh", "mocha", "own/mocha/a.test.js"))
    report = run(engine, five, command, files=files)
    assert (report.problem, outcomes(report)) == (None, {"own/mocha/a.test.js::a": "passed"})


CUT = """
const { prototype } = require('mocha').Runner;
const { runTests } = prototype;
prototype.runTests = function keep(...given) { return runTests.apply(globalThis.runner = this, given); };
it('a', () => globalThis.runner.abort());
it('b', () => {});
"""
CUT_AMID_TESTS_OF_A_HOOK = CUT.replace("it('b', () => {});", "before(() => { it('b', () => {}); });")
CUT_BEFORE_A_SUITE_OF_A_TEST = CUT.replace(
    "it('a', () => globalThis.runner.abort());\nit('b', () => {});\n",
    "it('a', () => { describe('c', () => it('b', () => {})); globalThis.runner.abort(); });",
)


@pytest.mark.parametrize(
    ("runner", "file", "text", "problem"),
    first_of(
        [
            ("mocha", "mocha/c.test.js", FORGERY, ""),
            (
                "mocha",
                "mocha/c.test.js",
                "it('a', () => {}); it('dies', () => process.abort());",
                "not come to its end",
            ),
            ("mocha", "mocha/c.test.js", CUT, "early: 1 of its tests had not run, mocha/c.test.js::b the"),
            (
                "mocha",
                "mocha/c.test.js",
                CUT_AMID_TESTS_OF_A_HOOK,
                "early: 1 of its tests had not run, mocha/c.test.js::b",
            ),
            ("mocha", "mocha/c.test.js", CUT_BEFORE_A_SUITE_OF_A_TEST, "early: 1 of its tests had not run"),
            ("mocha", "mocha/a.test.js", "process.abort();", "died, or never began"),
            ("jest", "jest/c.test.js", "test('leaves', () => process.exit(0));", ""),
            ("tap", "tape/a.js", "console.log('ok 1 - x');", ""),
            ("tap", "tape/a.js", "console.log('1..1\\nok 1 - x\\n1..0');", ""),
        ],
        always=4,
    ),
)
def test_a_suite_that_forges_or_leaves_has_no_result(
    engine: BubblewrapEngine, five: Five, runner: str, file: str, text: str, problem: str
) -> None:
    report = run(engine, five, TestCommand(runner, COMMANDS[runner]), file, files={file: text})
    if problem:
        assert problem in (report.problem or "")
    else:
        assert report.problem or report.red


def test_a_test_of_mocha_within_another_which_is_never_begun_is_no_early_end(
    engine: BubblewrapEngine, five: Five
) -> None:
    path = "mocha/c.test.js"
    text = "describe('x', () => it('a', () => { it('within', () => {}); })); it('b', () => {});"
    report = run(engine, five, TestCommand("mocha", COMMANDS["mocha"]), path, files={path: text})
    assert report.problem is None
    assert report.passed == {f"{path}::x > a", f"{path}::b"}


def test_a_build_before_the_tests_may_use_npms_cache(engine: BubblewrapEngine, five: Five) -> None:
    """Packing a tarball does."""
    command = TestCommand("mocha", ("sh", "-c", 'npm pack && exec "$@"', "sh", "mocha", "mocha/a.test.js"))
    assert run(engine, five, command).problem is None


def test_what_a_test_needs_is_built_anew_for_each_run(engine: BubblewrapEngine, five: Five) -> None:
    command = TestCommand("mocha", ("sh", "-c", 'cp sum.js built.js && exec "$@"', "sh", "mocha", "built.test.js"))
    test = "it('adds', () => require('assert').equal(require('./built')([1, 2]), 3));"
    assert run(engine, five, command, files={"built.test.js": test}).passed == {"built.test.js::adds"}
    broken = {"built.test.js": test, "sum.js": "module.exports = () => 0;"}
    assert run(engine, five, command, files=broken).red == {"built.test.js::adds"}


def test_a_build_that_fails_is_no_result_and_is_named(engine: BubblewrapEngine, five: Five) -> None:
    command = TestCommand("mocha", ("sh", "-c", 'false && exec "$@"', "sh", "mocha"))
    assert run(engine, five, command).problem == "A command before the tests failed: false (exit code 1)"


def test_installed_packages_are_links_into_the_layer(engine: BubblewrapEngine, five: Five) -> None:
    checkout, prepared = five
    with fresh_box(engine, checkout, prepared) as box:
        run_tests(box, prepared.environment, ("mocha/a.test.js",), timeout_seconds=RUN_SECONDS)
        found = [path for path in box.tree() if path.startswith("node_modules/")]
        where = box.exec(["readlink", "node_modules/mocha"], timeout_seconds=30)
    assert len(found) < 1_000
    assert where.output == b"/env/js/node_modules/mocha\n"
