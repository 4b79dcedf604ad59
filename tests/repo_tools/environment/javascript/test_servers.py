"""Programs that a script starts together with its tests."""

import pytest

from tests.repo_tools.environment.javascript.trees import commands, package, scripts

HERE = "sh -c PATH=$PWD/node_modules/.bin:$PATH; "


@pytest.mark.parametrize(
    "together",
    [
        *("concurrently -k -s first 'npm run unit' 'npm run up'", "concurrently npm:up npm:unit", "run-p -r up unit"),
        *("concurrently 'npm:u*'", "npm-run-all --parallel unit up"),
    ],
)
def test_a_server_runs_beside_the_tests_that_are_started_with_it(together: str) -> None:
    found = commands(scripts(test=together, up="node server.js", unit="tsc && mocha"))
    assert found == [("mocha", 'sh -c { npm run up & } && tsc && exec "$@" sh mocha')]


def test_tests_that_wait_for_a_server_by_themselves_run_beside_it() -> None:
    together = "concurrently -k -s first 'npm run up' 'wait-on http://localhost:3000 && npm run unit'"
    found = commands(scripts(test=together, up="node server.js", unit="mocha"))
    assert found == [("mocha", 'sh -c { npm run up & } && wait-on http://localhost:3000 && exec "$@" sh mocha')]


def test_what_makes_a_server_goes_before_it() -> None:
    found = commands(package("concurrently 'tsc && node server.js' 'mocha test'"))
    assert found == [("mocha", 'sh -c { (tsc && node server.js) & } && exec "$@" sh mocha test')]
    found = commands(package("concurrently 'tsc && cp -r a b' 'mocha test'"))
    assert found == [("mocha", 'sh -c (tsc && cp -r a b) && exec "$@" sh mocha test')]


def test_what_builds_ends_before_the_tests_that_are_started_with_it() -> None:
    manifest = scripts(test="run-p build types lint unit", build="tsc", types="tsc -w", lint="eslint .", unit="mocha")
    assert commands(manifest) == [("mocha", 'sh -c npm run build && { npm run types & } && exec "$@" sh mocha')]


def test_what_is_started_in_turn_ends_before_what_is_started_together() -> None:
    manifest = scripts(test="npm-run-all data -p up unit", data="node data.js", up="node server.js", unit="mocha")
    before = "npm run data && { npm run up & }"
    assert commands(manifest) == [("mocha", f'sh -c {before} && exec "$@" sh mocha')]
    manifest = scripts(test="npm-run-all -p up unit -s more", up="node server.js", unit="mocha", more="mocha more")
    up = "sh -c { npm run up & }"
    assert commands(manifest) == [("mocha", f'{up} && exec "$@" sh mocha{more}') for more in ("", " more")]


@pytest.mark.parametrize("together", ["concurrently 'npm run up' 'cypress run'", "run-p up page"])
def test_a_server_of_tests_in_a_browser_is_no_test(together: str) -> None:
    assert commands(scripts(test=together, up="node server.js", page="playwright test")) == []


def test_a_program_that_is_started_beside_tests_in_a_browser_is_run_without_them() -> None:
    manifest = scripts(test="npm-run-all -p test:*", test__load="node test/load.js", test__page="karma start")
    assert commands(manifest) == [("exit_code", f"{HERE}npm run test:load")]


def test_tests_that_only_an_exit_code_tells_of_are_started_as_the_script_starts_them() -> None:
    script = "concurrently 'npm run up' 'ospec'"
    assert commands(scripts(test=script, up="node server.js")) == [("exit_code", HERE + script)]
