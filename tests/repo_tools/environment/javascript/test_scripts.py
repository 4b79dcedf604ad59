"""Which commands a package's scripts come to."""

import json
from typing import Any

import pytest

from repo_tools.environment.detect import detect
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.scripts import scripted
from repo_tools.environment.runners.javascript_command import ScriptCommand
from tests.repo_tools.environment.javascript.trees import commands, package, plan, planned, scripts
from tests.support.files_checkout import FilesCheckout

COMPILED_AND_COVERED = (
    "sh -c PATH=$PWD/node_modules/.bin:$PATH; node -r babel-register node_modules/.bin/istanbul cover _mocha -- test"
)
ESM = "sh -c PATH=$PWD/node_modules/.bin:$PATH; node -r esm --import=a node_modules/.bin/tape a.js"
BRITTLE = 'sh -c brittle -r test/all.js test/*.js && exec "$@" sh brittle-node test/all.js'
INSTALLED_THERE = 'sh -c cd test/x && npm i && cd ../.. && exec "$@" sh mocha'
BUILT_BY_YARN = 'sh -c yarn build && exec "$@" sh pnpm mocha'
BUILT_AND_LB = 'sh -c tsc && exec "$@" sh lb-mocha --allow-console-logs dist/*.js'
GLOB_OF_NODE = "sh -c PATH=$PWD/node_modules/.bin:$PATH; glob -c node t/*.js"
GLOB_OF_NOTHING = """sh -c PATH=$PWD/node_modules/.bin:$PATH; glob -c 'node "--test' t/*.js"""
SYNCED = 'sh -c svelte-kit sync && tsgo -p . && exec "$@" sh jest'
JEST_COMPILED = "ts-node -P a -r b node_modules/jest/bin/jest.js -i"
BNT = "env NODE_ENV=test node --test **/*.{test,spec}.{js,ts}"
FOUND = "node --test test/**/*-test.js test/**/*.test.js"


@pytest.mark.parametrize(
    ("script", "runner", "command"),
    [
        ("mocha --require x 'test/**/*.js'", "mocha", "mocha --require x test/**/*.js"),
        ("jest", "jest", "jest"),
        ("vitest", "vitest", "vitest"),
        ("vitest run --coverage", "vitest", "vitest run --coverage"),
        ("ts-node -P a -r b node_modules/jest/bin/jest.js -i", "jest", JEST_COMPILED),
        ("node --test", "node_test", "node --test"),
        ("node --import tsx --test test/*.ts", "node_test", "node --import tsx --test test/*.ts"),
        ("tape test/*.js | tap-spec", "tap", "tape test/*.js"),
        ("lunte && standard && brittle test/*.js", "tap", "brittle test/*.js"),
        ("brittle -r test/all.js test/*.js && brittle-node test/all.js", "tap", BRITTLE),
        (r"mocha -g \(one\|two\) -i && eslint .", "mocha", "mocha -g (one|two) -i"),
        (r"mocha -g a\;b\&c", "mocha", "mocha -g a;b&c"),
        (r'mocha -g "a \" && b" && eslint .', "mocha", 'mocha -g a " && b'),
        (r"node --test $(find test \( -name '*-test.js' -o -name '*.test.js' \))", "node_test", FOUND),
        ("mocha `find ./test lib -type f -name '*.spec.js'`", "mocha", "mocha ./test/**/*.spec.js lib/**/*.spec.js"),
        ("mocha $(find a -newer b)", "mocha", "mocha $(find a -newer b)"),
        ("mocha test 2>&1 | tee log", "mocha", "mocha test"),
        ("mocha -R xunit a.js > out/results.xml 2>/dev/null", "mocha", "mocha -R xunit a.js"),
        ("mocha -g 'a > b' &> log && eslint .", "mocha", "mocha -g a > b"),
        ("tap test/*.js --100", "tap", "tap test/*.js --100"),
        ("node -r esm --import=a node_modules/.bin/tape a.js", "exit_code", ESM),
        ("taper tests/test-*.js", "tap", "taper tests/test-*.js"),
        ("node node_modules/.bin/taper a.js && node b.js", "tap", "taper a.js"),
        ("faucet `find test -name '*-test.js'`", "tap", "faucet test/**/*-test.js"),
        ("tape test/*.js | faucet", "tap", "tape test/*.js"),
        ("istanbul test node_modules/mocha/bin/_mocha -- -R dot", "mocha", "mocha -R dot"),
        ("node -r esm --import a node_modules/.bin/tape a.js", "tap", "tape -r esm --import a a.js"),
        ("borp --coverage", "node_test", "node --test test/**/*.test.{js,cjs,mjs}"),
        ("bnt --coverage 100 --coverage-exclude 'test/*'", "node_test", BNT),
        ("bnt a.test.js -t 'a name'", "node_test", "env NODE_ENV=test node --test a.test.js"),
        ("NODE_ENV=production bnt a.test.js", "node_test", "env NODE_ENV=test node --test a.test.js"),
        ('c8 glob -c "tsx --test" "test/**/*.test.ts" && xo', "node_test", "tsx --test test/**/*.test.ts"),
        ("npx glob --cmd 'node --import tsx --test' t/*.ts", "node_test", "node --import tsx --test t/*.ts"),
        ("""glob -c 'node "--test' t/*.js""", "exit_code", GLOB_OF_NOTHING),
        ("glob -c node t/*.js", "exit_code", GLOB_OF_NODE),
        ("tsc && lb-mocha --allow-console-logs dist/*.js", "mocha", BUILT_AND_LB),
        ("pnpm oxlint && yarn tsc --noEmit && yarn build && pnpm mocha", "mocha", BUILT_BY_YARN),
        ("npm i --no-save typescript@3.7.x && mocha", "mocha", "mocha"),
        ("gts check && mocha", "mocha", "mocha"),
        ("yarn && npm ci && pnpm install --offline && mocha", "mocha", "mocha"),
        ("yarn --cwd a && mocha", "mocha", 'sh -c yarn --cwd a && exec "$@" sh mocha'),
        ("cd test/x && npm i && cd ../.. && mocha", "mocha", INSTALLED_THERE),
        ("nyc --reporter text mocha test", "mocha", "mocha test"),
        ("c8 --check-coverage -x dist node --test", "node_test", "node --test"),
        ("istanbul cover _mocha -- -R spec test", "mocha", "_mocha -R spec test"),
        (
            "istanbul --config=x.yml cover --print none node_modules/mocha/bin/_mocha --report lcovonly -- -b test",
            "mocha",
            "mocha -b test",
        ),
        ("istanbul cover ./node_modules/.bin/tape test/*.js && istanbul check-coverage", "tap", "tape test/*.js"),
        ("istanbul cover node_modules/jasmine/bin/jasmine.js && istanbul report", "jasmine", "jasmine"),
        ("istanbul cover -- _mocha tests/ -R spec", "mocha", "_mocha tests/ -R spec"),
        (
            'node ./node_modules/istanbul/lib/cli.js cover --report html node_modules/mocha/bin/_mocha -- "test/*.js"',
            "mocha",
            "mocha test/*.js",
        ),
        ("node node_modules/.bin/istanbul cover _mocha && node node_modules/.bin/istanbul report", "mocha", "_mocha"),
        ("node -r babel-register node_modules/.bin/istanbul cover _mocha -- test", "exit_code", COMPILED_AND_COVERED),
        ("node --harmony node_modules/.bin/nyc mocha test", "mocha", "mocha test"),
        ("cross-env NODE_ENV=test TZ=UTC jest --ci", "jest", "env NODE_ENV=test TZ=UTC jest --ci"),
        ("NODE_OPTIONS=--experimental-vm-modules jest", "jest", "env NODE_OPTIONS=--experimental-vm-modules jest"),
        ("npx mocha", "mocha", "mocha"),
        ("node ./node_modules/mocha/bin/mocha.js test", "mocha", "mocha test"),
        ("./node_modules/.bin/mocha test", "mocha", "mocha test"),
        ("$(npm bin)/mocha test && `npm bin`/eslint .", "mocha", "mocha test"),
        ("nyc $(npm root)/.bin/mocha test && $(npm prefix)/node_modules/.bin/eslint .", "mocha", "mocha test"),
        ("standard && node $(yarn -s bin jest) --ci", "jest", "jest --ci"),
        ("istanbul cover `which _mocha` -- test", "mocha", "_mocha test"),
        ("xvfb-maybe --auto-servernum -- mocha test", "mocha", "mocha test"),
        ("yarn --silent mocha test", "mocha", "yarn --silent mocha test"),
        ("bun --bun vitest run", "vitest", "bun --bun vitest run"),
        ("deno test -A", "exit_code", "sh -c PATH=$PWD/node_modules/.bin:$PATH; deno test -A"),
        (
            "node --experimental-vm-modules node_modules/jest/bin/jest.js",
            "jest",
            "node --experimental-vm-modules node_modules/jest/bin/jest.js",
        ),
        ('nyc babel-tape-runner "src/**/*.js"', "tap", "babel-tape-runner src/**/*.js"),
        ("nyc mocha $(grep -lr '^ *it(' tests) -R dot", "mocha", "mocha $(grep -lr '^ *it(' tests) -R dot"),
        ("tape `git ls-files test`", "tap", "tape $(git ls-files test)"),
        (
            "babel-node --presets a ./node_modules/.bin/_mocha -R dot x.js",
            "mocha",
            "babel-node --presets a ./node_modules/.bin/_mocha -R dot x.js",
        ),
        ("react-scripts test", "jest", "react-scripts test"),
        ("kcd-scripts lint && kcd-scripts test --coverage", "jest", "kcd-scripts test --coverage"),
        ("tsdx lint src && tsdx test --passWithNoTests", "jest", "tsdx test --passWithNoTests"),
        ("dts test", "jest", "dts test"),
        ("father test --coverage", "jest", "father test --coverage"),
        ("eslint src && rc-test", "jest", "rc-test"),
        ("tsc && npm link && npm link --force x && mocha", "mocha", 'sh -c tsc && exec "$@" sh mocha'),
        (
            "npm ls -s && yarn list && npm outdated && npm audit && jasmine-node spec",
            "jasmine_node",
            "jasmine-node spec",
        ),
        ("wp-scripts test-unit-js", "jest", "wp-scripts test-unit-js"),
        ("npm prune && npm dedupe && mocha", "mocha", "mocha"),
        ("grunt jshint:all eslint && gulp lint && jake standard && mocha", "mocha", "mocha"),
        ("gulp lint-and-test && mocha", "mocha", 'sh -c gulp lint-and-test && exec "$@" sh mocha'),
        ("nice -n 5 timeout -k 9 60s xvfb-run -a -s '-screen 0' mocha -R dot", "mocha", "mocha -R dot"),
        (
            "vue-cli-service test:unit",
            "exit_code",
            "sh -c PATH=$PWD/node_modules/.bin:$PATH; vue-cli-service test:unit",
        ),
        ("eslint . && mocha", "mocha", "mocha"),
        ("gzip-size a.min.js && yaspeller *.md && textlint . && alex && mocha", "mocha", "mocha"),
        ("standard && (nyc -s tape test/*-test.js | tap-arc) && nyc report", "tap", "tape test/*-test.js"),
        ("[ -n $CI ] || tsc && mocha", "mocha", 'sh -c { [ -n $CI ] || tsc ; } && exec "$@" sh mocha'),
        ("test -d dist || eslint . && [ -f x ] || mocha", "mocha", "mocha"),
        ("(tsc -p . && mocha) || exit 1", "mocha", 'sh -c tsc -p . && exec "$@" sh mocha'),
        (
            "node --expose-gc ./node_modules/vitest/dist/cli.js --run",
            "vitest",
            "node --expose-gc ./node_modules/vitest/dist/cli.js --run",
        ),
        ("node ./bin/jasmine.js", "jasmine", "node ./bin/jasmine.js"),
        ("bun test --coverage src", "bun_test", "bun test --coverage src"),
        ("bun --bun run vitest run", "vitest", "bun --bun run vitest run"),
        ("bunx tsc && bun test", "bun_test", 'sh -c bunx tsc && exec "$@" sh bun test'),
        ("standard && tsc --noEmit && jest && codecov", "jest", "jest"),
        ("jest --clearCache && tsdx test --showConfig && jest --ci", "jest", "jest --ci"),
        ("hallmark && cost-of-modules && es-shim-api --bound && polendina a.js && mocha", "mocha", "mocha"),
        ("standard && mocha test/*.js  # skip a && b", "mocha", "mocha test/*.js"),
        ("mocha -g '# x' a#b.js", "mocha", "mocha -g # x a#b.js"),
        ("tsc --noEmit && esmocha test lib --forbid-only", "mocha", "esmocha test lib --forbid-only"),
        ("hundreds mocha test/test.js", "mocha", "mocha test/test.js"),
        ("tsc -p . && mocha dist", "mocha", 'sh -c tsc -p . && exec "$@" sh mocha dist'),
        ("uvu -r esm test", "uvu", "uvu -r esm test"),
        ("vows test/*", "vows", "vows test/*"),
        ("standard && jasmine", "jasmine", "jasmine"),
        ("eslint . && nyc qunit test/", "qunit", "qunit test/"),
        ("grunt --verbose test", "exit_code", "sh -c PATH=$PWD/node_modules/.bin:$PATH; grunt --verbose test"),
        ("gulp", "exit_code", "sh -c PATH=$PWD/node_modules/.bin:$PATH; gulp"),
        ("gulp build && gulp test", "exit_code", "sh -c PATH=$PWD/node_modules/.bin:$PATH; gulp build && gulp test"),
        ("gulp build && mocha", "mocha", 'sh -c gulp build && exec "$@" sh mocha'),
        ("node bin/ssl.js mocha test/unit --exit", "mocha", "mocha test/unit --exit"),
        ("node ./bin/c8.js --reporter=html mocha ./test/*.js", "mocha", "mocha ./test/*.js"),
        ("nyc --no-clean node bin/mocha.js --forbid-only t", "mocha", "node bin/mocha.js --forbid-only t"),
        ("node bin/mocha.js --ui qunit x.spec", "mocha", "node bin/mocha.js --ui qunit x.spec"),
        ("node ./packages/cli/bin/jest.js --ci", "jest", "node ./packages/cli/bin/jest.js --ci"),
        ("xo && nyc ava --serial && tsd", "ava", "ava --serial"),
        ("svelte-kit sync && svelte-check && tsgo --noEmit && tsgo -p . && jest", "jest", SYNCED),
        ("node bin/ssl.js eslint lib && mocha", "mocha", "mocha"),
        ("node bin/ssl.js cross-env A=1 karma start && mocha", "mocha", "mocha"),
        (
            "node --experimental-modules node_modules/c8/bin/c8 -r html node --import x node_modules/mocha/bin/mocha",
            "mocha",
            "mocha --import=x",
        ),
        ('tsc && if test "$B" = 1; then karma start; else mocha; fi', "mocha", 'sh -c tsc && exec "$@" sh mocha'),
        (
            "if test $B; then zuul t; else expresso; fi",
            "exit_code",
            "sh -c PATH=$PWD/node_modules/.bin:$PATH; if test $B; then zuul t; else expresso; fi",
        ),
    ],
)
def test_a_test_script_leads_to_its_runner(script: str, runner: str, command: str) -> None:
    ((found_runner, found),) = commands(package(script))
    assert (found_runner, found) == (runner, command)


