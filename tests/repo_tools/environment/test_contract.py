"""What a person reads of a plan."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import pytest

from repo_tools.environment.contract import AND_RUN, SetupCommand, TestCommand, each_build_once
from repo_tools.environment.detect import detect
from tests.support.trees import reader_of, tree_of


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (TestCommand("pytest", ("pytest", "-k", "a or b")), "pytest -k 'a or b'"),
        (TestCommand("pytest", ("pytest",), "a b", (("MODE", "x y"),)), "cd 'a b' && MODE='x y' pytest"),
        (
            TestCommand("mocha", ("sh", "-c", f"npm run lib{AND_RUN}", "sh", "mocha", "*.js")),
            "npm run lib && mocha '*.js'",
        ),
        (TestCommand("exit_code", ("sh", "-c", "make a | tee b")), "make a | tee b"),
        (TestCommand("tap", ("sh", "-c", 'tape "$@"', "sh", "a b.js")), "sh -c 'tape \"$@\"' sh 'a b.js'"),
        (TestCommand("jest", ("sh", "-c", "…"), typed="npm run build && jest"), "npm run build && jest"),
    ],
)
def test_a_command_is_shown_as_a_person_would_type_it(command: TestCommand, shown: str) -> None:
    assert str(command) == shown


BUILT = (("", "make"), ("lib/a", "npm run build"), ("lib/b", "npm run build"))


def test_what_is_built_before_a_command_is_shown_where_it_is_typed() -> None:
    command = TestCommand("mocha", ("sh", "-c", "…"), "lib/b", (("MODE", "x"),), "mocha", builds=BUILT)
    assert str(command) == "make && (cd lib/a && npm run build) && cd lib/b && npm run build && MODE=x mocha"
    at_the_root = replace(command, directory="", builds=BUILT[:2])
    assert str(at_the_root) == "(cd lib/a && npm run build) && make && MODE=x mocha"


def test_of_several_commands_each_build_is_shown_before_the_first_that_needs_it() -> None:
    commands = [TestCommand("mocha", ("mocha",), place, builds=BUILT[1:]) for place in ("lib/b", "lib/c", "lib/d")]
    assert list(map(str, each_build_once(commands))) == [
        "(cd lib/a && npm run build) && cd lib/b && npm run build && mocha",
        "cd lib/c && mocha",
        "cd lib/d && mocha",
    ]


def test_selectors_stand_last_and_quoted() -> None:
    assert TestCommand("pytest", ("pytest",)).shown(("t.py::test[a b]",)) == "pytest 't.py::test[a b]'"


def test_what_selectors_stand_in_the_place_of_is_left_out_where_there_are_some() -> None:
    command = TestCommand("mocha", ("mocha", "--ui", "test", "test"), "sub")
    assert command.shown(("sub/test/a.js",), ("test", "lib")) == "cd sub && mocha --ui test test/a.js"
    assert command.shown((), ("test",)) == "cd sub && mocha --ui test test"


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (SetupCommand(("npm", "rebuild"), directory="a b"), "cd 'a b' && npm rebuild"),
        (SetupCommand(("sh", "-c", "npm ci || npm install"), typed="npm install"), "npm install"),
        (SetupCommand(("sh", "-c", "npm ci || npm install")), "npm ci || npm install"),
        (SetupCommand(("python", "-c", "import os\n" + "x = 1\n" * 100)), "python -c 'import os…'"),
    ],
)
def test_of_a_program_in_set_up_is_shown_what_it_does(command: SetupCommand, shown: str) -> None:
    assert str(command) == shown


PLANNED = (
    {
        "pyproject.toml": "[project]\nname = 'a'\n[build-system]\nrequires = ['setuptools']\n",
        "test_a.py": "",
        "a.py": "",
    },
    {"setup.py": "import a\n", "a.py": "", "test_a.py": "", "uv.lock": "", "requirements.txt": "six\n"},
    {"package.json": '{"engines": {"node": "22"}, "scripts": {"test": "jest"}, "devDependencies": {"jest": "1"}}'},
    {"package.json": '{"scripts": {"test": "node --test"}, "dependencies": {"a": "1"}}', "pnpm-lock.yaml": ""},
    {"CMakeLists.txt": "project(a C)\nenable_testing()\nadd_test(NAME a COMMAND a)\n", "tests/a.c": ""},
    {"build.gradle": "", "src/test/java/ATest.java": ""},
    {"Cargo.toml": "[package]\nname = 'a'\n", "src/lib.rs": "#[test]\nfn a() {}\n"},
)


def every_one(commands: Iterable[SetupCommand]) -> Iterator[SetupCommand]:
    for command in commands:
        yield command
        yield from every_one(command.otherwise)


@pytest.mark.parametrize("files", PLANNED, ids=lambda files: next(iter(files)))
def test_no_plan_shows_a_program_where_a_person_wants_to_read_what_is_done(files: Mapping[str, str]) -> None:
    tree = tree_of(files)
    plan = detect(tree, reader_of(files))
    shown = [str(command) for command in every_one(plan.setup)]
    assert shown
    assert [line for line in shown if "\n" in line or "…" in line or len(line) > 250] == []
