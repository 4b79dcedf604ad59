"""What a script gives a runner through a pipe, and what of a pipe its exit code is of."""

import pytest

from repo_tools.environment.javascript.chains import split_chain
from repo_tools.environment.javascript.pipes import taken_from_pipe
from tests.repo_tools.environment.javascript.trees import commands, package, planned, scripts

HERE = "sh -c PATH=$PWD/node_modules/.bin:$PATH; "
TAP = {"test__a__b.js": "require('tape')"}


@pytest.mark.parametrize(
    ("script", "runner", "command"),
    [
        ("find test -name '*.js' | xargs mocha -R dot", "mocha", "mocha -R dot test/**/*.js"),
        ("find test -name '*.js' -print0 | xargs -0 -r npx tape | tap-spec", "tap", "tape test/**/*.js"),
        ("find test -name '*.js' | sort | xargs -P4 mocha", "mocha", "mocha $(find test -name '*.js' | sort)"),
        ("git ls-files 'test/*.js' | xargs mocha", "mocha", "mocha $(git ls-files 'test/*.js')"),
        ("ls test/*.js | xargs -n 1 mocha", "mocha", "mocha test/*.js"),
        ("ls test/*.js | xargs --max-args=1 nyc mocha", "mocha", "mocha test/*.js"),
        (
            "ls a.js b.js | xargs -I {} env A=1 _mocha {} -R dot",
            "mocha",
            "env A=1 _mocha a.js b.js -R dot",
        ),
        ("find test -name '*.js' | xargs -n1 node", "tap", "node test/**/*.js"),
        ("find test -name '*.js' -exec node {} \\;", "tap", "node test/**/*.js"),
        ("find test -name '*.js' -exec mocha '{}' ';'", "mocha", "mocha test/**/*.js"),
        ("find test -name '*.js' -exec mocha {} +", "mocha", "mocha test/**/*.js"),
    ],
)
def test_a_runner_that_is_given_its_files_by_another_program_is_known(script: str, runner: str, command: str) -> None:
    assert commands(package(script), **TAP) == [(runner, command)]


@pytest.mark.parametrize(
    "files",
    ["$(ls test/*.js | grep -v x)", "$(find test -name '*.js' | sort | head)", "`ls test/*.js | grep -v x`"],
)
def test_a_pipe_that_only_names_a_runner_s_files_cuts_no_command_in_two(files: str) -> None:
    found = commands(package(f"mocha {files} | tee log && tape {files}; tap {files}"))
    assert found == [("mocha", f"mocha {told(files)}"), ("tap", f"tape {told(files)}"), ("tap", f"tap {told(files)}")]


def test_a_command_within_backticks_may_hold_others() -> None:
    script = 'v=`node -e "console.log(\'\\`node -v\\`\'[1])"` && if [ $v != "0" ]; then eslint .; fi && mocha test'
    ((runner, command),) = commands(package(script))
    assert runner == "mocha"
    assert command.endswith(" sh mocha test")


def told(files: str) -> str:
    return f"$({files[1:-1]})" if files.startswith("`") else files


@pytest.mark.parametrize(
    ("script", "kept"),
    [
        ("find test -name '*.js' | xargs node", "find test -name '*.js' | xargs node"),  # the first file alone
        ("find test -name '*.js' | xargs jest", "find test -name '*.js' | xargs jest"),
        ("git ls-files -z | xargs -0 mocha", "git ls-files -z | xargs -0 mocha"),
        ("ls test/* | xargs -n 1 ./run | tee log", "ls test/* | xargs -n 1 ./run"),
        ("cat test/in.txt | node cli.js | diff - test/out.txt", "cat test/in.txt | node cli.js | diff - test/out.txt"),
        ("browserify test/*.js | node | tap-spec", "browserify test/*.js | node"),
        ("esbuild --bundle test/a.ts | node -r x --input-type=module -", None),
        ("node test.js | tap-spec", "node test.js"),
        ("node test.js | node -e 'show()' | node show.js", "node test.js"),
        ("xargs | xargs -E x mocha", "xargs | xargs -E x mocha"),
    ],
)
def test_where_only_an_exit_code_is_known_it_is_that_of_what_tests(script: str, kept: str | None) -> None:
    assert commands(package(script)) == [("exit_code", f"{HERE}{kept or script}")]


@pytest.mark.parametrize("script", ["cat cases.txt | node test/a/b.js", "echo x | A=1 node test/a/b"])
def test_a_program_of_node_s_that_reads_its_cases_is_given_them(script: str) -> None:
    assert commands(package(script), **TAP) == [("exit_code", f"{HERE}{script}")]


def test_a_runner_reads_no_cases() -> None:
    assert commands(package("yes | mocha")) == [("mocha", "mocha")]


def test_a_pipe_builds_as_it_is_written_and_checks_nothing() -> None:
    script = "find . -name '*.js' | xargs eslint && cat x | tsc && mocha && cat coverage/lcov.info | coveralls"
    plan = planned({"package.json": package(script), "test.js": ""})
    assert [" ".join(command.argv) for command in plan.tests] == ['sh -c cat x | tsc && exec "$@" sh mocha']
    assert plan.left_out == ()


def test_what_is_piped_into_a_browser_is_left_out_with_the_reason() -> None:
    plan = planned({"package.json": scripts(test="mocha", test__b="browserify t.js | tape-run | tap-spec"), "t.js": ""})
    assert plan.left_out == ("package.json scripts.test:b (`browserify t.js | tape-run`), which needs a browser",)


@pytest.mark.parametrize(
    "part", ["a || b", "a | b && c", "a | 'b", "a |", "grep 'a | b' c", "| a", "a $(b | c)", "`b | c` d", "(a | b)"]
)
def test_what_is_no_whole_pipe_stays_as_it_is(part: str) -> None:
    assert taken_from_pipe(part) == part


def test_long_pipes_are_read_at_once() -> None:
    assert split_chain("a | " * 400 + "xargs b")[0].startswith("a | a")
    assert taken_from_pipe("find a -exec " * 1_000) == "find a -exec " * 1_000
    assert taken_from_pipe("find " + "-exec {} " * 1_000) == "find " + "-exec {} " * 1_000


@pytest.mark.parametrize("program", ["jshint/bin/jshint src", "eslint/bin/eslint.js .", ".bin/standard"])
def test_a_check_that_node_starts_from_its_file_decides_nothing(program: str) -> None:
    assert commands(scripts(test="npm run look && mocha", look=f"node node_modules/{program}")) == [("mocha", "mocha")]


def test_node_carries_out_no_more_than_the_first_of_several_files() -> None:
    script = "find test -name '*.js' | xargs node"
    assert commands(package(script), **TAP) == [("exit_code", f"{HERE}{script}")]