def test_a_program_around_node_s_runner_has_what_compiles_typescript_where_that_is_installed() -> None:
    found = planned({"package.json": package("bnt", devDependencies={"better-node-test": "1", "tsx": "4"})})
    expected = "env NODE_ENV=test node --import tsx --test '**/*.{test,spec}.{js,ts}'"
    assert [command.shown() for command in found.tests] == [expected]
    root = package(workspaces=["a"], devDependencies={"better-node-test": "1", "tsx": "4"})
    found = planned({"package.json": root, "a/package.json": package("bnt")})
    assert [command.shown() for command in found.tests] == [f"cd a && {expected}"]


def test_scripts_are_followed_and_linters_are_not_run() -> None:
    manifest = scripts(
        test="npm run lint && npm run test:unit -- --bail", lint="eslint .", test__unit="nyc npm run only", only="mocha"
    )
    assert commands(manifest) == [("mocha", "mocha")]


@pytest.mark.parametrize(
    "name", ["beautify-lint", "code:lint", "jslint", "lint:js", "prelint", "test:lint", "lint-and-format"]
)
def test_a_script_that_is_called_after_a_linter_is_not_run(name: str) -> None:
    manifest = package(scripts={"pretest": f"npm run {name}", "test": "mocha", name: "check 'lib/**.js'"})
    assert commands(manifest) == [("mocha", "mocha")]


@pytest.mark.parametrize("name", ["lint-and-test", "test-and-lint", "pretest:and:lint"])
def test_a_script_that_is_called_after_a_linter_and_more_is_followed(name: str) -> None:
    manifest = package(scripts={"test": f"npm run {name}", name: "eslint . && mocha"})
    assert commands(manifest) == [("mocha", "mocha")]


@pytest.mark.parametrize("test", [":", "eslint .", "echo 'after this'"])
def test_where_the_script_of_tests_tests_nothing_what_comes_after_it_may(test: str) -> None:
    after = scripts(test=test, posttest="mocha --recursive 'test/**/*.ts'")
    assert commands(after) == [("mocha", "mocha --recursive test/**/*.ts")]
    assert commands(scripts(test="mocha a.js", posttest="mocha b.js")) == [("mocha", "mocha a.js")]


def test_a_script_that_is_run_by_whichever_manager_there_is_is_followed() -> None:
    manifest = scripts(test="nr build && nr test:unit --project=a", build="tsup", test__unit="vitest --project b")
    (found,) = commands(manifest)
    assert found == ("vitest", 'sh -c nr build && exec "$@" sh vitest --project b --project=a')


@pytest.mark.parametrize(
    "call",
    [
        *("node --run specs", "node --run=specs", "bun specs", "bun --bun run specs", "bun run --bun specs"),
        *("npm --silent run specs", "yarn --silent specs", "pnpm --silent run specs", "deno task specs"),
    ],
)
def test_a_script_is_followed_however_it_is_called(call: str) -> None:
    assert commands(scripts(test=f"tsc && {call}", specs="mocha")) == [("mocha", 'sh -c tsc && exec "$@" sh mocha')]


def test_bun_s_own_commands_are_no_scripts() -> None:
    manifest = scripts(test="bun ci && bun test a && bun build b.ts", build="tsc", ci="vitest")
    assert commands(manifest) == [("bun_test", "bun test a")]


def test_words_after_two_dashes_go_to_the_script_that_is_followed() -> None:
    assert commands(scripts(test="npm run unit -- --grep x", unit="mocha")) == [("mocha", "mocha --grep x")]


@pytest.mark.parametrize("call", ["npm run specs --", "yarn specs", "npm run again --"])
def test_a_word_that_holds_blanks_stays_one(call: str) -> None:
    manifest = scripts(test=f"{call} -g 'a b' \"it's\" ''", again="npm run specs -- -R dot", specs="mocha")
    (command,) = planned({"package.json": manifest}).tests
    assert command.argv[-4:] == ("-g", "a b", "it's", "")


def test_words_that_a_script_is_told_go_on_to_the_one_that_it_ends_with() -> None:
    manifest = scripts(
        test="yarn specs a.ts -R dot", specs="yarn compiled node_modules/.bin/mocha", compiled="node -r x"
    )
    assert commands(manifest) == [("mocha", "node -r x node_modules/.bin/mocha a.ts -R dot")]
    by_npm = scripts(test="npm run specs -- a.js -b", specs="tsc && npm run mocha --", mocha="mocha")
    assert commands(by_npm) == [("mocha", 'sh -c tsc && exec "$@" sh mocha a.js -b')]


@pytest.mark.parametrize(
    "script",
    [
        "cd packages/a && npm test",
        "npm --prefix packages/a test",
        "pnpm -C packages/a test",
        "yarn --cwd packages/a test",
    ],
)
def test_tests_of_one_member_that_the_root_starts_are_the_members_own(script: str) -> None:
    files = {
        "package.json": package(f"eslint . && {script}", workspaces=["packages/*"]),
        "packages/a/package.json": package("mocha"),
    }
    assert [(c.directory, c.argv) for c in planned(files).tests] == [("packages/a", ("mocha",))]
    assert commands(scripts(test=f"mocha && {script}")) == [("mocha", "mocha")]


def test_what_runs_before_the_tests_builds_what_they_need() -> None:
    manifest = scripts(pretest="npm run build", test="mocha", build="rollup -c && cp a b")
    assert commands(manifest) == [("mocha", 'sh -c npm run build && exec "$@" sh mocha')]


