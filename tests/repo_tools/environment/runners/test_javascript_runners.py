"""What JavaScript's runners are asked, and what their accounts are worth. (Real runs: test_javascript_runs.)"""

import json
import re

import pytest

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners import RUNNERS, recognise
from repo_tools.environment.runners.aegir import aegir_files
from repo_tools.environment.runners.contract import FOLDER, Account
from repo_tools.environment.runners.javascript_launch import RESULTS_FILE, reporter_path, reporter_text
from tests.repo_tools.environment.javascript.trees import package, planned

NONCE = b"c0ffee"
JAVASCRIPT = (
    *(
        "mocha",
        "jasmine",
        "qunit",
        "uvu",
        "japa",
        "vows",
        "jest",
        "vitest",
        "node_test",
        "bun_test",
        "ava",
        "tap",
        "nodeunit",
    ),
    "jasmine_node",
)


def words(runner: str, command: str, *selectors: str, directory: str = "") -> list[str]:
    """What the runner itself is started with."""
    order = RUNNERS[runner].order(TestCommand(runner, tuple(command.split()), directory), selectors)
    return list(json.loads(order.argv[-1])["argv"])


def launch(runner: str, argv: tuple[str, ...], *selectors: str) -> dict[str, object]:
    return dict(json.loads(RUNNERS[runner].order(TestCommand(runner, argv), selectors).argv[-1]))


@pytest.mark.parametrize(
    ("runner", "typed", "shown"),
    [
        ("mocha", "mocha --recursive -r test/setup test/", "mocha --recursive -r test/setup test/x.js"),
        ("mocha", "node bin/mocha.js --ui tdd test", "node bin/mocha.js --ui tdd test/x.js"),
        ("jest", "jest --ci test", "jest --ci test/x.js"),
        ("vitest", "vitest run test", "vitest run test/x.js"),
        ("ava", "ava test/*.js", "ava test/x.js"),
        ("nodeunit", "nodeunit -r test/", "nodeunit -r test/x.js"),
        ("jasmine_node", "jasmine-node --coffee spec/", "jasmine-node --coffee test/x.js"),
        ("jasmine_node", "jasmine-node --config A b spec/", "jasmine-node --config A b test/x.js"),
        ("tap", "tape -r esm test/**/*.js", "tape -r esm test/x.js"),
        ("node_tap", "tap --no-coverage test/*.js", "tap --no-coverage test/x.js"),
        ("node_test", "node --test test/*.js", "node --test test/x.js"),
    ],
)
def test_a_reader_sees_the_files_that_were_run_and_not_those_beside_them(runner: str, typed: str, shown: str) -> None:
    command = TestCommand(runner, tuple(typed.split()))
    order = RUNNERS[runner].order(command, ("test/x.js",))
    assert command.shown(("test/x.js",), order.instead_of) == shown
    assert str(command).replace("'", "") == typed


def test_mocha_hands_flags_of_nodes_on_with_their_values() -> None:
    found = words("mocha", "node --loader ts-node/esm -r ./a --import=x node_modules/mocha/lib/cli/cli test/*.js")
    assert found[:5] == ["mocha", "--loader=ts-node/esm", "-r", "./a", "--import=x"]


def test_angulars_program_gives_vitest_a_reporter_and_files_of_its_project() -> None:
    typed = "ng test lib --no-watch --coverage --reporters dots --ts-config=t.json"
    reporter = reporter_path("vitest")
    ours = ["--watch=false", f"--reporters={reporter}", "--reporters=default"]
    assert words("vitest", typed) == ["ng", "test", "lib", "--ts-config=t.json", *ours]
    one = words("vitest", typed, "src/a.spec.ts::A > works")
    assert one[4:] == [*ours, "--include=src/a.spec.ts", r"--filter=^A\s+(?:>\s+)?works"]


BUILDING = package(main="out/x.js", scripts={"build": "tsc", "test": "mocha"})
MADE_ONCE = planned({"package.json": BUILDING}).tests[0].argv[2].removesuffix(' && exec "$@"')


def account(*lines: list[object], code: int = 0, nonce: bytes = NONCE, said: bytes = b"") -> Account:
    return Account(code, b"".join(nonce + json.dumps(line).encode() + b"\n" for line in lines), said, nonce=NONCE)


