"""What nyc would load is loaded though nothing is measured."""

import json

import pytest

from tests.repo_tools.environment.javascript.trees import commands, package, planned

BABEL = {"require": ["babel-register"]}


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("nyc mocha test", "mocha -r babel-register test"),
        ("nyc -s --reporter lcov _mocha && eslint .", "_mocha -r babel-register"),
        ("nyc --require ./a.js -i ts-node/register mocha", "mocha -r ./a.js -r ts-node/register -r babel-register"),
        ("mocha && nyc report", "mocha"),
        ("nyc ava", "ava"),
    ],
)
def test_what_nyc_is_told_to_require_is_required_by_the_runner(script: str, expected: str) -> None:
    found = commands(package(script, nyc=BABEL))
    assert [command for _, command in found] == [expected]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (".nycrc", json.dumps(BABEL, indent="\t"), "mocha -r babel-register"),
        (".nycrc.json", '{"require": "./a.js"}', "mocha -r ./a.js"),
        (".nycrc", '{"require": ["a b", "$(x)", 1]}', "mocha"),
        (".nycrc", "[1]", "mocha"),
        (".nycrc", "no json", "mocha"),
    ],
)
def test_it_is_told_by_files_too(name: str, text: str, expected: str) -> None:
    tree = {"package.json": package("nyc mocha"), name: text}
    assert [" ".join(command.argv) for command in planned(tree).tests] == [expected]


def test_words_that_a_script_is_given_come_after_it() -> None:
    manifest = json.dumps({"scripts": {"test": "npm run m test/src", "m": "nyc -s mocha"}, "nyc": BABEL})
    assert commands(manifest) == [("mocha", "mocha -r babel-register test/src")]


def test_a_script_that_is_called_like_its_runner_passes_it_on() -> None:
    manifest = json.dumps({"scripts": {"test": "nyc --require a npm run _mocha", "_mocha": "mocha -t 9"}})
    assert commands(manifest) == [("mocha", "mocha -t 9 -r a")]


def test_a_members_own_settings_hold_in_its_folder() -> None:
    tree = {
        "package.json": package("npm test -ws", workspaces=["a"]),
        "a/package.json": package("nyc mocha"),
        "a/.nycrc": json.dumps(BABEL),
    }
    (command,) = planned(tree).tests
    assert (command.directory, " ".join(command.argv)) == ("a", "mocha -r babel-register")