@pytest.mark.parametrize("up", ["docker-compose up -d", "docker compose up -d --wait", "docker run -d redis"])
def test_containers_that_a_script_starts_are_none_of_the_boxs_and_hide_no_suite(up: str) -> None:
    assert commands(scripts(pretest=up, test=f"{up} && npm run build && mocha", build="tsc")) == [
        ("mocha", 'sh -c npm run build && exec "$@" sh mocha')
    ]
    inside = scripts(
        test="docker-compose build && docker-compose run --rm test", test__unit="mocha a", test__b="mocha b"
    )
    assert commands(inside) == [("mocha", "mocha a")]
    assert commands(scripts(test="docker run x npm run seed && mocha")) == [("mocha", "mocha")]


@pytest.mark.parametrize(
    "text", ["docker-compose run --rm test && node report.js", "docker exec -t a npm t; node x.js"]
)
def test_what_is_left_of_a_script_whose_tests_run_in_a_container_stands_for_no_tests(text: str) -> None:
    assert plan({"package.json": scripts(test=text)}) is None


def test_where_a_script_before_the_tests_goes_to_holds_for_itself_alone() -> None:
    manifest = scripts(pretest="npm run fetch && cd fixtures/links && node make.js", test="tape test/*.js")
    found = commands(manifest.replace('"test"', '"fetch": "git submodule update && cd lib && git pull", "test"'))
    assert found == [("tap", 'sh -c (cd fixtures/links && node make.js) && exec "$@" sh tape test/*.js')]
    assert commands(scripts(pretest="cd lib && git pull", test="tape test/*.js")) == [("tap", "tape test/*.js")]


def test_what_a_shell_of_its_own_carries_out_elsewhere_stays_there() -> None:
    assert commands(scripts(test="(cd lib && tsc) && mocha")) != [
        ("mocha", 'sh -c cd lib && tsc && exec "$@" sh mocha')
    ]


def test_what_is_set_where_a_script_is_started_is_set_for_what_it_builds() -> None:
    manifest = scripts(test="npm run one && A=1 npm run two", one="tsc", two="babel src && B='2 3' mocha")
    before = "npm run one && export A=1 && babel src"
    assert commands(manifest) == [("mocha", f'sh -c {before} && exec "$@" sh env A=1 B=2 3 mocha')]
    assert commands(scripts(test="tsc && A=1 npm run two", two="mocha")) == [
        ("mocha", 'sh -c tsc && exec "$@" sh env A=1 mocha')
    ]


def test_what_several_scripts_ask_for_is_built_once() -> None:
    manifest = scripts(test="npm run build && npm run unit", preunit="npm run build", unit="mocha", build="node b.js")
    assert commands(manifest) == [("mocha", 'sh -c npm run build && exec "$@" sh mocha')]


def test_several_suites_are_several_commands() -> None:
    manifest = scripts(
        test="run-s test:*", test__unit="mocha", test__types="tsd", test__browser="karma start", test__jest="jest"
    )
    assert commands(manifest) == [("mocha", "mocha"), ("jest", "jest")]


def test_suites_that_are_started_together_are_found() -> None:
    manifest = scripts(
        test="concurrently -n a,b 'npm:test:*' \"npm run lint\" 'mocha slow'", test__unit="mocha", lint="eslint ."
    )
    assert commands(manifest) == [("mocha", "mocha"), ("mocha", "mocha slow")]


def test_names_of_what_is_started_together_are_no_commands() -> None:
    manifest = scripts(test="concurrently -n 'the unit tests' --prefix-colors 'red bold' mocha 'mocha slow'")
    assert commands(manifest) == [("mocha", "mocha slow")]


def test_scripts_that_never_end_are_not_all_read() -> None:
    step = "unknown tool && " * 200
    endless = {f"test:{number:03}": f"{step}npm run test:{number + 1:03}" for number in range(2_000)}
    asked = 0

    def recognise(_: ScriptCommand) -> None:
        nonlocal asked
        asked += 1
        assert asked < 60_000

    found = scripted(Package("", {"scripts": {"test": "run test", "test:long": step * 100, **endless}}), recognise)
    assert [suite.runner for suite in found.suites] == ["exit_code"]


def test_suites_that_a_pattern_of_pnpm_names_are_found() -> None:
    manifest = scripts(test='pnpm run "/^test:.*/"', test__lint="eslint .", test__spec="vitest run", latest="jest")
    assert commands(manifest) == [("vitest", "vitest run")]
    assert commands(scripts(test='pnpm run "/^spec:(/"', spec__a="vitest run")) == []


@pytest.mark.parametrize(
    "script",
    ['pnpm "/^(l+)+o$/"', 'pnpm "/^l?l?l?l?l?l?l?l?l?l?l?l?l?l?o$/"', f"run-s {'l*' * 12}o"],
    ids=["nested", "optional", "wildcards"],
)
def test_a_pattern_that_would_keep_a_worker_busy_names_no_script(script: str) -> None:
    manifest = scripts(test=script, **{"l" * 60: "mocha"}, lo="vitest run", lllllllllllllo="mocha")
    assert {"mocha", "vitest"}.isdisjoint(dict(commands(manifest)))


@pytest.mark.parametrize(
    "script",
    [
        "CI=1 yarn unit",
        "cross-env CI=1 yarn unit",
        "CI=1 yarn run unit",
        "CI=1 pnpm unit",
        "CI=1 pnpm run unit",
        "CI=1 pnpm run /^unit$/",
        "CI=1 npm run unit",
        "CI=1 c8 pnpm unit",
    ],
)
def test_a_script_is_followed_whatever_is_set_or_measured_around_it(script: str) -> None:
    found = commands(scripts(test=script, unit="mocha spec"))
    assert found == [("mocha", "env CI=1 mocha spec")]


def test_other_suites_are_no_build_of_those_that_come_after_them() -> None:
    manifest = scripts(
        test="run-s test:browser test:build test:unit",
        test__browser="mochify --grep x && node browser.js",
        test__build="node make.js",
        test__unit="mocha",
    )
    assert commands(manifest) == [("mocha", 'sh -c npm run test:build && exec "$@" sh mocha')]


@pytest.mark.parametrize(
    ("call", "command"),
    [
        ("npm run x --recursive --a:b=c", "mocha lib"),
        ("npm run x -s test", "mocha lib test"),
        ("npm run x test --bail -- --recursive --bail", "mocha lib test --recursive --bail"),
        *((f"{manager} x --recursive", "mocha lib --recursive") for manager in ("yarn", "pnpm run", "bun run")),
    ],
)
def test_npm_passes_on_no_options_but_those_after_two_hyphens(call: str, command: str) -> None:
    assert commands(scripts(test=call, x="mocha lib")) == [("mocha", command)]


def test_a_script_that_starts_what_comes_after_it_makes_no_suite_of_its_own() -> None:
    manifest = scripts(test="npm run ts -- test/run.js && mocha", ts="node -r ts-node/register")
    assert [runner for runner, _ in commands(manifest)] == ["mocha"]


def test_a_test_program_of_the_repositorys_own_is_run_for_its_exit_code_beside_the_suite() -> None:
    path = "sh -c PATH=$PWD/node_modules/.bin:$PATH; "
    manifest = scripts(test="tsc && node -r esm test/compress.js && mocha test/mocha")
    assert commands(manifest) == [
        ("mocha", 'sh -c tsc && exec "$@" sh mocha test/mocha'),
        ("exit_code", f"{path}tsc && node -r esm test/compress.js"),
    ]
    assert commands(scripts(test="node test/compress.js && node test/more.js")) == [
        ("exit_code", f"{path}node test/compress.js && node test/more.js")
    ]
    assert commands(scripts(test="node test/make-fixtures.js && mocha")) == [
        ("mocha", 'sh -c node test/make-fixtures.js && exec "$@" sh mocha')
    ]


def test_a_suite_for_a_browser_is_no_build_though_it_builds_first() -> None:
    manifest = scripts(
        test="run-s test:web test:unit", pretest__web="npm run build", test__web="npm run build && karma start",
        test__unit="mocha", build="rollup -c",
    )  # fmt: skip
    assert commands(manifest) == [("mocha", "mocha")]


def test_a_page_that_node_makes_up_needs_no_browser() -> None:
    assert commands(scripts(test="karma start --browsers jsdom"))[0][0] == "exit_code"
    assert commands(scripts(test="karma start --browsers Chrome")) == []


def test_a_program_that_tests_in_browsers_too_is_told_to_do_so_in_node_alone() -> None:
    manifest = scripts(
        test="aegir test -f", test__chrome="aegir test -t browser --cov", test__node="aegir test -t node"
    )
    assert commands(manifest) == [("exit_code", "sh -c PATH=$PWD/node_modules/.bin:$PATH; aegir test -t node")]
    assert planned({"package.json": manifest}).left_out == (
        "package.json scripts.test (`aegir test -f`), which needs a browser",
    )


@pytest.mark.parametrize(("release", "runner"), [("^47.0.1", "mocha"), ("^28.2.0", "exit_code"), ("next", "exit_code")])
def test_a_program_that_hands_words_on_to_mocha_is_mocha(release: str, runner: str) -> None:
    found = commands(package("aegir test -t node --cov", devDependencies={"aegir": release}))
    assert [name for name, _ in found] == [runner]


@pytest.mark.parametrize(
    ("release", "files"),
    [
        ("33.0.0", "-f test/node.*js -f test/**/*.spec.*js -f test/node.*ts -f test/**/*.spec.*ts"),
        ("47.0.0", "-f test/node.*js -f test/**/*.spec.*js -f dist/test/node.*js -f dist/test/**/*.spec.*js"),
        ("48.0.0", "-f test/node.*js -f test/**/*.spec.*js -f test/node.*ts -f test/**/*.spec.*ts"),
    ],
)
def test_where_it_is_told_of_no_files_they_are_those_of_its_release(release: str, files: str) -> None:
    manifest = package("aegir test -t node", devDependencies={"aegir": release})
    assert commands(manifest) == [("mocha", f"aegir test {files} -t node")]
    manifest = package("aegir test -t node -f a.js", devDependencies={"aegir": release})
    assert commands(manifest) == [("mocha", "aegir test -t node -f a.js")]


@pytest.mark.parametrize("name", ["check-types", "check:types", "typecheck", "types:check"])
def test_what_only_checks_types_is_not_run_before_the_tests(name: str) -> None:
    assert commands(scripts(test=f"npm run {name} && mocha", **{name: "tsc -p ."})) == [("mocha", "mocha")]