def case(outcome: str = "passed", path: str = "a.test.js", *names: str, message: str = "") -> list[object]:
    return ["case", path, list(names or ("outer", "inner")), outcome, 0.5, message]


def read(given: Account, runner: str = "mocha") -> tuple[dict[str, str], str | None]:
    reading = RUNNERS[runner].read(given, TestCommand(runner, (runner,)), lambda _: True)
    return {one.id: str(one.outcome) for one in reading.cases}, reading.problem


@pytest.mark.parametrize(
    ("command", "runner"),
    [
        ("mocha test", "mocha"),
        ("npx mocha", "mocha"),
        ("yarn jest --ci", "jest"),
        ("npx c8 node --test", "node_test"),
        ("pnpm exec vitest run", "vitest"),
        ("tape test/*.js", "tap"),
        ("npx c8 ava", "ava"),
        ("npx jasmine --config=spec/support/jasmine.json", "jasmine"),
        ("jasmine init", "exit_code"),
        *(("umi-test", "jest"), ("vue-cli-service test:unit", "jest")),
        *(("father test", "jest"), ("father build", "exit_code")),
        ("istanbul cover node_modules/.bin/jasmine-node -- spec", "jasmine_node"),
        ("npx qunit --require ./setup test/", "qunit"),
        ("node node_modules/.bin/qunit -c sum.js -t test/a.js", "exit_code"),
        ("uvu -r tsm tests", "uvu"),
        ("node ./node_modules/vows/bin/vows test/*.js --spec", "vows"),
        ("ava reset-cache", "exit_code"),
        ("npx lab -a @hapi/code -t 100 -L", "lab"),
        ("node node_modules/@hapi/lab/bin/lab -v", "lab"),
        ("egg-bin cov --full-trace", "mocha"),
        ("egg-bin dev", "exit_code"),
        *(("aegir test -t node", "mocha"), ("aegir build", "exit_code")),
        ("vitest bench", "exit_code"),
        ("node --expose-gc ./node_modules/vitest/dist/cli.js --run", "vitest"),
        ("node ./node_modules/vitest/vitest.mjs bench", "exit_code"),
        ("node --loader ts-node/esm node_modules/mocha/lib/cli/cli test/*.js --exit", "mocha"),
        ("node --import ./load.js --test test/*.js", "node_test"),
        ("tsx --tsconfig test/tsconfig.json --test test/*.ts", "node_test"),
        ("node script/build.js --test", "exit_code"),
        ("node bin/jasmine.js", "jasmine"),
        ("node bin/jasmine.js init", "exit_code"),
        ("bun test", "bun_test"),
        ("bun --smol test a.test.ts", "bun_test"),
        ("bun run build", "exit_code"),
        ("npm test", "exit_code"),
        ("node server.js", "exit_code"),
    ],
)
def test_a_command_line_is_known_by_its_program(command: str, runner: str) -> None:
    assert recognise(tuple(command.split())) == runner


@pytest.mark.parametrize("runner", JAVASCRIPT)
@pytest.mark.parametrize(
    "selector",
    [
        "test/a.test.js",
        "test",
        "src/[id]/page.test.tsx",
        "a.js::outer > adds (all) of $them; `x`",
        "packages/a/b.mjs::é",
    ],
)
def test_paths_and_names_are_selectors(runner: str, selector: str) -> None:
    RUNNERS[runner].check_selector(selector)


@pytest.mark.parametrize("runner", JAVASCRIPT)
@pytest.mark.parametrize(
    "selector",
    [
        "",
        "--config=x",
        "-t",
        "/etc/passwd",
        "../a.js",
        "a/../../b.js",
        "a.js::x\ny",
        "a.js::\x1b[0m",
        "a\0b",
        "a.js::",
        "x" * 1001,
    ],
)
def test_everything_else_is_none(runner: str, selector: str) -> None:
    with pytest.raises(ValueError, match=r"names no tests|leads out"):
        RUNNERS[runner].check_selector(selector)


