"""Scripts that go to other folders of the repository."""

import pytest

from repo_tools.environment.detect import detect
from repo_tools.environment.javascript.elsewhere import gone_to_test
from tests.repo_tools.environment.javascript.trees import commands, package, planned, scripts
from tests.support.files_checkout import FilesCheckout

HERE = "sh -c PATH=$PWD/node_modules/.bin:$PATH; "
BOTH = "cd a && npm test && cd b && npm test"


@pytest.mark.parametrize(
    ("chain", "told"),
    [
        (["cd a", "npm test", "cd ../b", "npm test"], (BOTH, 4)),
        (["cd a", "npm test", "cd ..", "cd b", "npm ci", "npm test", "cd .."], (BOTH, 7)),
        (["(cd a", "npm test)", "(cd b", "npm test)", "mocha"], (BOTH, 4)),
        (["cd a/b", "yarn test:unit -- --x", "cd ../..", "mocha"], ("cd a/b && yarn test:unit -- --x", 3)),
        (["cd a", "npm test", "mocha"], ("", 0)),  # in a
        (["cd ../a", "npm test"], ("", 0)),
        (["cd a", "npm test", "cd ../../b", "npm test"], ("", 0)),
        (["cd /a", "npm test"], ("", 0)),
        (["cd $A", "npm test"], ("", 0)),
        (["(cd a", "npm test"], ("", 0)),
        (["cd a", "mocha"], ("", 0)),
        (["cd a"], ("", 0)),
        (["npm test"], ("", 0)),
        ([], ("", 0)),
    ],
)
def test_tests_of_several_projects_one_after_the_other(chain: list[str], told: tuple[str, int]) -> None:
    assert gone_to_test(chain) == told


@pytest.mark.parametrize(
    "script",
    ["cd a && npm test && cd ../b && npm test && cd ..", "(cd a && npm test) && (cd b && npm test)"],
)
def test_projects_that_the_root_only_goes_to_are_tested_by_themselves(script: str) -> None:
    files = {
        "package.json": package(script),
        "a/package.json": package("mocha"),
        "a/test/a.js": "",
        "b/package.json": package("jest"),
        "b/test/b.js": "",
    }
    checkout = FilesCheckout(files)
    found = detect(checkout.tree, checkout.read, issue="b/test/b.js fails")
    assert [(command.runner, command.directory) for command in found.tests] == [("jest", "b")]


def test_members_that_the_root_goes_to_are_the_ones_that_are_tested() -> None:
    plan = planned(
        {
            "package.json": package("cd x/a && npm test && cd ../b && npm test", workspaces=["x/*"]),
            **{f"x/{name}/package.json": package("mocha") for name in "abc"},
        }
    )
    assert [command.directory for command in plan.tests] == ["x/a", "x/b"]


def test_tests_of_other_projects_beside_the_root_s_own_are_named() -> None:
    plan = planned({"package.json": package("mocha && cd a && npm test"), "a/package.json": package("jest")})
    assert [command.runner for command in plan.tests] == ["mocha"]
    assert plan.left_out == ("package.json scripts.test, tests of other projects of the repository: a",)


@pytest.mark.parametrize("script", ["cd ../a && npm test", "cd a && npm run own && cd ../../b && npm test"])
def test_a_script_of_another_folder_is_not_taken_for_the_package_s_own(script: str) -> None:
    assert commands(scripts(test=script, own="mocha")) == [("exit_code", f"{HERE}{script}")]


def test_each_script_begins_in_the_package_s_folder() -> None:
    found = commands(scripts(test="npm run a && npm run b", a="cd a && tsc && mocha", b="cd b && mocha"))
    assert found == [
        ("mocha", 'sh -c cd a && tsc && exec "$@" sh mocha'),
        ("mocha", 'sh -c (cd a && tsc) && cd b && exec "$@" sh mocha'),
    ]


def test_a_script_is_followed_once_the_chain_is_back() -> None:
    found = commands(scripts(test="cd x && npm i && cd .. && npm run own", own="mocha"))
    assert found == [("mocha", 'sh -c cd x && npm i && cd .. && exec "$@" sh mocha')]