@pytest.mark.parametrize("fetch", ["curl -o a.ts https://x.org/a.ts", "wget -q http://x.org/a.zip"])
def test_a_download_that_no_box_can_make_hides_no_suite(fetch: str) -> None:
    assert commands(scripts(test="npm run fetch && jest", fetch=fetch)) == [("jest", "jest")]
    assert commands(package(f"{fetch} && jest")) == [("jest", "jest")]


def test_what_asks_a_server_beside_the_tests_is_no_download() -> None:
    ((_, command),) = commands(package("curl --retry 9 http://localhost:80 && jest"))
    assert command == 'sh -c curl --retry 9 http://localhost:80 && exec "$@" sh jest'


def test_what_measures_coverage_is_run_where_nothing_else_tests() -> None:
    measured = {"coverage": "nyc mocha --use_strict"}
    assert commands(scripts(test="standard && npm run coverage", **measured)) == [("mocha", "mocha --use_strict")]
    assert commands(scripts(test="npm run unit && npm run coverage", unit="ava", **measured)) == [("ava", "ava")]
    assert commands(scripts(test="npm run coverage && cd docs && npm test", **measured)) == [
        ("mocha", "mocha --use_strict")
    ]
    assert commands(scripts(test="expresso && npm run coverage", coverage="nyc expresso"))[0][0] == "exit_code"
    assert commands(scripts(test="eslint . && npm run coverage", coverage="nyc expresso"))[0][0] == "exit_code"
    assert commands(scripts(test="eslint . && npm run coverage", coverage="nyc report | coveralls")) == []


def test_what_runs_vitest_may_be_installed_for_all_members() -> None:
    root = {"workspaces": ["a"], "devDependencies": {"vitest": "1"}}
    member = {"scripts": {"test": "ts-scripts test"}}
    environment = planned({"package.json": json.dumps(root), "a/package.json": json.dumps(member), "a/x.spec.ts": ""})
    assert [command.shown() for command in environment.tests] == ["cd a && vitest run --passWithNoTests"]


@pytest.mark.parametrize("program", ["node_modules/karma/bin/karma", "--no-warnings node_modules/.bin/karma"])
def test_karma_that_node_starts_wants_a_browser_too(program: str) -> None:
    assert commands(scripts(test=f"node {program} start --single-run")) == []
    whole = scripts(test=f"mocha && node {program} start")
    assert commands(whole) == [("mocha", "mocha")]


@pytest.mark.parametrize("test", ["ng test", "ng test --watch=false", "npx ng test && tsc --noEmit"])
def test_angulars_tests_are_karmas_where_that_is_installed(test: str) -> None:
    by_karma = package(test, devDependencies={"@angular/cli": "17", "karma": "6"})
    assert [runner for runner, _ in commands(by_karma)] == ["karma"]
    others = package(test, devDependencies={"@angular/cli": "21", "vitest": "4"})
    assert [runner for runner, _ in commands(others)] == ["exit_code"]


def test_angulars_tests_by_karma_are_named_beside_others() -> None:
    beside = planned({"package.json": package("mocha && ng test", devDependencies={"karma": "6"})})
    assert [command.shown() for command in beside.tests] == ["mocha"]
    assert beside.left_out == ("package.json scripts.test (`ng test`), which needs a browser",)


def test_what_karma_loads_is_not_run_in_node_though_no_script_starts_karma() -> None:
    files = {"gulpfile.js": "gulp.task('test');", "test/a.spec.js": "it('draws')"}
    installed = {"gulp": "3", "jasmine": "2", "karma": "1"}
    assert commands(package(devDependencies=installed), **files) == []
    assert commands(package(devDependencies={**installed, "jest": "24"}), **files) == [("jest", "jest")]


def test_a_suite_for_a_browser_is_no_part_of_what_is_run_for_its_exit_code() -> None:
    manifest = scripts(
        test="npm run build && npm run test__node && npm run test__chrome && npm run test__unit".replace("__", ":"),
        test__node="npm run build && node check.js && npm run test:run -- -b jsdom",
        test__chrome="npm run build && npm run test:run -- -b chrome",
        test__unit="npm run build && node check.js && karma start", test__run="jtr -m x.js", build="rollup -c",
    )  # fmt: skip
    shown = "sh -c PATH=$PWD/node_modules/.bin:$PATH; npm run build && npm run test:node && npm run test:unit"
    assert commands(manifest) == [("exit_code", shown)]


@pytest.mark.parametrize(("installed", "runner"), [({"vitest": "4"}, "vitest"), ({"jest": "29"}, "exit_code")])
def test_a_program_around_vitest_is_vitest_where_that_is_installed(installed: dict[str, str], runner: str) -> None:
    (found,) = commands(package("ts-scripts test && npm run size", devDependencies=installed))
    assert found[0] == runner
    assert (found[1] == "vitest run --passWithNoTests") == (runner == "vitest")


def test_a_missing_test_script_gives_way_to_one_of_a_likely_name() -> None:
    assert commands(scripts(test='echo "Error: no test specified" && exit 1', unit="mocha")) == [("mocha", "mocha")]


def test_scripts_that_call_each_other_in_a_circle_come_to_nothing() -> None:
    assert commands(scripts(test="npm run a", a="npm run test")) == []


@pytest.mark.parametrize(
    ("source", "runner"),
    [
        ("import { test } from 'node:test'", "node_test"),
        ("const test = require('tape')", "tap"),
        ("import t from 'tap'", "tap"),
        ("const Mocha = require('mocha'); new Mocha({ reporter: 'dot' }).run()", "mocha"),
        ("import Jasmine from 'jasmine'; await new Jasmine().execute()", "jasmine"),
        ("var vows = require('vows')", "vows"),
        ("import { configure, run } from '@japa/runner'", "japa"),
        ("const { configure } = require('japa')", "japa"),
        ("require('japa/cli').run('test')", "exit_code"),
        ("const { it } = require('mocha')", "exit_code"),
        ("require('assert').ok(true)", "exit_code"),
    ],
)
def test_a_script_of_node_alone_is_told_by_what_it_loads(source: str, runner: str) -> None:
    (found,) = commands(package("node test.js"), **{"test.js": source})
    assert found[0] == runner


def test_the_first_release_of_japa_cannot_be_heard() -> None:
    own = {"test.js": "require('japa')"}
    assert commands(package("node test.js", devDependencies={"japa": "^1.0.2"}), **own)[0][0] == "exit_code"
    assert commands(package("node test.js", devDependencies={"japa": "^2.0.2"}), **own)[0][0] == "japa"


@pytest.mark.parametrize("index", ["// all\nimport './api.js'\nimport './more.js'\n", "require('./more')"])
def test_a_script_of_node_that_only_loads_tests_is_told_by_what_these_load(index: str) -> None:
    files = {"test__index.js": index, "test__api.js": "", "test__more.js": "import test from 'node:test'"}
    assert commands(package("node -C dev test/index.js"), **files) == [("node_test", "node -C dev test/index.js")]
    plain = {**files, "test__more.js": "import assert from 'node:assert'"}
    assert [runner for runner, _ in commands(package("node test/index.js"), **plain)] == ["exit_code"]


@pytest.mark.parametrize("program", ["tsx", "ts-node", "babel-node --presets es2015", "cross-env A=b babel-node"])
def test_a_file_that_prints_tap_is_heard_whatever_compiles_it(program: str) -> None:
    files = {"test__index.ts": "import './more'\n", "test__more.ts": "import test from 'tape'\n"}
    ((runner, command),) = commands(package(f"{program} test/index.ts"), **files)
    assert (runner, command.removeprefix("env A=b ")) == ("tap", f"{program} test/index.ts".split(" A=b ")[-1])
    other = {**files, "test__more.ts": "import assert from 'assert'\n"}
    assert [runner for runner, _ in commands(package(f"{program} test/index.ts"), **other)] == ["exit_code"]


def test_a_program_that_starts_a_runner_runs_tests_wherever_it_stands() -> None:
    files = {"scripts/run-specs.js": "const Jasmine = require('jasmine');\nconst runner = new Jasmine({});"}
    assert commands(package("node scripts/run-specs.js"), **files) == [("jasmine", "node scripts/run-specs.js")]


@pytest.mark.parametrize(
    ("script", "command"),
    [
        (
            "for F in test/**/*.test.js; do echo $F; X=1 mocha -t 9 $F; if [ $? -ne 0 ]; then exit 1; fi; done",
            "env X=1 mocha -t 9 test/**/*.test.js",
        ),
        ('for f in a.js b.js; do jest "${f}" || exit 1; done', "jest a.js b.js"),
        ("for f in $(find test -name '*.spec.js'); do mocha $f; done", "mocha test/**/*.spec.js"),
        ("for f in a b; do cp mocha $f; done; mocha", 'sh -c cp mocha a b && exec "$@" sh mocha'),
        ("for f in a.js b.js; do yarn unit $f; done", "mocha --require x a.js b.js"),
        ("for f in a.js b.js; do [ -f $f ] && mocha $f; done", "mocha a.js b.js"),
        ("for f in a.js b.js; do if [ -f $f ]; then mocha $f; fi; done", "mocha a.js b.js"),
        ('for f in a.js; do test -f "${f}" || continue; mocha $f || exit 1; done', "mocha a.js"),
        ("for f in a.js; do [ -d lib ] && mocha $f; done", 'sh -c [ -d lib ] && exec "$@" sh mocha a.js'),
    ],
)
def test_a_loop_that_starts_a_runner_file_by_file_is_one_run_of_all_files(script: str, command: str) -> None:
    """What it asks of a file is not asked of all at once."""
    assert [found for _, found in commands(scripts(test=script, unit="mocha --require x"))] == [command]


def test_any_other_loop_is_run_as_it_stands() -> None:
    script = "for t in test/*.js; do node $t; done"
    tree = {"package.json": package(script), "test/a.js": "require('tape')('a', (t) => t.end())"}
    (command,) = planned(tree).tests
    assert (command.runner, command.argv[-1]) == ("exit_code", f"PATH=$PWD/node_modules/.bin:$PATH; {script}")


def test_a_program_that_makes_what_tests_need_is_none_of_them() -> None:
    manifest = package("node test/fixtures/make.js && tap test/*.js", devDependencies={"tap": "16"})
    made = 'sh -c node test/fixtures/make.js && exec "$@" sh tap test/*.js'
    assert commands(manifest, **{"test__fixtures__make.js": "", "test__a.js": ""}) == [("tap", made)]