def test_mocha_keeps_its_options_and_loses_those_that_are_the_harness_own() -> None:
    found = words("mocha", "mocha --require x --reporter dot --bail -p test/*.js", "test/a.js::outer > a.b")
    assert found[:3] == ["mocha", "--require", "x"]
    assert not {"dot", "--bail", "-p", "test/*.js"} & set(found)
    assert found[-3:] == ["--grep", r"^outer\s+(?:>\s+)?a\.b", "test/a.js"]


@pytest.mark.parametrize("option", ["--globals", "--global", "-n", "--watch-extensions"])
def test_the_value_of_an_option_of_mochas_is_none_of_its_files(option: str) -> None:
    found = words("mocha", f"mocha {option} document test")
    assert found[1:3] == [option, "document"]
    assert found[-1] == "test"


def test_mocha_stays_behind_what_compiles_its_files() -> None:
    found = words("mocha", "babel-node -r a node_modules/.bin/_mocha --reporter dot test/*.js", "test/a.js")
    assert found[:4] == ["babel-node", "-r", "a", "node_modules/.bin/_mocha"]
    assert "dot" not in found
    assert found[-1] == "test/a.js"


@pytest.mark.parametrize("program", ["ts-node --transpile-only", "tsx", "tsm", "coffee", "node --loader ts-node/esm"])
@pytest.mark.parametrize("runner", ["mocha", "jasmine", "uvu"])
def test_a_runner_stays_behind_what_compiles_all_that_it_loads(runner: str, program: str) -> None:
    file = f"node_modules/{runner}/bin.js"
    assert recognise((*program.split(), file, "test")) == runner
    found = words(runner, f"{program} {file} test")
    compiled = ["mocha", "--loader=ts-node/esm"] if (runner, found[0]) == ("mocha", "mocha") else program.split()
    assert found[: len(compiled)] == compiled  # of node's own flags mocha takes all
    assert (file in found) == (runner != "uvu" and compiled[0] != "mocha")


@pytest.mark.parametrize("program", ["ts-node", "node --loader ts-node/esm"])
@pytest.mark.parametrize("runner", ["mocha", "jasmine", "uvu"])
def test_what_compiles_another_file_starts_no_runner(runner: str, program: str) -> None:
    assert recognise((*program.split(), "test/index.ts", runner)) != runner


@pytest.mark.parametrize("runner", ["mocha", "jasmine"])
def test_a_program_that_starts_the_runner_has_the_reporter_loaded_before_it(runner: str) -> None:
    order = launch(runner, ("node", "-r", "x", "test.js", "--slow"), "test/a.js::outer > b")
    assert order["argv"] == ["node", "--require", reporter_path(runner), "-r", "x", "test.js", "--slow"]
    variables = dict(order["variables"])  # type: ignore[call-overload]
    asked = {"paths": ["test/a.js"], "pattern": r"^outer\s+(?:>\s+)?b"}
    assert json.loads(variables["AGENT_FIX_IN_PROGRAM"]) == asked


@pytest.mark.parametrize("option", ["-C lib", "-C=lib", "--cwd lib", "--cwd=lib"])
def test_the_folder_that_uvu_goes_to_is_known_in_either_spelling(option: str) -> None:
    assert json.loads(words("uvu", f"uvu {option} -r esm tests")[2])["folder"] == "lib/tests"
    assert json.loads(words("uvu", "uvu -r esm tests")[2])["folder"] == "tests"


def test_what_follows_the_program_that_starts_japa_is_its_own() -> None:
    found = words("japa", "node --loader ts-node/esm bin/test.ts --force-exit unit", "test/a.ts::outer > b #2")
    ours = {"places": ["test/a.ts"], "names": ["outer > b"]}
    assert found[:4] == ["node", "--loader", "ts-node/esm", reporter_path("japa")]
    assert json.loads(found[4]) == ours
    assert found[5:] == ["bin/test.ts", "--force-exit", "unit"]


def test_vows_hears_all_files_in_one_process_and_a_file_that_is_started_alone() -> None:
    ours = {"places": [], "names": [], "file": False}
    found = words("vows", "vows test/*.js --shuffle --isolate --spec")
    assert found == ["node", reporter_path("vows"), json.dumps(ours), "test/*.js", "--spec"]
    assert words("vows", "node -r x test/a.js") == [
        *("node", "-r", "x", reporter_path("vows"), json.dumps({**ours, "file": True}), "test/a.js")
    ]


