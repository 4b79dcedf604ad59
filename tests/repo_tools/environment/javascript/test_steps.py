"""What remains as steps of several commands in one."""

from dataclasses import replace

from repo_tools.environment.javascript.chains import as_part
from repo_tools.environment.javascript.found import Found, Step
from repo_tools.environment.javascript.steps import steps_of_call, steps_of_group, steps_started_together
from repo_tools.environment.javascript.suite import Suite
from repo_tools.environment.runners.javascript_command import ScriptCommand

SUITE = Suite(ScriptCommand(("mocha",)), "mocha", "package.json scripts.test: mocha")
BUILD = Step("tsc")
TEST = Step("node test/a.js", is_spare=True)


def _called(name: str, found: Found, *, is_measured: bool = False) -> list[Step]:
    return [*steps_of_call(f"npm run {name}", name, found, Found(), is_measured=is_measured)]


def test_a_group_stands_as_it_is_written_unless_a_suite_tells_what_is_carried_out() -> None:
    group = as_part("{ tsc || node test/a.js ; }")
    found = Found(steps=(BUILD, TEST))
    assert steps_of_group(group, found) == (Step("{ tsc || node test/a.js ; }"),)
    assert steps_of_group(group, replace(found, suites=(SUITE,))) == (BUILD, TEST)


def test_what_runs_beside_the_rest_and_ends_stands_by_itself_and_a_server_does_not() -> None:
    assert steps_of_group(as_part("{ tsc & }"), Found(steps=(BUILD,))) == (BUILD,)
    server = Step("node server.js")
    assert steps_of_group(as_part("{ node server.js & }"), Found(steps=(server,))) == (Step("{ node server.js & }"),)


def test_a_script_that_only_builds_is_called_and_one_of_tests_builds_nothing() -> None:
    assert _called("build", Found(steps=(BUILD,))) == [Step("npm run build", ("tsc",))]
    assert _called("test", Found(steps=(TEST,))) == [Step("npm run test", (TEST.text,), is_test=True, is_spare=True)]
    assert _called("coverage", Found(steps=(BUILD,)), is_measured=True)[0].is_spare
    assert _called("test", Found(steps=(BUILD,), in_a_browser=True)) == []


def test_a_script_that_removes_what_is_installed_again_is_not_called() -> None:
    removal = Step("rimraf node_modules")
    assert _called("clean", Found(steps=(removal,), reinstalled=frozenset((removal.text,)))) == []
    assert _called("clean", Found(steps=(removal,))) == [Step("npm run clean", (removal.text,))]


def test_of_programs_that_are_started_together_the_tests_remain_beside_a_suite() -> None:
    found = Found(steps=(BUILD, TEST))
    assert [*steps_started_together("run-p a b", replace(found, suites=(SUITE,)))] == [TEST]
    assert [*steps_started_together("run-p a b", found)] == [Step("run-p a b", (BUILD.text, TEST.text))]
    assert [*steps_started_together("run-p a b", Found(steps=(BUILD,), in_a_browser=True))] == []