@pytest.mark.parametrize(
    ("script", "release", "file", "expected"),
    [
        ("tap", "^21.7.5", "test/a.js", ("node_tap", "tap --disable-coverage --allow-empty-coverage")),
        ("c8 tap -j1", "^16.3.3", "test/a.ts", ("node_tap", "tap --no-coverage --no-check-coverage -j1")),
        ("tap test/*.js --100", "^16.3.3", "test/a.js", ("tap", "tap test/*.js --100")),
        (
            "tap run test/a.ts",
            "latest",
            "test/a.ts",
            ("node_tap", "tap --disable-coverage --allow-empty-coverage test/a.ts"),
        ),
    ],
)
def test_node_taps_own_line_runs_what_plain_node_cannot(
    script: str, release: str, file: str, expected: tuple[str, str]
) -> None:
    manifest = package(script, devDependencies={"tap": release})
    assert commands(manifest, **{file.replace("/", "__"): ""}) == [expected]


def test_without_a_script_the_installed_runner_is_used_where_there_are_tests() -> None:
    manifest = package(devDependencies={"vitest": "^3"})
    assert commands(manifest) == []
    assert commands(manifest, **{"src__a.test.ts": ""}) == [("vitest", "vitest run")]


@pytest.mark.parametrize("installed", ["mocha", "jasmine"])
def test_what_karma_loads_into_a_page_is_no_runner_of_tests_in_node(installed: str) -> None:
    manifest = package("karma start", devDependencies={installed: "1", "karma": "6"})
    assert [runner for runner, _ in commands(manifest, test__a="")] == ["karma"]
    assert plan({"package.json": package(devDependencies={installed: "1", "karma": "6"}), "test/a.test.js": ""}) is None
    assert plan({"package.json": package(devDependencies={installed: "1"}), "test/a.test.js": ""}) is not None


def test_without_script_and_runner_buns_own_runner_is_known_by_its_import() -> None:
    files = {"package.json": package(), "bun.lock": "", "a.test.ts": "import { test } from 'bun:test'"}
    assert [(command.runner, command.argv) for command in planned(files).tests] == [("bun_test", ("bun", "test"))]
    root = {
        "package.json": package(workspaces=["p/*"]),
        "p/a/package.json": package(),
        "p/a/a.test.ts": files["a.test.ts"],
    }
    assert "p/a/a.test.ts: bun:test" in planned(root).evidence


def test_without_script_and_runner_nodes_own_runner_is_known_by_its_import() -> None:
    files = {"test__a.test.mjs": "import test from 'node:test'"}
    assert commands(package(), **files) == [("node_test", "node --test")]


def built(build: str, name: str) -> str:
    """Once in a run, unless set-up could not build it either."""
    done = f'"$AGENT_FIX_BUILT"/{name}'
    noted = f"${{AGENT_FIX_BUILT:+mkdir -p {done}}}"
    return f"{{ test -e {done} || {{ {{ {build} || test -e /env/not-built/{name}; }} && {noted}; }}; }}"


def test_compiled_code_is_compiled_before_each_run_where_the_repository_does_not_hold_it() -> None:
    manifest = package("mocha", main="dist/index.js", scripts={"test": "mocha", "build": "tsc"})
    build = built("npm run build", "+")
    assert commands(manifest) == [("mocha", f'sh -c {build} && exec "$@" sh mocha')]
    assert commands(manifest, **{"dist__index.js": ""}) == [("mocha", "mocha")]
    for others in ({"module": "dist/index.mjs"}, {"exports": {"browser": "./dist/b.js", "default": "./index.js"}}):
        bundled = package("mocha", main="index.js", scripts={"test": "mocha", "build": "rollup -c"}, **others)
        assert commands(bundled, **{"index.js": ""}) == [("mocha", "mocha")]


def test_where_exports_give_the_sources_what_main_names_is_for_who_gets_it_published() -> None:
    scripts = {"test": "vitest", "build": "tsdown"}
    sources = package("vitest", main="dist/index.cjs", exports={".": "./src/index.ts"}, scripts=scripts)
    assert commands(sources, **{"src__index.ts": ""}) == [("vitest", "vitest")]
    for types in ("./src/index.ts", "./dist/index.d.cts"):
        exports = {".": {"types": types, "require": "./dist/index.cjs"}}
        compiled = package("vitest", main="dist/index.cjs", exports=exports, scripts=scripts)
        assert "npm run build" in commands(compiled, **{"src__index.ts": ""})[0][1]
    declared = package("vitest", main="dist/index.cjs", exports={"./types": "./index.d.ts"}, scripts=scripts)
    assert "npm run build" in commands(declared, **{"index.d.ts": ""})[0][1]


@pytest.mark.parametrize("main", ["lib/", "lib", "./lib/index"])
def test_an_entry_point_without_an_end_is_built_where_nothing_stands_for_it(main: str) -> None:
    manifest = package("mocha", main=main, scripts={"test": "mocha", "build": "babel src"})
    assert "npm run build" in commands(manifest)[0][1]
    assert commands(manifest, **{"lib__index.js": ""}) == [("mocha", "mocha")]


def test_packages_are_not_removed_where_others_cannot_be_installed_in_their_place() -> None:
    named = {"old": "npm run clean && npm i react@14", "clean": "rimraf node_modules/{react,react-dom}"}
    assert commands(scripts(test="jest --coverage && npm run old && jest", **named)) == [
        ("jest", "jest --coverage"),
        ("jest", "jest"),
    ]
    assert commands(package("rm -rf ./node_modules package-lock.json && npm ci && mocha")) == [
        ("mocha", 'sh -c rm -rf ./node_modules package-lock.json && exec "$@" sh mocha')
    ]
    assert commands(package("rm -rf ./node_modules && npm ci && mocha")) == [("mocha", "mocha")]


@pytest.mark.parametrize(
    "script", ["rm -rf node_modules/../lib", "rm -rf node_modules/.cache", "cd a && rm -r node_modules"]
)
def test_what_else_is_removed_is_removed(script: str) -> None:
    assert commands(package(f"{script} && npm i && mocha"))[0][1].startswith(f"sh -c {script} && ")


WORKSPACE = {
    "package.json": package("npm test --workspaces", workspaces=["packages/*", "!packages/old"]),
    "packages/a/package.json": package("mocha"),
    "packages/b/package.json": package("eslint . && vitest run"),
    "packages/old/package.json": package("jest"),
    "packages/a/fixtures/package.json": package("jest"),
}


@pytest.mark.parametrize(
    "script",
    [
        "npm test --workspaces",
        "npm run test -ws",
        "lerna run test",
        "turbo run test",
        "pnpm -r test",
        "nx run-many -t test",
    ],
)
def test_the_tests_of_a_workspace_are_those_of_its_members(script: str) -> None:
    root = package(script, workspaces=["packages/*", "!packages/old"])
    environment = planned({**WORKSPACE, "package.json": root})
    assert [(c.runner, c.directory) for c in environment.tests] == [("mocha", "packages/a"), ("vitest", "packages/b")]


def test_the_members_of_a_pnpm_workspace_are_read_from_its_own_file() -> None:
    files = {**WORKSPACE, "package.json": package(), "pnpm-workspace.yaml": "packages:\n  - 'packages/{a,b}'\n"}
    assert [c.directory for c in planned(files).tests] == ["packages/a", "packages/b"]


def test_any_number_of_folders_below_one_may_be_none() -> None:
    listed = "packages:\n  - '.'\n  - '*/**'\n  - '!docs/**'\n"
    members = {"run/package.json": package("mocha"), "docs/package.json": package("jest")}
    root = {"package.json": package("pnpm recursive test"), "pnpm-workspace.yaml": listed}
    deep = {"run/plugins/a/package.json": package("ava"), "docs/old/package.json": package("jest")}
    assert [c.directory for c in planned({**root, **members, **deep}).tests] == ["run", "run/plugins/a"]


def test_a_root_that_tests_everything_itself_is_enough() -> None:
    environment = planned({**WORKSPACE, "package.json": package("jest", workspaces=["packages/*"])})
    assert [(c.runner, c.directory) for c in environment.tests] == [("jest", "")]


def test_scripts_of_tests_that_nobody_knows_are_run_as_they_are_called() -> None:
    text = scripts(
        test="npm run test__main && npm run test__fp".replace("__", ":"), test__main="node t", test__fp="node f"
    )
    shown = "sh -c PATH=$PWD/node_modules/.bin:$PATH; npm run test:main && npm run test:fp"
    assert commands(text) == [("exit_code", shown)]


def test_a_task_of_tests_is_run_however_far_away_it_is_called() -> None:
    shown = "sh -c PATH=$PWD/node_modules/.bin:$PATH; npm run test:mocha"
    assert commands(scripts(test="npm run test:mocha", test__mocha="grunt build && grunt test")) == [
        ("exit_code", shown)
    ]
    assert commands(scripts(test="npm run test:mocha", test__mocha="grunt build && gulp dist")) == []


def test_a_task_that_is_all_of_a_test_script_tests_whatever_it_is_called() -> None:
    shown = "sh -c PATH=$PWD/node_modules/.bin:$PATH; grunt --stack execSpecsInNode"
    assert commands(scripts(test="grunt --stack execSpecsInNode")) == [("exit_code", shown)]
    assert commands(scripts(test="grunt buildDistribution && gulp lint && make odd")) == []
    assert commands(scripts(test="grunt execSpecsInNode && mocha"))[0][0] == "mocha"


def test_scripts_that_only_build_are_no_tests_whatever_calls_them() -> None:
    assert commands(scripts(test="npm run assets && npm run lint", assets="node assets.js", lint="eslint .")) == []
    assert commands(scripts(test="[ -d lib ] || npm run build", build="tsc")) == []
    assert commands(scripts(test="npm run test:types && npm run latest", test__types="tsc", latest="node l.js")) == []


@pytest.mark.parametrize(
    "script",
    [
        *("pnpm -r test", "pnpm run -r test", "pnpm --recursive --stream test", "pnpm --filter './packages/*' test"),
        *("npm test --workspaces --if-present", "npm run test -ws", "npm --workspaces test", "npx lerna run test"),
        *("pnpm turbo run test", "yarn workspaces foreach -A run test"),
    ],
)
def test_a_script_that_tests_every_member_stands_for_their_own(script: str) -> None:
    root = package(script, workspaces=["packages/*", "!packages/old"], devDependencies={"mocha": "10"})
    environment = planned({**WORKSPACE, "package.json": root})
    assert {c.directory for c in environment.tests} == {"packages/a", "packages/b"}