def test_vitest_measures_no_coverage_in_words_that_every_release_takes() -> None:
    found = words("vitest", "vitest run --coverage --coverage.all false src")
    assert [word for word in found if "coverage" in word] == ["--coverage.all", "--no-coverage"]


def test_lab_measures_no_coverage_and_checks_neither_style_nor_globals() -> None:
    found = words("lab", "lab -vcd -a @hapi/code -t 100 -Lm 3000 test/a.js", ".::outer > b")
    own = ["-l", "-r", reporter_path("lab"), "-g", r"^outer\s+(?:>\s+)?b"]
    assert found == ["lab", "-d", "-a", "@hapi/code", "-m", "3000", *own, "test/a.js"]
    assert words("lab", "lab -t 100 test/a.js", "test/b.js") == ["lab", *own[:3], "test/b.js"]


def test_egg_bin_takes_mochas_options_and_measures_no_coverage() -> None:
    found = words("mocha", "egg-bin cov -t 5000 test", "test/a.js::outer > b")
    assert found[:4] == ["egg-bin", "test", "-t", "5000"]
    assert found[4:8] == ["--require", reporter_path("mocha"), "--reporter", reporter_path("mocha")]
    assert found[-1] == "test/a.js"


def test_aegir_hands_on_what_is_for_mocha_and_tests_in_node_alone() -> None:
    ours = ["--require", reporter_path("mocha"), "--reporter", reporter_path("mocha")]
    found = words("mocha", "aegir test -t node -t browser --cov -f dist/test/*.js --timeout 9 -- --exit")
    assert found == ["aegir", "test", "-t", "node", "-f", "dist/test/*.js", "--timeout", "9", "--", "--exit", *ours]
    found = words("mocha", "aegir test --build false -f a.js b.js --target=node -t browser")
    assert found == ["aegir", "test", "-t", "node", "--build", "false", "-f", "a.js", "b.js", "--", *ours]
    assert aegir_files(("aegir", "test", "-f", "a", "b", "--cov", "--files=c", "-t", "node", "--", "-f", "d")) == (
        *"abc",
    )
    found = words("mocha", "aegir test --files dist/test/*.js", "test/a.js::outer > b")
    assert found[:-1] == ["aegir", "test", "-t", "node", "-f", "test/a.js", "--", *ours, "--grep"]


def test_jest_is_narrowed_by_patterns_of_paths_and_names() -> None:
    found = words("jest", "jest --coverage --config c.json", "packages/a/x.test.js::s > t", directory="packages/a")
    assert found[:3] == ["jest", "--config", "c.json"]
    assert "--coverage" not in found
    assert found[-2:] == [r"--testNamePattern=^s\s+(?:>\s+)?t", r"/x\.test\.js$"]


@pytest.mark.parametrize(
    ("command", "options", "operands"),
    [
        ("jest --projects a.json --projects ./b", ["--projects=a.json", "--projects=./b"], []),
        ("jest test/x --projects a b -i", ["--projects=a", "--projects=b", "-i"], ["test/x"]),
        ("jest --coverageReporters text lcov --roots src -- test/x", ["--roots=src"], ["test/x"]),
        ("jest --testMatch=**/a.js test/x", ["--testMatch=**/a.js"], ["test/x"]),
    ],
)
def test_what_belongs_to_an_option_of_jest_is_no_pattern_of_tests(
    command: str, options: list[str], operands: list[str]
) -> None:
    found = words("jest", command)
    assert found[1 : 1 + len(options)] == options
    assert found[found.index("--no-bail") + 1 :] == operands


def test_vitest_never_watches() -> None:
    assert words("vitest", "vitest --watch --dir x")[:4] == ["vitest", "run", "--dir", "x"]


def test_what_vitest_is_to_do_may_stand_after_options() -> None:
    found = words("vitest", "vitest --config ../x.mts run src")
    assert (found[:4], found.count("run"), found[-1]) == (["vitest", "run", "--config", "../x.mts"], 1, "src")
    assert recognise(("vitest", "--config", "x.mts", "bench")) == "exit_code"


