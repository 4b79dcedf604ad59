"""What a package's scripts tell a shell of its own."""

import pytest

from tests.repo_tools.environment.javascript.trees import commands, package

HERE = "sh -c PATH=$PWD/node_modules/.bin:$PATH; "


@pytest.mark.parametrize(
    ("script", "run"),
    [
        ("bash -c 'tsc && mocha'", 'sh -c tsc && exec "$@" sh mocha'),
        ('eslint . && sh -c "mocha a" && echo well', "mocha a"),
        ("/bin/sh -c 'tsc; mocha'", 'sh -c { tsc || true ; } && exec "$@" sh mocha'),
    ],
)
def test_what_a_shell_is_told_in_place_is_read(script: str, run: str) -> None:
    assert commands(package(script)) == [("mocha", run)]


@pytest.mark.parametrize("inside", ["source flags.sh && mocha", "mocha $FILES", "[[ a == b ]] || mocha"])
def test_what_is_told_bash_alone_is_left_to_it(inside: str) -> None:
    assert commands(package(f"bash -c '{inside}'")) == [("exit_code", f"{HERE}bash -c '{inside}'")]


def test_what_stands_in_a_shell_script_is_left_to_it() -> None:
    assert commands(package("./scripts/test.sh"), **{"scripts/test.sh": "mocha"}) == [
        ("exit_code", f"{HERE}./scripts/test.sh")
    ]