@pytest.mark.parametrize("words", ["run --filter a test", "--filter='*' test", "run --cwd packages/a test"])
def test_a_script_that_tests_a_member_in_a_browser_is_no_suite(words: str) -> None:
    member = package("bunx playwright test", name="a", devDependencies={"@playwright/test": "1"})
    files = {"package.json": package(f"bun {words}", workspaces=["packages/*"]), "packages/a/package.json": member}
    front_end = {f"packages/a/{name}.ts": "" for name in ("tests/a.spec", "src/a", "src/b")}
    checkout = FilesCheckout({**files, **front_end, "tests/test_a.py": ""})
    assert detect(checkout.tree, checkout.read).detector.startswith("python/")


@pytest.mark.parametrize("script", ["mocha -r ts-node/register", "pnpm mocha -r ts-node/register test/*.ts"])
def test_what_looks_like_the_option_for_every_member_may_be_the_runners_own(script: str) -> None:
    environment = planned({**WORKSPACE, "package.json": package(script, workspaces=["packages/*"])})
    assert [(c.runner, c.directory) for c in environment.tests] == [("mocha", "")]


def test_a_runner_that_is_only_installed_at_the_root_tests_no_more_than_what_the_members_tell() -> None:
    root = package("", workspaces=["packages/*", "!packages/old"], devDependencies={"mocha": "10"})
    environment = planned({**WORKSPACE, "package.json": root, "packages/a/test/a.js": ""})
    assert {c.directory for c in environment.tests} == {"packages/a", "packages/b"}


@pytest.mark.parametrize(
    "script",
    [
        "nx affected --targets=test:types,test:lib,build",
        "nx run-many -t test:lib --exclude=examples/**",
        "turbo run build test:lib",
        "pnpm -r run test:lib",
        "lerna run test:lib --stream",
    ],
)
def test_members_are_tested_by_the_scripts_that_the_root_starts_in_them(script: str) -> None:
    files = {
        "package.json": package(script, workspaces=["libs/*", "examples/*"]),
        "libs/a/package.json": scripts(test="exit 0", test__lib="vitest", test__types="tsc"),
        "libs/b/package.json": scripts(test__lib="jest", test__unit="mocha"),
        "examples/c/package.json": scripts(test="ng test"),
        "examples/d/package.json": package(devDependencies={"vitest": "1"}),
        "examples/d/a.test.js": "",
    }
    assert [(command.directory, command.argv) for command in planned(files).tests] == [
        ("libs/a", ("vitest",)),
        ("libs/b", ("jest",)),
    ]


@pytest.mark.parametrize(
    ("script", "folders"),
    [
        ("yarn workspaces foreach -A --include '@x/*' --include b run test", ["packages/a", "packages/b"]),
        ("yarn workspaces foreach -A --exclude 'examples-*' run test", ["packages/a", "packages/b"]),
        ("pnpm --filter './packages/*' test", ["packages/a", "packages/b"]),
        ("pnpm -r --filter=!./examples/** test", ["packages/a", "packages/b"]),
        ("turbo run test --filter=...@x/a...", ["packages/a"]),
        ("lerna run test --scope @x/a && lerna run test --scope=b", ["packages/a", "packages/b"]),
        ("yarn workspace b test", ["packages/b"]),
        ("npm test -w packages/a", ["packages/a"]),
        ("nx run-many -t test --projects=a,b", ["packages/a", "packages/b"]),
        ("cd packages/a && npm test", ["packages/a"]),
        ("yarn build && npm --prefix ./packages/a test", ["packages/a"]),
        ("turbo run test --filter=[HEAD^1]", ["examples/c", "packages/a", "packages/b"]),
        ("pnpm --filter examples-d test", ["examples/c", "packages/a", "packages/b"]),
        ("lerna run test --scope none", ["examples/c", "packages/a", "packages/b"]),
        ("pnpm --filter b test && pnpm -r test", ["examples/c", "packages/a", "packages/b"]),
        ("pnpm --filter !b test && pnpm -r test", ["examples/c", "packages/a", "packages/b"]),
        ("nx run-many -t test --projects=b,tag:unit", ["examples/c", "packages/a", "packages/b"]),
    ],
)
def test_the_members_that_are_tested_are_those_that_the_roots_script_names(script: str, folders: list[str]) -> None:
    files = {
        "package.json": package(script, workspaces=["packages/*", "examples/*"]),
        "packages/a/package.json": package("mocha", name="@x/a"),
        "packages/b/package.json": package("vitest", name="b"),
        "examples/c/package.json": package("jest", name="examples-c"),
        "examples/d/package.json": package(name="examples-d"),
    }
    environment = planned(files)
    assert sorted(command.directory for command in environment.tests) == folders
    others = [folder for folder in ("packages/a", "packages/b", "examples/c") if folder not in folders]
    told = (
        [f"scripts of tests of members, which those of the root do not start: {', '.join(sorted(others))}"]
        if others
        else []
    )
    assert list(environment.left_out) == told


@pytest.mark.parametrize(
    ("filters", "folders"),
    [
        ("--filter=b...", ["a", "b"]),
        ("--filter ...b", ["b", "c", "d"]),
        ("--filter=...b...", ["a", "b", "c", "d"]),
        ("--filter=b^...", ["a"]),
        ("--filter=...^b", ["c", "d"]),
        ("--filter={./packages/c}...", ["a", "b", "c"]),
        ("--filter=* --filter=!...c", ["a", "b", "other"]),
    ],
)
def test_a_filter_may_ask_for_what_a_member_uses_and_for_what_uses_it(filters: str, folders: list[str]) -> None:
    files = {
        "package.json": package(f"turbo run test {filters}", workspaces=["packages/*"]),
        "packages/a/package.json": package("mocha", name="a"),
        "packages/b/package.json": package("mocha", name="b", dependencies={"a": "*", "lodash": "*"}),
        "packages/c/package.json": package("mocha", name="c", devDependencies={"b": "*"}),
        "packages/d/package.json": package("mocha", name="d", dependencies={"c": "*"}),
        "packages/other/package.json": package("mocha", name="other"),
    }
    assert sorted(command.directory for command in planned(files).tests) == [f"packages/{name}" for name in folders]


def test_members_that_a_member_uses_are_built_before_its_tests_each_after_its_own() -> None:
    def member(name: str, **more: Any) -> str:
        return package(name=name, main="dist/i.js", scripts={"test": "mocha", "build": "tsc"}, **more)

    files = {
        "package.json": package("npm test -ws", workspaces=["packages/*"]),
        "packages/app/package.json": package("mocha", name="app", dependencies={"one": "*"}),
        "packages/one/package.json": member("one", dependencies={"two": "*"}),
        "packages/two/package.json": member("two", devDependencies={"one": "*"}),
        "packages/zero/package.json": member("zero"),
    }
    environment = planned(files)
    app, one, *_ = environment.tests
    two = built("(cd ../two && npm run build)", "packages+two")
    builds = f"{two} && {built('(cd ../one && npm run build)', 'packages+one')}"
    assert app.argv == ("sh", "-c", f'{builds} && exec "$@"', "sh", "mocha")
    assert one.argv[2] == f'{two} && {built("npm run build", "packages+one")} && exec "$@"'
    order = [command.directory for command in environment.setup if "npm run build ||" in command.argv[-1]]
    assert order == ["packages/two", "packages/one", "packages/zero"]


ALIASES = """
module.exports = function (grunt) {
  grunt.initConfig({
    mochaTest: {
      unit: { src: 'test/unit/*.js' },
      all: { options: { require: 'should' }, src: ['test/**/*.js'] },
    },
  });
  grunt.registerTask('default', ['jshint', 'babel', 'test', 'karma']);
  grunt.registerTask('test', 'what it does', ['mochaTest:unit']);
  grunt.registerTask('whole', ['default', 'whole', 'mochaTest']);
  grunt.registerTask('made', 'by a function', function () { grunt.task.run(['mochaTest']); });
};
"""


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("grunt test", "mocha --require should test/unit/*.js"),
        ("eslint . && npx grunt --verbose", 'sh -c grunt babel && exec "$@" sh mocha --require should test/unit/*.js'),
        (
            "tsc && grunt",
            'sh -c tsc && grunt babel && exec "$@" sh mocha --require should test/unit/*.js',
        ),
    ],
)
def test_what_grunt_runs_with_mocha_has_results_of_its_own(script: str, command: str) -> None:
    manifest = package(script, devDependencies={"grunt": "1", "mocha": "8"})
    assert commands(manifest, **{"Gruntfile.js": ALIASES}) == [("mocha", command)]


@pytest.mark.parametrize("plugin", ["grunt-mocha-test", "grunt-simple-mocha", "grunt-mocha-cli"])
def test_what_grunt_runs_with_the_mocha_that_its_plugin_brings_is_run_by_mocha(plugin: str) -> None:
    manifest = package("grunt test", devDependencies={"grunt": "0.4", plugin: "0.12"})
    assert [runner for runner, _ in commands(manifest, **{"Gruntfile.js": ALIASES})] == ["mocha"]


def test_a_task_of_grunts_may_have_others_put_behind_those_that_it_names() -> None:
    manifest = package("grunt", devDependencies={"grunt": "1", "mocha": "8"})
    gruntfile = ALIASES.replace("['jshint', 'babel', 'test', 'karma']", "['ts:test', 'mochaTest:unit',].concat(more)")
    command = 'sh -c grunt ts:test && exec "$@" sh mocha --require should test/unit/*.js'
    assert commands(manifest, **{"Gruntfile.js": gruntfile}) == [("mocha", command)]


BUILT_FOR_TESTS = """
module.exports = (grunt) => {
  grunt.initConfig({
    simplemocha: {
      unit: { src: 'test/unit/*.js', options: { timeout: 3000 } },
      functional: { src: 'test/functional/*.js', options: { timeout: 3000 } },
    },
  });
  grunt.registerTask('unit', ['jshint:test', 'concat:test', 'connect:test', 'simplemocha:unit']);
  grunt.registerTask('functional', ['compile-tests', 'shell:test', 'build:watch', 'simplemocha:functional']);
};
"""