@pytest.mark.parametrize(
    ("runner", "command", "start"),
    [
        ("vitest", "node --expose-gc ./node_modules/vitest/dist/cli.js --run -c x.ts", "run"),
        ("jasmine", "node ./bin/jasmine.js", "--reporter="),
    ],
)
def test_a_runner_that_node_starts_as_a_file_is_started_so(runner: str, command: str, start: str) -> None:
    started = command.partition(" -")[0].split() if runner == "jasmine" else command.split()[:3]
    found = words(runner, command)
    assert found[: len(started)] == started
    assert found[len(started)].startswith(start)
    assert "--run" not in found


def test_nodes_runner_asks_for_the_test_and_the_one_around_it() -> None:
    found = words("node_test", "node --import tsx --test test/*.ts", "a.ts::outer > mid > inner")
    assert found[:4] == ["node", "--import", "tsx", "--test"]
    assert [word for word in found if "pattern" in word] == [
        "--test-name-pattern=/^outer$/",
        "--test-name-pattern=/^inner$/",
    ]
    assert found[-1] == "a.ts"


def test_one_file_that_is_wanted_whole_makes_all_wanted_whole() -> None:
    assert "--grep" not in words("mocha", "mocha", "a.js", "b.js::x")


def test_tap_suites_are_run_file_by_file() -> None:
    order = launch("tap", ("tape", "-r", "x", "test/*.js"))
    assert (order["argv"], order["each"]) == (["tape", "-r", "x"], ["test/*.js"])
    assert launch("tap", ("tape", "test/*.js"), "test/a.js::b")["each"] == ["test/a.js"]
    order = launch("tap", ("taper", "--no-color", "test/*.js"))
    assert (order["argv"], order["each"]) == (["node"], ["test/*.js"])
    order = launch("tap", ("brittle", "-b", "--coverage", "-t", "9000", "-j", "4", "test/*.js"))
    assert (order["argv"], order["each"]) == (["brittle", "-t", "9000"], ["test/*.js"])


def test_a_file_that_is_compiled_is_run_by_what_compiles_it() -> None:
    order = launch("tap", ("babel-node", "--presets", "es2015", "test/index.js"))
    assert (order["argv"], order["each"]) == (["babel-node", "--presets", "es2015"], ["test/index.js"])


def test_node_taps_files_are_run_by_node_itself() -> None:
    order = launch("tap", ("tap", "--100", "--node-arg=--expose-gc", "test/*.js"))
    assert (order["argv"], order["each"]) == (["node", "--expose-gc"], ["test/*.js"])
    assert launch("tap", ("tap", "--expose-gc", "a.js"))["argv"] == ["node", "--expose-gc"]
    assert launch("tap", ("tap",))["each"]


def test_what_is_built_first_never_holds_the_pipe() -> None:
    order = launch("mocha", ("sh", "-c", 'tsc -p . && exec "$@"', "sh", "env", "A=1", "mocha", "dist"))
    assert order["before"] == ["tsc -p ."]
    assert order["variables"] == {"A": "1", "AGENT_FIX_RESULTS_FILE": RESULTS_FILE}
    assert FOLDER in RESULTS_FILE


@pytest.mark.parametrize("runner", sorted({*JAVASCRIPT} - {"node_test", "bun_test", "vitest", "tap"}))
def test_what_the_oldest_release_of_node_has_is_all_that_a_reporter_uses(runner: str) -> None:
    """Node 10. The others' runners begin with later ones, or need no reporter."""
    assert not re.findall(
        r"\?\.[\w(\[]|\?\?|\.(?:flat|flatMap|at|fromEntries|matchAll|replaceAll|allSettled)\(", reporter_text(runner)
    )


def test_each_result_is_a_case_and_its_suites_are_in_its_name() -> None:
    given = account(
        case(), case("skipped", "a.test.js", "x\ny "), case("failed", "b.js", "z", message="no"), ["end", 1], code=1
    )
    reading = RUNNERS["jest"].read(given, TestCommand("jest", ("jest",)), lambda _: True)
    assert read(given) == (
        {"a.test.js::outer > inner": "passed", "a.test.js::x y": "skipped", "b.js::z": "failed"},
        None,
    )
    assert (reading.cases[2].path, reading.cases[2].seconds, reading.cases[2].message) == ("b.js", 0.5, "no")


