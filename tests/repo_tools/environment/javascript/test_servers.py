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


def test_tests_that_only_an_exit_code_tells_of_are_started_as_the_script_starts_them() -> None:
    script = "concurrently 'npm run up' 'ospec'"
    assert commands(scripts(test=script, up="node server.js")) == [("exit_code", HERE + script)]


@pytest.mark.parametrize(
    ("script", "ports"),
    [
        ("start-server-and-test start http://localhost:3000/page unit", ["3000"]),
        ("start-server-and-test 'npm run start' :3000 'npm run unit'", ["3000"]),
        ("start-test --expect 404 3000 unit", ["3000"]),
        ("server-test start 'http-get://127.0.0.1:3000|http://a:4000' unit", ["3000", "4000"]),
        ("start-test http://localhost/12 unit", []),
    ],
)
def test_tests_begin_once_their_server_answers(script: str, ports: list[str]) -> None:
    ((runner, command),) = commands(scripts(test=script, start="node server.js", unit="mocha"))
    assert runner == "mocha"
    assert command.startswith("sh -c { npm run start & } && ")
    assert [part.split()[-1] for part in command.split(" && ") if "connect(" in part] == ports
    assert command.endswith('exec "$@" sh mocha')


def test_several_servers_are_started_before_the_tests() -> None:
    found = commands(package("start-server-and-test 'node a.js' 3000 'node b.js' 4000 'mocha test/api'"))
    assert found[0][1].startswith("sh -c { node a.js & } && { node b.js & } && node -e ")
    assert found[0][1].endswith(
        " 3000 && " + found[0][1].split(" && ")[2].removesuffix("3000") + '4000 && exec "$@" sh mocha test/api'
    )


@pytest.mark.parametrize("script", ["start-test 3000 page", "start-test unknown", "start-test a 3000 b 4000"])
def test_a_server_whose_tests_are_unknown_is_no_build(script: str) -> None:
    runners = {runner for runner, _ in commands(scripts(test=script, start="node server.js", page="cypress run"))}
    assert runners <= {"exit_code"}