@pytest.mark.parametrize(("task", "built"), [("unit", "concat:test"), ("functional", "compile-tests")])
def test_what_grunt_builds_for_tests_is_built_whatever_it_is_called(task: str, built: str) -> None:
    manifest = package(f"grunt {task}", devDependencies={"grunt": "1", "mocha": "8"})
    command = f'sh -c grunt {built} && exec "$@" sh mocha --timeout 3000 test/{task}/*.js'
    assert commands(manifest, **{"Gruntfile.js": BUILT_FOR_TESTS}) == [("mocha", command)]


@pytest.mark.parametrize("task", ["made", "other"])
def test_what_nobody_can_tell_of_a_task_of_grunt_stays_with_grunt(task: str) -> None:
    manifest = package(f"grunt test:{task}", devDependencies={"grunt": "1", "mocha": "8"})
    assert [runner for runner, _ in commands(manifest, **{"Gruntfile.js": ALIASES})] == ["exit_code"]


NODEUNIT = """
module.exports = function (grunt) {
  grunt.initConfig({
    nodeunit: {
      options: { reporter: 'grunt', reporterOptions: { output: 'out' } },
      zones: ['test/zones/**/*.js'],
      'core-only': { src: 'test/*_test.js' },
    },
  });
  grunt.registerTask('test', ['clean', 'copy', 'nodeunit']);
  grunt.registerTask('default', ['jshint', 'nodeunit:zones']);
  grunt.registerTask('core', ['nodeunit:core-only']);
};
"""


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("grunt", "nodeunit test/zones/**/*.js"),
        ("grunt core", "nodeunit test/*_test.js"),
        ("grunt test", 'sh -c grunt clean copy && exec "$@" sh nodeunit test/zones/**/*.js test/*_test.js'),
    ],
)
def test_what_grunt_runs_with_nodeunit_has_results_of_its_own(script: str, command: str) -> None:
    manifest = package(script, devDependencies={"grunt": "1", "grunt-contrib-nodeunit": "2"})
    assert commands(manifest, **{"Gruntfile.js": NODEUNIT}) == [("nodeunit", command)]
    without_some = NODEUNIT.replace("'test/zones", "'!test/zones/odd.js', 'test/zones").replace("/*_", "/<%= a %>_")
    assert [runner for runner, _ in commands(manifest, **{"Gruntfile.js": without_some})] == ["exit_code"]


def test_the_command_line_of_jest_by_itself_is_jest() -> None:
    manifest = package(devDependencies={"jest-cli": "^20.0.0"})
    assert commands(manifest, **{"a.test.js": "test('a', () => {})"}) == [("jest", "jest")]


MAKEFILE = """\
PATH := ./node_modules/.bin:${PATH}
REPORTER ?= spec
OPTIONS = --reporter $(REPORTER)
FILES = $(shell find lib)

test: lint parser
\t@if test ! `which mocha` ; then \\
\t\texit 128 ; \\
\t\tfi
\tNODE_ENV=test mocha $(OPTIONS) \\
\t\ttest/*.js
\t@echo done

lint:
\teslint $(FILES)

parser:
\tpegjs lib/parser.pegjs

odd: $(FILES)
\tmocha $@
"""


def test_a_target_of_make_is_followed_like_a_script() -> None:
    built = 'sh -c make parser && exec "$@" sh env NODE_ENV=test mocha --reporter spec test/*.js'
    assert commands(package("make test"), Makefile=MAKEFILE) == [("mocha", built)]
    assert commands(package("eslint . && make -s test"), Makefile=MAKEFILE) == [("mocha", built)]


def test_what_a_target_of_make_comes_to_is_told_to_stand_in_the_makefile() -> None:
    makefile = MAKEFILE.replace("parser\n", "parser\n\tnode tests.js\n", 1)
    environment = planned({"package.json": package("make test"), "Makefile": makefile, "tests.js": ""})
    assert environment.evidence[-1] == "Makefile test: NODE_ENV=test mocha --reporter spec test/*.js"


@pytest.mark.parametrize("manifest", [package(), package('echo "Error: no test specified" && exit 1')])
def test_without_a_script_of_tests_the_makefiles_target_of_tests_is_followed(manifest: str) -> None:
    built = 'sh -c make parser && exec "$@" sh env NODE_ENV=test mocha --reporter spec test/*.js'
    assert commands(manifest, Makefile=MAKEFILE) == [("mocha", built)]
    assert plan({"package.json": manifest, "Makefile": "test:\n\tpytest\n"}) is None


@pytest.mark.parametrize("manifest", [package(), package('echo "Error: no test specified" && exit 1')])
def test_without_a_script_of_tests_a_target_that_has_node_run_a_program_has_its_exit_code(manifest: str) -> None:
    whole = [("exit_code", "sh -c PATH=$PWD/node_modules/.bin:$PATH; make test")]
    makefile = "test: lint\n\t@node test/runner.js\nlint:\n\teslint .\n"
    assert commands(manifest, Makefile=makefile) == whole
    assert planned({"package.json": manifest, "Makefile": makefile}).evidence[-1] == "Makefile test"
    assert commands(manifest, Makefile="test: py\n\tnode_modules/.bin/eslint .\npy:\n\tpython test.py\n") == []
    assert commands(manifest, Makefile="test:\n\tpython test.py\n\tnode test.js\n") == []
    assert commands(manifest, Makefile="test:\n\tnode test.js\n", **{"svc__go.mod": "module svc\n"}) == []


def test_installed_runners_go_before_a_makefile_of_which_only_the_exit_code_is_known() -> None:
    manifest = package(devDependencies={"mocha": "1"})
    makefile = "test:\n\tnode run.js\n"
    assert commands(manifest, Makefile=makefile, test__a__js="", **{"test__a.js": ""}) == [("mocha", "mocha")]


def test_a_target_that_only_make_can_tell_is_left_to_it() -> None:
    whole = "sh -c PATH=$PWD/node_modules/.bin:$PATH; make {}"
    assert commands(package("make odd"), Makefile=MAKEFILE) == []
    odd = package("make test-odd")
    assert commands(odd, Makefile=MAKEFILE.replace("odd", "test-odd")) == [("exit_code", whole.format("test-odd"))]
    assert commands(package("make test"), Makefile="test:\n\tpython test.py\n") == [("exit_code", whole.format("test"))]


@pytest.mark.parametrize(
    "makefile",
    [
        ".PHONY: all\n%.js: %.ls\n\tlsc $<\nLIB := a.js\nall: test docs\ntest:\n\tmocha -R dot\ndocs:\n\tjsdoc\n",
        "lib/a.js: src/a.coffee\n\tcoffee $<\n.DEFAULT_GOAL := test\ntest:\n\tmocha -R dot\n",
    ],
)
def test_make_without_a_target_makes_its_default_goal(makefile: str) -> None:
    assert commands(package("make"), Makefile=makefile) == [("mocha", "mocha -R dot")]


def test_a_default_goal_that_is_a_file_is_left_to_make() -> None:
    own = scripts(test="make -s", make="mocha")
    left = [("exit_code", "sh -c PATH=$PWD/node_modules/.bin:$PATH; make -s")]
    assert commands(own, Makefile="lib/a.js: src/a.coffee\n\tcoffee $<\ntest:\n\tmocha\n") == left


OF_ITS_TIME = """\
TESTS = $(shell find test -name '*.test.js' | sort)
OTHERS = $(shell find test -name '*.js' | grep -v unit)
MORE = $(wildcard more/*.js)

run-tests:
\t@./node_modules/.bin/mocha -t 5000 $(FLAGS) $(FILES)

test: lint
\t@$(MAKE) TLS=0 FILES="$(TESTS) $(MORE)" run-tests

lint:
\t@eslint .

test-home:
\tmocha $(HOME)/x.js

test-others:
\tmocha $(OTHERS)
"""


def test_what_make_asks_a_shell_for_and_what_it_is_told_in_its_call_is_read_too() -> None:
    mocha = 'sh -c export TLS=0 && exec "$@" sh mocha -t 5000 test/**/*.test.js more/*.js'
    assert commands(package("make test"), Makefile=OF_ITS_TIME) == [("mocha", mocha)]
    assert commands(package("make run-tests"), Makefile=OF_ITS_TIME) == [("mocha", "mocha -t 5000")]
    for target in ("test-home", "test-others"):
        left = f"sh -c PATH=$PWD/node_modules/.bin:$PATH; make {target}"
        assert commands(package(f"make {target}"), Makefile=OF_ITS_TIME) == [("exit_code", left)]


@pytest.mark.parametrize("installs", ["lerna bootstrap", "npx lerna link --force-local"])
def test_what_links_the_members_of_a_workspace_runs_none_of_their_tests(installs: str) -> None:
    member = {"packages/a/package.json": package("mocha"), "lerna.json": "{}"}
    manifest = package(f"{installs} && mocha packages/*/test.js", workspaces=["packages/*"])
    found = planned({"package.json": manifest, "packages/a/test.js": "", **member})
    assert [command.argv for command in found.tests] == [("mocha", "packages/*/test.js")]


def test_several_targets_of_make_are_followed_one_after_the_other() -> None:
    makefile = "lint: $(wildcard src/*.js)\n\tjshint $^\ntest:\n\tmocha test\nother:\n\tjest\n"
    assert commands(package("make lint test"), Makefile=makefile) == [("mocha", "mocha test")]
    assert commands(package("make -s test other && echo done"), Makefile=makefile) == [
        ("mocha", "mocha test"),
        ("jest", "jest"),
    ]


def test_what_a_makefile_includes_is_read_with_it() -> None:
    own = "MOCHA = node_modules/.bin/mocha\ninclude ./mk/defs.mk\ntest: $(MOCHA)\n\t$(MOCHA) $(FILES)\n-include no.mk\n"
    shared = {
        "mk/defs.mk": "FILES = a.js\ninclude mk/targets.mk",
        "mk/targets.mk": "prepush: check test\ncheck::\n\teslint .\n",
    }
    found = plan({"package.json": package("make prepush"), "Makefile": own, **shared})
    assert found is not None
    assert [" ".join(command.argv) for command in found.tests] == ["mocha a.js"]


def test_what_a_target_needs_is_as_make_reads_it() -> None:
    makefile = (
        "STAMP = .installed\ntest: $(STAMP) package.json | lib/a.js\n\tmocha\nOPTIONS += a\n\tB = c\n"
        "$(STAMP): package.json\n\tnpm install # all of it\n\ttouch $@\nlib/%.js: src/%.js\n\tbabel $<\n"
    )
    assert commands(package("make test"), Makefile=makefile.replace("\ttouch $@\n", "")) == [("mocha", "mocha")]
    built = 'sh -c make .installed && exec "$@" sh mocha'
    assert commands(package("make test"), Makefile=makefile) == [("mocha", built)]