def test_tests_of_the_same_name_in_one_file_are_told_apart() -> None:
    given = account(case(), case("failed"), case("passed", "b.test.js"), ["end", 1], code=1)
    first = "a.test.js::outer > inner"
    assert read(given) == ({first: "passed", f"{first} #2": "failed", "b.test.js::outer > inner": "passed"}, None)
    assert words("mocha", "mocha", f"{first} #2")[-2] == r"^outer\s+(?:>\s+)?inner(?:\s+#2)?"


def test_a_runner_that_starts_itself_anew_leaves_a_file() -> None:
    lines = account(case(), ["end", 0])
    assert read(Account(0, files={RESULTS_FILE: lines.results}, nonce=NONCE))[1] is None


def test_a_file_that_cannot_be_loaded_is_an_error_under_its_own_name() -> None:
    assert read(account(["case", "b.js", [], "error", 0, "x"], ["end", 1], code=1)) == ({"b.js": "error"}, None)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (account(), "died, or never began"),
        (account(case()), "did not come to its end"),
        (account(case(), ["cut", 3, "b.js", ["x", "y"]], code=1), "early: 3 of its tests had not run, b.js::x > y the"),
        (account(case(), ["end", 0], nonce=b"guess"), "not its own"),
        (account(case(), ["end", 0], case()), "not its own"),
        (account(["case", "a.js"]), "not its own"),
        (account(["case", 1, 2, 3, 4, 5]), "not its own"),
        (account(case("green"), ["end", 0]), "not its own"),
        (account(["end", "x"]), "not its own"),
        (account(["end", 0]), "No tests were collected"),
        (account(case("failed"), ["end", 1]), "ends as if there were none"),
        (account(case(), ["end", 0], code=1), "though no test failed"),
        (account(case(), ["end", 1], code=1), "accounts differ"),
        (account(case("failed"), ["end", 0], code=1), "accounts differ"),
        (account(said=b'["before", "tsc", 2]\n', code=1), "A command before the tests failed: tsc (exit code 2)"),
        (
            account(said=b'["before", "cd a && { npm run b || test -e /env/not-built/+; } && tsc", 2]\n', code=1),
            "A command before the tests failed: cd a && npm run b && tsc (exit code 2)",
        ),
        (
            account(said=json.dumps(["before", f"{MADE_ONCE} && if test -e /env/b; then npm run c; fi", 2]).encode()),
            "A command before the tests failed: npm run build && npm run c (exit code 2)",
        ),
        (
            account(said=b'["before", "(cd a && npm run build --force) && tsc --build --force", 2]', code=1),
            "A command before the tests failed: (cd a && npm run build) && tsc --build --force (exit code 2)",
        ),
        (Account(0, b"[" * 100_000, nonce=b""), "not its own"),
    ],
)
def test_an_account_that_does_not_agree_with_itself_is_no_result(given: Account, problem: str) -> None:
    assert problem in (read(given)[1] or "")


def tap_runs(*runs: tuple[str, int, str], code: int = 0, whole: bool = True) -> Account:
    lines = [json.dumps({"path": p, "code": c, "whole": whole, "text": t}) for p, c, t in runs]
    return Account(code, "\n".join(lines).encode())


GOOD = "# a\nok 1 - x\n1..1\n"
BAD = "# a\nnot ok 1 - x\n1..1\n"


def test_each_tap_file_has_its_own_results() -> None:
    runs = tap_runs(("t/a.js", 0, GOOD), ("t/b.js", 1, BAD), ("t/c.js", 0, ""), code=1)
    found = RUNNERS["tap"].read(runs, TestCommand("tap", ("tape", "t/*.js")), lambda _: True)
    told = {case.id: str(case.outcome) for case in found.cases}
    assert (told, found.problem) == ({"t/a.js::a": "passed", "t/b.js::a": "failed"}, None)


def test_a_program_that_prints_no_tap_tells_by_its_exit_code() -> None:
    node, tape = (TestCommand("tap", (program, "test/run.js")) for program in ("node", "tape"))
    silent, none = tap_runs(("test/run.js", 0, "0 errors in 2 files\n")), tap_runs(("test/run.js", 0, "1..0\n"))
    (case,) = RUNNERS["tap"].read(silent, node, lambda _: True).cases
    assert (case.id, case.outcome) == ("test/run.js", "passed")
    assert RUNNERS["tap"].read(silent, tape, lambda _: True).cases == ()
    assert RUNNERS["tap"].read(none, node, lambda _: True).cases == ()


