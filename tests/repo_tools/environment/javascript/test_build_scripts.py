"""Which script makes what a package's entry points name."""

import pytest

from tests.repo_tools.environment.javascript.trees import package, planned


@pytest.mark.parametrize("idle", ["husky", "husky install", "is-ci || husky install", "npm run lint", "tsc --noEmit"])
def test_a_script_that_makes_nothing_is_no_build(idle: str) -> None:
    named = {"prepare": idle, "compile": "tsc", "lint": "eslint .", "test": "mocha"}
    assert (
        planned({"package.json": package(main="out/x.js", scripts=named)}).tests[0].typed == "npm run compile && mocha"
    )
    del named["compile"]
    assert planned({"package.json": package(main="out/x.js", scripts=named)}).tests[0].argv == ("mocha",)


@pytest.mark.parametrize("build", ["turbo run build", "wireit", "npm run build --workspaces", "lerna run build", "tsc"])
def test_a_script_that_builds_in_the_members_is_a_build(build: str) -> None:
    named = {"build": build, "compile": "tsc", "test": "mocha"}
    assert planned({"package.json": package(main="out/x.js", scripts=named)}).tests[0].typed == "npm run build && mocha"
