"""Scripts that start their tests with the variables of a file."""

import json
from time import monotonic

import pytest

from tests.repo_tools.environment.javascript.trees import package, plan, planned

FILES = {
    ".env": "D=4\n",
    ".env.test": "# said\nA=1\nexport B='x y'  # or else\nC=$A\n1X=2\nnothing\n",
    "config/test.env": "A=5\n",
}
OF_TEST = ("env", "A=1", "B=x y", "C=1")


def started(script: str, **named: str) -> list[tuple[str, tuple[str, ...]]]:
    manifest = package(scripts={"test": script, **named})
    return [(command.runner, command.argv) for command in planned({"package.json": manifest, **FILES}).tests]


@pytest.mark.parametrize(
    ("script", "argv"),
    [
        ("dotenv -e .env.test -- mocha test", (*OF_TEST, "mocha", "test")),
        ("dotenv -e none.env -- mocha", ("mocha",)),
        ("dotenv -e config/test.env -e .env.test -- mocha", ("env", "A=5", "B=x y", "C=1", "mocha")),
        ("dotenv mocha", ("env", "D=4", "mocha")),
        ("env-cmd -f .env.test mocha", (*OF_TEST, "mocha")),
        ("A=9 env-cmd -f .env.test mocha", (*OF_TEST, "mocha")),
        ("npx dotenvx run -f .env.test -- cross-env E=1 mocha", (*OF_TEST, "E=1", "mocha")),
        (
            "cross-env A=9 NODE_ENV=test dotenv -e .env.test -- mocha",
            ("env", "A=9", "NODE_ENV=test", *OF_TEST[2:], "mocha"),
        ),
        ("A=9 dotenvx run -f config/test.env -- mocha", ("env", "A=9", "mocha")),
        ("nyc dotenv mocha", ("env", "D=4", "mocha")),
        ("mocha -r dotenv test", ("mocha", "-r", "dotenv", "test")),
        ("mocha --dotenv x && echo dotenv x", ("mocha", "--dotenv", "x")),
    ],
)
def test_what_the_file_sets_is_set_for_the_tests(script: str, argv: tuple[str, ...]) -> None:
    assert started(script) == [("mocha", argv)]


def test_a_script_that_is_started_with_them_has_them_too() -> None:
    assert started("eslint . && dotenv -e .env.test -- npm run specs", specs="mocha") == [
        ("mocha", (*OF_TEST, "mocha"))
    ]


@pytest.mark.parametrize(
    "script",
    [
        *("node -r dotenv tools/all.js", "start-all 'dotenv -e .env.test -- node a' \"a; dotenv -- node b\""),
        *("dotenvx run --convention nextjs -- mocha", "dotenvx run --log-level error -- mocha"),
        *(
            "env-cmd -e test mocha",
            "env-cmd -f .env-cmdrc -e test mocha",
            "env-cmd --environments test mocha",
            "env-cmd ./settings/of-tests mocha",
            *("env-cmd .env.test mocha", "env-cmd config/test.env mocha", "env-cmd test.env mocha"),
            "env-cmd -f a.env.js mocha",
        ),
    ],
)
def test_what_only_resembles_such_a_call_stays_as_it_is(script: str) -> None:
    ((runner, argv),) = started(script)
    assert (runner, argv[-1].endswith(f"; {script}")) == ("exit_code", True)


def test_a_file_of_a_member_is_looked_for_in_its_folder() -> None:
    member = json.dumps({"name": "a", "scripts": {"test": "dotenv -e .env.test -- mocha"}})
    root = package("npm test --workspaces", workspaces=["a"])
    (command,) = planned({"package.json": root, "a/package.json": member, "a/.env.test": "A=9", **FILES}).tests
    assert command.argv == ("env", "A=9", "mocha")


@pytest.mark.parametrize("text", ["dotenv -o " * 20_000, "dotenv -e " * 20_000, "env-cmd" + " --a-" * 20_000])
def test_long_scripts_are_read_at_once(text: str) -> None:
    began = monotonic()
    plan({"package.json": package(f"mocha && {text}"), **FILES})
    assert monotonic() - began < 5
