"""What a script carries out only sometimes, whatever became of what is before it, or beside what follows."""

import pytest

from repo_tools.environment.javascript.chains import every_command, split_chain
from tests.repo_tools.environment.javascript.trees import commands, package, scripts

HERE = "sh -c PATH=$PWD/node_modules/.bin:$PATH; "


@pytest.mark.parametrize(
    ("script", "before"),
    [
        ("tsc || true && mocha", "{ tsc || true ; }"),
        ("tsc || echo 'with errors' && mocha", "{ tsc || echo 'with errors' ; }"),
        ("rm -r out; mkdir out; mocha", "{ rm -r out || true ; } && { mkdir out || true ; }"),
        ("[ -d out ] && rm -r out; mocha", "{ [ -d out ] && rm -r out || true ; }"),
        ("tsc && cp a b || cp c b && mocha", "{ tsc && cp a b || cp c b ; }"),
        ("set -e; tsc; mocha", "tsc"),
        ("tsc || exit 1; mocha", "tsc"),
        ("tsc || false; mocha", "{ tsc || true ; }"),
        ("tsc || (cat log; exit 1) && mocha", "tsc"),
        ("export A=1; tsc && mocha", "export A=1 && tsc"),
        ("(tsc || true) && mocha", "(tsc || true)"),
        ("{ tsc; cp a b; } && mocha", "{ tsc ; cp a b ; }"),
        ("files=$(ls a); mocha", "files=$(ls a)"),
        ('if [ -z "$A" ] || [ -n "$B" ]; then tsc && mocha; fi', "tsc"),
        ("if a; then [ -d b ] || tsc; mocha; fi", "{ [ -d b ] || tsc ; }"),
    ],
)
def test_a_build_may_fail_before_the_tests_where_the_script_lets_it(script: str, before: str) -> None:
    assert commands(package(script)) == [("mocha", f'sh -c {before} && exec "$@" sh mocha')]


@pytest.mark.parametrize(
    "script",
    [
        *("mocha || true", "mocha; exit 0", "mocha || exit 1", "eslint . ; mocha", "eslint . || true && mocha"),
        *("node may-not.js || mocha", "mocha || (cat log; exit 1)", "{ mocha; } || echo no", "mocha & wait"),
        "mocha || tape test.js",
    ],
)
def test_a_suite_is_a_suite_whatever_may_come_of_it(script: str) -> None:
    assert commands(package(script)) == [("mocha", "mocha")]


def test_both_ways_of_a_condition_are_tested() -> None:
    found = commands(package('tsc && [ -n "$CI" ] && mocha --forbid-only || mocha -R dot'))
    before = 'sh -c tsc && exec "$@" sh'
    assert found == [("mocha", f"{before} mocha --forbid-only"), ("mocha", f"{before} mocha -R dot")]


@pytest.mark.parametrize(
    ("script", "kept"),
    [
        ("ospec; exit $?", "ospec"),
        ("ospec || true", "ospec"),
        ("ospec || true || true", "ospec"),
        ("ospec || echo failed", "ospec"),
        ("(ospec || true) && (ospec b ; true)", "(ospec ) && (ospec b )"),
        ("if [ -n $CI ]; then ospec || :; fi", "if [ -n $CI ]; then ospec ; fi"),
        ("tsc || true; ospec", "{ tsc || true ; } && ospec"),
        ("ospec a || ospec b", "{ ospec a || ospec b ; }"),
        ("[ -n $CI ] && ospec e2e; ospec", "{ [ -n $CI ] && ospec e2e || true ; } && ospec"),
        ("[ -n $CI ] && ospec || true", "[ -n $CI ] && ospec"),
        ("npm run test:a; npm run test:b", "npm run test:a && npm run test:b"),
        ("npm run test:a & npm run test:b", "npm run test:a && npm run test:b"),
    ],
)
def test_tests_that_only_an_exit_code_tells_of_never_end_well_by_force(script: str, kept: str) -> None:
    assert commands(scripts(test=script, test__a="ospec a", test__b="ospec b")) == [("exit_code", HERE + kept)]


def test_what_nothing_waits_for_is_started_beside_the_tests() -> None:
    manifest = scripts(test="npm run up & sleep 2 && mocha; kill %1", up="node server.js")
    assert commands(manifest) == [("mocha", 'sh -c { npm run up & } && sleep 2 && exec "$@" sh mocha')]


@pytest.mark.parametrize("script", ["npm run build & mocha", "npm run build & npm run unit & wait"])
def test_tests_begin_once_a_build_has_ended(script: str) -> None:
    found = commands(scripts(test=script, build="tsc", unit="mocha"))
    assert found == [("mocha", 'sh -c npm run build && exec "$@" sh mocha')]


def test_a_server_alone_tests_nothing() -> None:
    assert commands(package("node server.js & karma start")) == []


def test_a_group_is_one_command_however_often_it_is_read() -> None:
    once = split_chain("a; b || c && d & e")
    assert once == ["{ a || true ; }", "{ { b || c ; } && d & }", "e"]
    assert split_chain(" && ".join(once)) == once
    assert every_command("a; b || c && d & e") == ["a", "b", "c", "d", "e"]


def test_what_only_ends_a_script_that_went_wrong_is_no_command_of_it() -> None:
    assert every_command("{ a || exit 1; } && b || (cat log; exit 1)") == ["a", "b"]


@pytest.mark.parametrize("script", ["{ " * 900 + "a", "a || " * 700 + "b", "(a; " * 400 + ")" * 400, "a & " * 900])
def test_no_script_is_too_deep(script: str) -> None:
    assert every_command(script)
    commands(package(script))
