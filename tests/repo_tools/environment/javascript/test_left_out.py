"""What belongs to a package's tests and is not run is named, with the reason."""

import pytest

from tests.repo_tools.environment.javascript.trees import package, plan, planned, scripts


def left_out(package_json: str, **files: str) -> list[str]:
    others = {name.replace("__", "/"): text for name, text in files.items()}
    return list(planned({"package.json": package_json, **others}).left_out)


@pytest.mark.parametrize(
    "script", ["mocha", "eslint . && tsc --noEmit && rollup -c && mocha && codecov", "node build.js && mocha"]
)
def test_nothing_is_named_where_all_tests_are_run(script: str) -> None:
    assert left_out(package(script, devDependencies={"karma": "6"})) == []


def test_tests_in_a_browser_are_named_beside_those_in_node() -> None:
    beside = "package.json scripts.test (`karma start`), which needs a browser"
    assert left_out(package("mocha && karma start")) == [beside]
    own = "package.json scripts.test:web (`karma start --single-run`), which needs a browser"
    assert left_out(scripts(test="mocha", test__web="karma start --single-run")) == [own]
    assert left_out(scripts(test="mocha", postinstall="playwright install chromium")) == []


def test_a_browser_that_is_installed_is_named_where_only_an_exit_code_will_be_known() -> None:
    told = ["what package.json has `phantomjs-prebuilt` for, which needs a browser"]
    installed = {"phantomjs-prebuilt": "2", "mocha": "5"}
    assert left_out(package("grunt test", devDependencies=installed)) == told
    assert left_out(package("mocha", devDependencies=installed)) == []
    assert left_out(package("grunt test", devDependencies={"grunt": "1"})) == []


@pytest.mark.parametrize(
    "script",
    [
        *("xvfb-maybe electron-mocha -R spec", "vscode-test", "node ./out/test/runTest.js"),
        "node-qunit-puppeteer http://localhost:80/test.html",
    ],
)
def test_tests_in_a_desktop_program_are_named_and_not_run_before_those_in_node(script: str) -> None:
    manifest = package(f"{script} && mocha", devDependencies={"@vscode/test-electron": "2", "mocha": "10"})
    (command,) = planned({"package.json": manifest}).tests
    assert command.argv == ("mocha",)
    assert left_out(manifest) == [f"package.json scripts.test (`{script}`), which needs a browser"]
    alone = package(script, devDependencies={"@vscode/test-electron": "2", "mocha": "10"})
    assert plan({"package.json": alone, "src/test/a.test.ts": "suite('a', () => {});"}) is None


@pytest.mark.parametrize("tests", ["cypress run", "node out/runTest.js", "npm run e2e"])
def test_what_is_made_before_tests_in_a_browser_stands_for_no_tests(tests: str) -> None:
    named = {"pretest": "tsc -p . && node esbuild.js && cpx a b", "test": tests, "e2e": "wdio run"}
    installed = {"@vscode/test-electron": "2"}
    assert plan({"package.json": package(scripts=named, devDependencies=installed)}) is None
    more = package(scripts={**named, "pretest": "node test/all.js"}, devDependencies=installed)
    (command,) = planned({"package.json": more}).tests
    assert command.argv[-1].endswith("; node test/all.js")


def test_what_is_installed_elsewhere_before_tests_in_a_browser_stands_for_none() -> None:
    installed = {"@vscode/test-electron": "2"}
    script = "cd a && npm i && cd .. && node out/runTest.js"
    assert plan({"package.json": package(script, devDependencies=installed)}) is None
    (command,) = planned({"package.json": package(f"./all.sh && {script}", devDependencies=installed)}).tests
    assert "./all.sh" in command.argv[-1]


def test_a_program_that_is_called_after_its_tests_runs_where_no_editor_is_installed() -> None:
    (command,) = planned({"package.json": package("node test/runTests.js")}).tests
    assert command.argv[-1].endswith("; node test/runTests.js")


def test_a_command_that_no_known_runner_runs_is_named_unless_it_is_run_before_one() -> None:
    why = "package.json scripts.test, what no known test runner runs: "
    assert left_out(package("node build.js && mocha && node test/in-a-worker.js && rm -rf tmp")) == [
        f"{why}node test/in-a-worker.js"
    ]
    manifest = scripts(test="run-s test:* lint", test__odd="eslint . && expresso test", test__unit="mocha", lint="xo")
    assert left_out(manifest) == [f"{why}npm run test:odd"]


def test_a_script_that_is_run_as_a_program_of_its_own_is_not_named() -> None:
    manifest = scripts(
        test="npm run test:version && mocha && npm run test:whole",
        test__version="node test/version.js",
        test__whole="node test/whole.js",
    )
    environment = planned({"package.json": manifest})
    assert environment.tests[-1].argv[-1].endswith("; node test/version.js")
    assert environment.left_out == ("package.json scripts.test, what no known test runner runs: npm run test:whole",)


def test_a_whole_for_which_a_part_stands_is_named() -> None:
    manifest = scripts(test="./run-all.sh", test__unit="mocha unit", test__slow="jest slow")
    told = "package.json scripts.test, of which only the exit code would be known, but for package.json scripts.test:"
    assert left_out(manifest) == [f"{told}unit: mocha unit"]


def test_what_grunt_does_besides_mocha_is_named() -> None:
    gruntfile = "grunt.initConfig({\n  mochaTest: { all: { src: ['test/*.js'] } },\n});\n"
    gruntfile += "grunt.registerTask('default', ['jshint', 'mochaTest', 'nodeunit']);\n"
    manifest = package("grunt", devDependencies={"grunt": "1", "mocha": "8"})
    why = "package.json scripts.test, of which only the exit code would be known, but for Gruntfile.js: mocha's task"
    assert left_out(manifest, **{"Gruntfile.js": gruntfile}) == [why]


def test_members_of_a_workspace_are_named_by_their_own_manifests() -> None:
    files = {
        "package.json": package("node check.js && npm test --workspaces", workspaces=["packages/*"]),
        "packages/a/package.json": package("mocha && node check.js"),
        "packages/b/package.json": package("wtr"),
    }
    assert planned(files).left_out == (
        "package.json scripts.test, what no known test runner runs: node check.js",
        "packages/a/package.json scripts.test, what no known test runner runs: node check.js",
        "packages/b/package.json scripts.test (`wtr`), which needs a browser",
    )


def test_a_root_that_starts_its_members_in_a_way_that_nobody_knows_is_tested_by_their_own_scripts() -> None:
    root = package("node scripts/run-changed.js test", workspaces=["packages/*"])
    found = planned({"package.json": root, "packages/a/package.json": package("mocha")})
    assert [(command.runner, command.directory) for command in found.tests] == [("mocha", "packages/a")]
    (told,) = found.left_out
    assert told.startswith("package.json scripts.test, of which only the exit code would be known")


def test_a_root_of_which_the_exit_code_is_known_is_worth_more_than_members_of_no_known_runner() -> None:
    root = package("node scripts/run-changed.js test", workspaces=["packages/*"])
    for member in (package("expresso"), package(devDependencies={"mocha": "10"})):
        found = planned({"package.json": root, "packages/a/package.json": member, "packages/a/test.js": ""})
        assert [(command.runner, command.directory) for command in found.tests] == [("exit_code", "")]
