"""What stands in the shell scripts that a package's scripts start."""

import json
from time import process_time

import pytest

from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.script_calls import called_scripts
from repo_tools.environment.javascript.shell_files import with_shell_files
from tests.repo_tools.environment.javascript.trees import commands, package, planned, scripts
from tests.support.trees import reader_of, tree_of

HERE = "sh -c PATH=$PWD/node_modules/.bin:$PATH; "


def suite(text: str, test: str = "./scripts/test.sh") -> list[tuple[str, str]]:
    return commands(package(test), **{"scripts/test.sh": text})


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("#!/bin/sh\nmocha --recursive\n", "mocha --recursive"),
        ('#!/bin/bash -e\n# all of them\n\nexec node_modules/.bin/mocha "$@"  # more\n', "mocha"),
        ('set -euo pipefail\ncd "$(dirname "$0")/.."\nnyc mocha $*\n', "mocha"),
        (
            'cd `dirname $0`/..\nMOCHA=./node_modules/.bin/mocha\nOPTS="-t 9"\n$MOCHA ${OPTS} a \\\n  b\n',
            "mocha -t 9 a b",
        ),
        ("set -e\nexport A=1\ntsc -p .\nmocha\n", 'sh -c export A=1 && tsc -p . && exec "$@" sh mocha'),
        ('eslint .\nif [ -n "$CI" ]\nthen\n  mocha -R dot\nfi\n', "mocha -R dot"),
        ("A='a b'\nexport A\nmocha; exit $?\n", "sh -c export A='a b' && exec \"$@\" sh mocha"),
        ("PATH=node_modules/.bin:$PATH\nset -x; mocha\n", "mocha"),
        ("#!/bin/sh\n# Don't ask\ntsc # it's built\nmocha\n", 'sh -c { tsc || true ; } && exec "$@" sh mocha'),
        ("set -o errexit\ntsc\nmocha --grep '#a' # don't\n", 'sh -c tsc && exec "$@" sh mocha --grep #a'),
        ("A=1\nB=2\nexport A B\nmocha\n", 'sh -c export A=1 B=2 && exec "$@" sh mocha'),
        ("node up.js &\nsleep 1\nmocha\n", 'sh -c { node up.js & } && exec "$@" sh mocha'),
        ("set -e\nnode up.js > log &\nmocha\n", 'sh -c { node up.js > log & } && exec "$@" sh mocha'),
        ("set -e\n(\n  cd a\n  mocha\n)\n", 'sh -c cd a && exec "$@" sh mocha'),
        ("tsc &&\n  # then\n  mocha a\nexit 0\nmocha b\n", 'sh -c tsc && exec "$@" sh mocha a'),
        ("TZ=UTC node_modules/.bin/_mocha a\n", "env TZ=UTC _mocha a"),
        ('"$@"\nmocha "$@"\n', "mocha"),
        ("# as in [[ a == b ]]\nmocha -g 'a\nb'\n", "mocha -g a\nb"),
    ],
)
def test_a_plain_shell_script_is_read_as_a_script_of_the_package(text: str, run: str) -> None:
    assert suite(text) == [("mocha", run)]


@pytest.mark.parametrize(
    "test",
    [
        *("bash scripts/test.sh", "sh -e ./scripts/test.sh", "NODE_ENV=test nyc ./scripts/test.sh"),
        "eslint . && scripts/test.sh",
    ],
)
def test_it_is_found_however_it_is_started(test: str) -> None:
    assert [runner for runner, _ in suite("#!/bin/sh\nmocha", test)] == ["mocha"]


def test_one_without_an_ending_is_told_by_its_first_line_and_the_plan_says_where_the_command_stands() -> None:
    files = {"packages/a/test/run": "#!/usr/bin/env bash\nmocha", "packages/a/package.json": package("test/run")}
    made = planned({"package.json": package(workspaces=["packages/*"]), **files})
    assert made.evidence[-1] == "packages/a/test/run: mocha"
    assert [command.argv for command in made.tests] == [("mocha",)]
    assert commands(package("test/run"), **{"test/run": "mocha"}) == [("exit_code", f"{HERE}test/run")]


@pytest.mark.parametrize(
    "text",
    [
        *("run() {\n  mocha\n}\nrun\n", "trap stop EXIT\nnode server.js &\nmocha\n", "mocha $1\n", "ospec\n"),
        *("A=$(node args.js)\nmocha $A\n", 'A=a\nif [ -n "$CI" ]; then A=b; fi\nmocha $A\n', "cat <<X\nmocha\nX\n"),
        *("[[ -n $CI ]] && export A=1\nmocha\n", "source flags.sh\nmocha\n", "tsc &> log\nmocha\n"),
        "for f in $FILES; do\n  ospec $f\ndone # mocha\n",
        *('A=a\nif [ -n "$CI" ]; then\n  A=b\nfi\nmocha $A\n', "if [ -z $A ]\nthen\n  export A=1\nfi\nmocha $A\n"),
        *("for d in a b; do\n  cd $d && mocha && cd ..\ndone\n", "if [ $A ]; then cd a; fi\nmocha\n"),
        *("pushd a\nmocha\npopd\n", "A=\"-g 'a b'\"\nmocha $A\n", "A='a; b'\nmocha $A\n", "echo 'x\nmocha\n"),
        *(": ${A:=a}\nmocha $A\n", "set -- a\nmocha $@\n", 'mocha "${@:2}"\n', "cp {a,b} c\nmocha\n"),
    ],
)
def test_what_only_a_shell_can_tell_is_left_to_it(text: str) -> None:
    assert suite(text) == [("exit_code", f"{HERE}./scripts/test.sh")]


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


def test_one_that_is_given_words_is_left_to_the_shell() -> None:
    assert suite("mocha $@", "./scripts/test.sh a")[0][0] == "exit_code"
    assert called_scripts("./t.sh", ["sh t.sh"]) == [("sh t.sh", ())]
    assert called_scripts("./t.sh", ["sh t.sh"], ("a",)) == []  # of ``npm run x -- a``, where x is that file


def test_a_name_without_a_folder_is_of_a_program_and_no_file() -> None:
    assert commands(package("run.sh"), **{"run.sh": "mocha"})[0][0] == "exit_code"


def test_many_scripts_and_files_are_read_in_no_time() -> None:
    told = {f"a{number}": f"./x{number % 10}.sh; {'a b c; ' * 500}" for number in range(450)}
    files = {f"x{number}.sh": f"mocha\n{'# ' * 3_900}'" for number in range(10)}
    tree = {"package.json": scripts(**told, test="./x1.sh"), **files}
    started = process_time()
    read = with_shell_files(Package("", json.loads(tree["package.json"])), tree_of(tree), reader_of(tree))
    assert read.scripts["sh x1.sh"] == "mocha"
    assert process_time() - started < 2


def test_a_script_of_a_makefile_is_read_too() -> None:
    files = {"Makefile": "test:\n\t./run.sh\n", "run.sh": "mocha\n"}
    assert commands(scripts(test="make test"), **files) == [("mocha", "mocha")]