def test_a_target_that_installs_packages_and_says_so_is_no_build() -> None:
    makefile = "node_modules: package.json\n\t$(NPM) install\n\t@touch $(HERE)/node_modules\n"
    given = f"HERE := $(shell pwd)\nNPM = npm\ntest: node_modules\n\tmocha\n{makefile}"
    assert commands(package("make test"), Makefile=given) == [("mocha", "mocha")]


@pytest.mark.parametrize(
    "root",
    [
        "$(CURDIR)",
        "${CURDIR}",
        "$(PWD)",
        "$(shell pwd)",
        "$(realpath .)",
        "$(abspath .)",
        "$(patsubst %/,%,$(dir $(realpath $(firstword $(MAKEFILE_LIST)))))",
        "$(dir $(abspath $(lastword $(MAKEFILE_LIST))))",
    ],
)
def test_a_makefiles_own_folder_is_told_without_make(root: str) -> None:
    own = f"SLASH := {root}\nROOT := $(patsubst %/,%,$(SLASH))\nMODULES := $(ROOT)/node_modules\n"
    makefile = f"{own}BIN := $(MODULES)/.bin\nMOCHA := $(BIN)/mocha\ntest: $(BIN)/nyc ## All\n\t@$(MOCHA) -R spec\n"
    assert commands(package("make test"), Makefile=makefile) == [("mocha", "mocha -R spec")]


@pytest.mark.parametrize("root", ["$(CURDIR)", "$(PWD)", "$(shell pwd)", "$(realpath .)"])
@pytest.mark.parametrize(
    ("recipe", "command"),
    [
        ("{}/node_modules/.bin/mocha -r {}/test/setup.js '{}/test'", "mocha -r ./test/setup.js ./test"),
        ('NODE_PATH={}/lib:{} mocha --require="{}/a.js"', "env NODE_PATH=./lib:. mocha --require=./a.js"),
        ("cd {} && A={} mocha", 'sh -c cd . && exec "$@" sh env A=. mocha'),
        ("mocha {}/test && cd lib", "mocha ./test"),
        ("$(MAKE) FILES={}/a.js given", "mocha ./a.js"),
    ],
)
def test_a_makefiles_own_folder_is_where_its_tests_start(recipe: str, command: str, root: str) -> None:
    makefile = f"ROOT := {root}\ntest:\n\t{recipe.replace('{}', '$(ROOT)')}\ngiven:\n\tmocha $(FILES)\n"
    assert commands(package("make test"), Makefile=makefile) == [("mocha", command)]


@pytest.mark.parametrize(
    "recipe",
    [
        "cd test && NODE_PATH={}/lib mocha .",
        "(cd docs; make) && mocha {}/test",
        "cd {}/lib && mocha -r {}/setup.js",
        "mocha --url file://{}/test",
        "mocha {}x/test",
        "$(MAKE) FILES=a.js given",
    ],
)
def test_a_makefiles_own_folder_that_is_no_whole_path_or_is_left_before_is_left_to_make(recipe: str) -> None:
    given = "given:\n\tcd lib && mocha -r $(CURDIR)/setup.js $(FILES)\n"
    makefile = f"test:\n\t{recipe.replace('{}', '$(CURDIR)')}\n{given}"
    left = [("exit_code", "sh -c PATH=$PWD/node_modules/.bin:$PATH; make test")]
    assert commands(package("make test"), Makefile=makefile) == left


def test_a_makefile_may_call_another_folder_its_own() -> None:
    makefile = "PWD := lib\ntest:\n\tmocha $(PWD)/test\n"
    assert commands(package("make test"), Makefile=makefile) == [("mocha", "mocha lib/test")]


def test_a_target_that_only_checks_is_no_build() -> None:
    makefile = (
        "test: check\n\tmocha\ncheck: style shell\n\t@echo ok\nshell: $(SCRIPTS:%=%.checked)\n"
        "style::\n\t@(echo start; A=1 eslint . || (echo no; exit 1))\n"
    )
    assert commands(package("make test"), Makefile=makefile) == [("mocha", "mocha")]
    given = f"SCRIPTS = a.sh\n{makefile}"
    assert commands(package("make test"), Makefile=given) == [("mocha", 'sh -c make check && exec "$@" sh mocha')]


def test_a_target_that_is_called_lint_is_passed_over_as_a_script_is() -> None:
    makefile = "test: lint\n\tmocha\nlint:\n\t@if test ! `which jshint`; then exit 1; fi\n\tsome-linter .\n"
    assert commands(package("make test"), Makefile=makefile) == [("mocha", "mocha")]


@pytest.mark.parametrize("both", ["\tconcurrently 'make unit' 'make test-page'\n", "\tmake test-page\n\tmake unit\n"])
def test_a_target_of_tests_in_a_browser_is_passed_over_as_a_script_is(both: str) -> None:
    page = "test-page:\n\tbrowserify . > dist/page.js\n\tkarma start\n\trimraf dist\n"
    makefile = f"test:\n{both}unit:\n\tmocha\n{page}"
    assert commands(package("make test"), Makefile=makefile) == [("mocha", "mocha")]
    only_make_knows = makefile.replace("browserify", "$(notdir bin/browserify)")
    assert commands(package("make test"), Makefile=only_make_knows) == [("mocha", "mocha")]


def test_tests_in_node_that_only_make_can_tell_are_not_passed_over_beside_those_in_a_browser() -> None:
    makefile = "test: test-unit test-page\ntest-unit:\n\t$(call run,unit)\ntest-page:\n\tkarma start --single-run\n"
    ((runner, words),) = commands(package("make test"), Makefile=makefile)
    assert (runner, words.partition("; ")[2]) == ("exit_code", "make test")


def test_makefiles_that_include_themselves_end() -> None:
    own = {"Makefile": "include Makefile\ninclude more.mk\ntest:\n\tmocha\n", "more.mk": "include Makefile\n"}
    found = plan({"package.json": package("make test"), **own})
    assert found is not None
    assert found.tests[0].argv == ("mocha",)


def test_what_is_set_for_make_stands_for_its_variables() -> None:
    inner = "inner:\n\tMODE=$(MODE) mocha $(FILES)\n"
    outer = 'outer:\n\t@if true; then \\\n\t\texport MODE="" && make inner; \\\n\t\tMODE=2 make inner; \\\n\tfi\n'
    assert commands(package("make outer"), Makefile=outer + inner) == [
        ("mocha", 'sh -c export MODE="" && exec "$@" sh env MODE= mocha'),
        ("mocha", 'sh -c export MODE="" && export MODE=2 && exec "$@" sh env MODE=2 mocha'),
    ]
    assert commands(package("make inner"), Makefile=f"MODE = 3\n{inner}") == [("mocha", "env MODE=3 mocha")]
    for makefile, files in ((inner, "a.js"), (f"FILES ?= b.js\n{inner}", "a.js"), (f"FILES = b.js\n{inner}", "b.js")):
        assert commands(package("FILES=a.js make inner"), Makefile=makefile)[0][1].endswith(f"mocha {files}")


def test_a_part_whose_runner_is_known_stands_for_a_whole_of_which_only_the_exit_code_is() -> None:
    whole = "node Makefile.js test"
    assert commands(scripts(test=whole, test__cli="mocha", test__fuzz="jest")) == [("mocha", "mocha")]
    assert commands(scripts(test=whole, unit="jest", test__a="mocha")) == [("jest", "jest")]
    only = [("exit_code", f"sh -c PATH=$PWD/node_modules/.bin:$PATH; {whole}")]
    assert commands(scripts(test=whole, test__watch="mocha --watch", test__browser="karma start")) == only


def test_a_small_part_whose_runner_is_known_is_run_beside_a_whole_of_which_only_the_exit_code_is() -> None:
    manifest = scripts(test="grunt test", test__tasks="mocha tasks/tests/")
    test = "describe('it', () => {});"
    own = {f"spec__{name}.js": test for name in "abc"}
    whole = ("exit_code", "sh -c PATH=$PWD/node_modules/.bin:$PATH; grunt test")
    part = ("mocha", "mocha tasks/tests/")
    assert commands(manifest, **{"tasks__tests__a.js": test, **own}) == [part, whole]
    assert commands(manifest, **{"tasks__tests__a.js": test, "spec__b.js": test}) == [part]
    told = planned({"package.json": manifest, "tasks/tests/a.js": test, **{n.replace("__", "/"): test for n in own}})
    assert told.left_out == ()


def test_node_taps_settings_for_node_hold_where_node_runs_its_files_itself() -> None:
    settings = "coverage: true\nexpose-gc: true\nnode-arg:\n  - --no-warnings\n  - --harmony\n"
    found = commands(package("tap test/*.js", devDependencies={"tap": "14"}), **{".taprc": settings})
    assert found == [("tap", "tap --node-arg=--no-warnings --node-arg=--harmony --node-arg=--expose-gc test/*.js")]
    manifest = package("tap", devDependencies={"tap": "14"}, tap={"node-arg": "--expose-gc"})
    assert commands(manifest, **{".taprc": "[1"}) == [("tap", "tap --node-arg=--expose-gc")]
    assert commands(package("tap", devDependencies={"tap": "14"}), **{".taprc": "- a"}) == [("tap", "tap")]


@pytest.mark.parametrize(
    ("script", "installed", "runner"),
    [
        ("tsdx test", {"tsdx": "^0.14.1"}, "jest"),
        ("tsdx test", {"tsdx": "^2.0.0"}, "exit_code"),
        ("jasmine-node spec", {"jasmine-node": "^3.0.0"}, "jasmine_node"),
        ("jasmine-node spec", {"jasmine-node": "~2.0.0"}, "exit_code"),
        ("vue-cli-service test:unit", {"@vue/cli-plugin-unit-jest": "4"}, "jest"),
        ("vue-cli-service test:unit", {"@vue/cli-plugin-unit-mocha": "4"}, "exit_code"),
    ],
)
def test_a_framework_tests_with_what_its_release_and_its_plug_ins_have(
    script: str, installed: dict[str, str], runner: str
) -> None:
    ((found, _),) = commands(package(script, devDependencies=installed))
    assert found == runner