@pytest.mark.parametrize("program", ["node", "tap"])
@pytest.mark.parametrize(
    "text", ["# Subtest: x\n    not ok 1 - inner\n    1..1\n", "debug: not ok 1 - x\n# fail 1\n", "ok a\nok b\n"]
)
def test_a_program_that_says_more_than_a_last_ok_is_read(program: str, text: str) -> None:
    read = RUNNERS["tap"].read(tap_runs(("t.js", 0, text)), TestCommand("tap", (program, "t.js")), lambda _: True)
    assert "error" in {str(case.outcome) for case in read.cases if case.id == "t.js"}


def test_node_tap_counts_files_that_only_end_well() -> None:
    runs = tap_runs(
        ("t/a.js", 0, GOOD), ("t/b.js", 0, ""), ("t/c.js", 0, "read 3\nok\n"), ("t/d.js", 1, "ok\n"), code=1
    )
    found = RUNNERS["tap"].read(runs, TestCommand("tap", ("tap", "t/*.js")), lambda _: True)
    told = {case.id: str(case.outcome) for case in found.cases}
    assert told == {
        "t/a.js::a": "passed",
        "t/b.js": "passed",
        "t/c.js": "passed",
        "t/d.js::test 1": "passed",
        "t/d.js": "error",
    }


@pytest.mark.parametrize("text", ["", GOOD, "# a\nok 1 - x\n"], ids=["silent", "all well", "cut"])
def test_a_tap_file_that_dies_is_an_error(text: str) -> None:
    cases, problem = read(tap_runs(("t/a.js", 1, text), code=1), "tap")
    assert (cases["t/a.js"], problem) == ("error", None)


@pytest.mark.parametrize(
    ("text", "whole", "told"),
    [
        (BAD, True, "it reports failures and ends as if there were none"),
        ("ok 1 - x\n", True, "no plan"),
        ("# a\nok 1 - x\n1..1\n1..1\n", True, "two plans"),
        (GOOD, False, "too long"),
    ],
)
def test_a_tap_file_that_cannot_be_trusted_is_an_error_and_the_others_count(text: str, whole: bool, told: str) -> None:
    runs = tap_runs(("t/a.js", 0, text), whole=whole), tap_runs(("t/b.js", 0, "# b\nok 1 x\n1..1\n"))
    found = RUNNERS["tap"].read(
        Account(0, b"\n".join(run.results for run in runs)), TestCommand("tap", ()), lambda _: True
    )
    outcomes = {case.id: case.outcome for case in found.cases}
    assert (outcomes["t/a.js"], outcomes["t/b.js::b"], found.problem) == ("error", "passed", None)
    assert told in next(case.message for case in found.cases if case.id == "t/a.js")


def test_a_tap_file_that_dies_says_what_it_said_last() -> None:
    run = {"path": "t/a.js", "code": 1, "whole": True, "text": "# a\nok 1 - x\n", "errors": "TypeError: no\n  at x\n"}
    *_, case = RUNNERS["tap"].read(Account(1, json.dumps(run).encode()), TestCommand("tap", ()), lambda _: True).cases
    assert case.message.splitlines()[-2:] == ["TypeError: no", "  at x"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (tap_runs(code=125), "No tests were collected"),
        (Account(0, b"{"), "cannot be read"),
        (Account(0, b'{"path": 1}'), "cannot be read"),
    ],
)
def test_tap_that_cannot_be_trusted_is_no_result(given: Account, problem: str) -> None:
    assert problem in (read(given, "tap")[1] or "")


def test_ava_runs_all_files_at_once_and_to_the_end() -> None:
    found = words("ava", "ava --verbose --timeout=2m --fail-fast -c 1 test/*.js !test/_*")
    options = ["--no-fail-fast", "--timeout=2m", "-c", "1"]
    assert found == ["node", reporter_path("ava"), *options, "--", "test/*.js", "!test/_*"]
    assert words("ava", "ava") == ["node", reporter_path("ava"), "--no-fail-fast", "--"]


def test_ava_is_narrowed_to_files() -> None:
    chosen = words("ava", "ava test/*.js", "packages/x/test/a.js::b", directory="packages/x")
    assert chosen[2:] == ["--no-fail-fast", "--", "test/a.js"]
    assert words("ava", "ava", ".")[2:] == ["--no-fail-fast", "--"]


@pytest.mark.parametrize(
    ("runner", "typed"),
    [
        ("mocha", "mocha --recursive test/helper.js test/src"),
        ("jest", "jest src"),
        ("vitest", "vitest run src"),
        ("node_test", "node --test test/*.js"),
        ("bun_test", "bun test src"),
        ("jasmine", "jasmine spec/*.js"),
    ],
)
@pytest.mark.parametrize(("selectors", "whole"), [((".",), ""), (("packages/x",), "packages/x")])
def test_the_whole_folder_is_what_its_own_command_runs(
    runner: str, typed: str, selectors: tuple[str, ...], whole: str
) -> None:
    asked = words(runner, typed, *selectors, directory=whole)
    assert asked == words(runner, typed, directory=whole)


def test_a_test_of_no_known_file_is_looked_for_in_all_of_them() -> None:
    asked = words("mocha", "mocha test/helper.js test/src", ".::log > warns", "test/src/a.js::log > warns")
    assert asked[-2:] == ["test/helper.js", "test/src"]
    assert "--grep" in asked


def test_a_name_that_is_no_text_is_shown_as_it_is() -> None:
    line: list[object] = ["case", "a.test.js", [["fr", 1], 2, "three"], "passed", 0.5, ""]
    assert read(account(line, ["end", 0])) == ({'a.test.js::["fr", 1] > 2 > three': "passed"}, None)


@pytest.mark.parametrize(
    ("typed", "started", "settings"),
    [
        ("karma start", "karma start {}", ""),
        ("npx karma start web/k.js --browsers Chrome --single-run -a 1", "karma start {} -a 1", "web/k.js"),
        ("karma start --reporters dots --log-level debug k.js", "karma start {} --log-level debug", "k.js"),
        ("node node_modules/karma/bin/karma start k.js", "node node_modules/karma/bin/karma start {}", "k.js"),
        ("ng test a --karma-config=k --browsers=X", "ng test a --watch=false --progress=false --karma-config={}", "k"),
        ("ng test -cc --single-run --config=", "ng test --single-run --progress=false --config=" + "../" * 12 + "{}", ""),  # noqa: E501
    ],
)  # fmt: skip
def test_karma_is_started_once_with_settings_of_ours_that_know_the_repositorys(
    typed: str, started: str, settings: str
) -> None:
    argv = tuple(typed.split())
    assert recognise(argv) == "karma"
    asked = launch("karma", argv)
    variables = asked["variables"]
    assert " ".join(asked["argv"]) == started.format(reporter_path("karma"))  # type: ignore[arg-type]
    assert isinstance(variables, dict)
    assert json.loads(variables["AGENT_FIX_KARMA"])["settings"] == settings


@pytest.mark.parametrize("typed", ["karma init", "karma run", "ng test", "ng build --config=x"])
def test_what_starts_no_tests_of_karmas_is_not_karma(typed: str) -> None:
    assert recognise(tuple(typed.split())) == "exit_code"


def test_no_part_of_a_page_can_be_run_alone() -> None:
    with pytest.raises(ValueError, match="cannot be run alone: karma loads all tests into one page"):
        RUNNERS["karma"].check_selector("spec/a.spec.js")


@pytest.mark.parametrize("command", ["rc-test src", "umi-test --coverage src", "father test src"])
def test_programs_around_jest_that_read_no_false_are_told_another_way(command: str) -> None:
    found = words("jest", command)
    assert found[-2:] == ["--no-bail", "src"]
    assert "--no-coverage" in found
    assert not [word for word in found if word.startswith("--coverage")]


def test_settings_of_jasmine_node_are_variables_and_no_files() -> None:
    order = launch("jasmine_node", ("jasmine-node", "--config", "A", "b", "spec"))
    assert order["argv"] == ["node", "{folder}/jasmine_node_reporter.cjs", "spec"]
    assert dict(order["variables"])["A"] == "b"  # type: ignore[call-overload]
