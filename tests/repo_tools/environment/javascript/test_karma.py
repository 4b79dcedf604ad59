"""Suites in a page: taken where node runs none, with what stands for a browser."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from repo_tools.environment.javascript.karma import page
from repo_tools.environment.runners.karma import PAGE
from tests.repo_tools.environment.javascript.trees import commands, package, plan, planned, scripts

KARMA: dict[str, Any] = {"devDependencies": {"karma": "6", "karma-mocha": "2", "mocha": "10"}}
ANGULAR: dict[str, Any] = {"devDependencies": {"@angular/cli": "17", "karma": "6"}}
BUILDER = "@angular-devkit/build-angular:karma"


def with_karma(**named: str) -> str:
    return json.dumps({**json.loads(scripts(**named)), **KARMA})


def shown(package_json: str, **files: str) -> list[str]:
    others = {name.replace("__", "/"): text for name, text in files.items()}
    return [command.shown() for command in planned({"package.json": package_json, **others}).tests]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({"test": "karma start"}, ["karma start"]),
        ({"test": "eslint . && karma start web/a.js --single-run"}, ["karma start web/a.js --single-run"]),
        ({"pretest": "tsc", "test": "karma start"}, ["tsc && karma start"]),
        ({"test": "run-s a b", "a": "karma start x", "b": "karma start"}, ["karma start x", "karma start"]),
        ({"test": "npx cross-env CI=1 karma start"}, ["env CI=1 karma start"]),
        ({"test": "node node_modules/karma/bin/karma start"}, ["node node_modules/karma/bin/karma start"]),
        ({"test:web": "karma start", "sauce": "karma start sauce.js"}, ["karma start"]),
        ({"dev": "karma start --no-single-run", "test-page": "karma start"}, ["karma start"]),
    ],
)  # fmt: skip
def test_what_scripts_start_karma_with_is_the_suite(named: dict[str, str], expected: list[str]) -> None:
    found = planned({"package.json": with_karma(**named)})
    assert [command.shown() for command in found.tests] == expected
    assert {command.runner for command in found.tests} == {"karma"}
    assert found.left_out == ()


def test_tests_in_node_stand_for_those_in_a_page() -> None:
    beside = planned({"package.json": package("mocha && karma start", **KARMA)})
    assert [command.shown() for command in beside.tests] == ["mocha"]
    assert beside.left_out == ("package.json scripts.test (`karma start`), which needs a browser",)


@pytest.mark.parametrize("script", ["karma start && coffee test/model.coffee", "coffee test/model.coffee"])
def test_karma_is_a_suite_beside_a_program_of_which_only_the_exit_code_is_known(script: str) -> None:
    found = planned({"package.json": with_karma(**{"test": script, "test:web": "karma start"})})
    program = "PATH=$PWD/node_modules/.bin:$PATH; coffee test/model.coffee"
    assert [(command.runner, command.shown()) for command in found.tests] == [
        ("exit_code", program),
        ("karma", "karma start"),
    ]
    assert found.left_out == ()


def test_karma_is_a_suite_beside_programs_of_members_too() -> None:
    manifest = {**json.loads(with_karma(**{"test:web": "karma start"})), "workspaces": ["a"]}
    files = {"package.json": json.dumps(manifest), "a/package.json": package("node test/load.js")}
    found = planned(files)
    assert [command.runner for command in found.tests] == ["exit_code", "karma"]
    assert found.left_out == ()


@pytest.mark.parametrize("settings", ["config/karma.js", "conf/karma.coffee"])
def test_settings_of_karma_are_known_by_their_folder_too(settings: str) -> None:
    assert shown(package(**KARMA), **{settings: "", "lib/karma.js": ""}) == [f"karma start {settings}"]


@pytest.mark.parametrize("settings", ["performance__karma.conf.js", "karma.bench.conf.js", "test__perf__karma.conf.js"])
def test_settings_by_which_karma_measures_are_no_tests(settings: str) -> None:
    assert shown(package("gulp test", **KARMA), **{settings: ""}) == ["PATH=$PWD/node_modules/.bin:$PATH; gulp test"]


@pytest.mark.parametrize("script", ["gulp unittest", "grunt", ""])
def test_karma_that_a_task_starts_is_started_with_the_settings_that_are_there(script: str) -> None:
    files = {"test__karma.conf.js": "", **dict.fromkeys(("karma.sauce.conf.js", "e2e__karma.conf.js"), "")}
    files["karma-docs.conf.js"] = ""
    assert shown(package(script, **KARMA), **files) == ["karma start test/karma.conf.js"]
    assert plan({"package.json": package(**KARMA)}) is None


def test_what_grunt_builds_before_karma_is_built_and_decides_nothing() -> None:
    tasks = "grunt.registerTask('default', ['before', 'karma:once', 'dist']);\n"
    tasks += "grunt.registerTask('before', ['eslint', 'guard', 'html2js']);\n"
    files = {"karma.conf.js": "", "Gruntfile.js": tasks}
    built = "grunt --force guard html2js || true && karma start karma.conf.js"
    assert shown(package("grunt", **KARMA), **files) == [built]
    assert shown(package("gulp", **KARMA), **files) == ["karma start karma.conf.js"]
    own = "grunt.registerTask('default', ['html2js', 'test']);\ngrunt.registerTask('test', () => {});\n"
    assert shown(package("grunt", **KARMA), **files | {"Gruntfile.js": own}) == [built.replace("guard ", "")]


def test_a_page_wants_karmas_parts_but_not_its_browsers_and_reports() -> None:
    own = {"karma": "6", "karma-mocha": "2", "karma-chrome-launcher": "3", "karma-spec-reporter": "1", "eslint": "9"}
    install = next(
        str(each.argv) for each in planned({"package.json": package("karma start", devDependencies=own)}).setup
    )
    spare = install[install.index('["') : install.index('"]')]
    assert all(name in spare for name in ("karma-chrome-launcher", "karma-spec-reporter", "eslint"))
    assert "karma-mocha" not in spare
    assert '"karma"' not in spare


def angular(**projects: Mapping[str, object]) -> str:
    told = {name: {"root": f"projects/{name}", "architect": {"test": test}} for name, test in projects.items()}
    return "// of all projects\n" + json.dumps({"projects": told})


def test_angulars_program_tests_each_project_that_has_tests_with_its_own_settings() -> None:
    files = {
        "package.json": package("ng lint && ng test --configuration=ci", **ANGULAR),
        "angular.json": angular(
            web={"builder": BUILDER, "options": {"karmaConfig": "projects/web/karma.conf.js"}},
            plain={"builder": "@angular/build:unit-test", "options": {"runner": "karma"}},
            jest={"builder": "@angular-builders/jest:run"},
            empty={"builder": BUILDER},
        ),
        **{f"projects/{name}/src/a.spec.ts": "" for name in ("web", "plain", "jest")},
    }
    told = "ng test {} --configuration=ci --karma-config={}"
    expected = [told.format("web", "projects/web/karma.conf.js"), told.format("plain", "")]
    assert [command.shown() for command in planned(files).tests] == expected
    one = {**files, "package.json": package("ng test plain --watch=false", **ANGULAR)}
    assert [command.shown() for command in planned(one).tests] == ["ng test plain --watch=false --karma-config="]


@pytest.mark.parametrize("text", ["{", "[]", '{"projects": {"a": 1}}', '{"projects": [1]}', "", "\n" * 90_000])
def test_settings_of_angulars_that_cannot_be_read_name_no_project(text: str) -> None:
    assert shown(package("ng test", **ANGULAR), **{"angular.json": text}) == ["ng test --karma-config="]


def test_what_angulars_program_tests_without_karma_is_not_karmas() -> None:
    jest = {"builder": "@angular-builders/jest:run"}
    files = {"package.json": package("ng test", **ANGULAR), "angular.json": angular(a=jest), "projects/a/a.spec.ts": ""}
    assert plan(files) is None
    assert plan({**files, "angular.json": '{"projects": {"a": {"architect": []}}}'}) is None


def test_angulars_program_before_its_release_6_is_told_in_its_own_words() -> None:
    files = {".angular-cli.json": "{}"}
    assert shown(package("ng test", **ANGULAR), **files) == ["ng test --single-run --config=karma.conf.js"]


def test_without_karma_a_page_is_not_planned() -> None:
    assert commands(package("karma start")) == []
    assert commands(package("wtr", **KARMA)) == []


PROGRAM = '#!/bin/sh\necho "$0 $*" >> {log}\n{ends}\n'


@pytest.mark.parametrize(("ends", "real"), [("exit 0", True), ("exit 1", False), (None, False)])
def test_a_browser_that_starts_is_taken_and_jsdom_installed_where_none_does(
    tmp_path: Path, ends: str | None, real: bool
) -> None:
    log, bin_folder, place = tmp_path / "log", tmp_path / "bin", tmp_path / "page"
    bin_folder.mkdir()
    for name, end in {"google-chrome-stable": ends, "npm": "exit 0"}.items():
        if end:
            (bin_folder / name).write_text(PROGRAM.format(log=log, ends=end))
            (bin_folder / name).chmod(0o755)
    text = page().argv[2].replace(PAGE, str(place)).replace("/usr/lib/chromium/chromium", "none")
    path = f"{bin_folder}:/usr/bin:/bin"
    hidden = {name: f"no-{name}" for name in ("chromium-browser", "chromium")}
    for name, other in hidden.items():
        text = text.replace(f" {name} ", f" {other} ")
    done = subprocess.run(["sh", "-c", text], env={"PATH": path}, capture_output=True, text=True, check=True)
    assert (place / "browser").is_symlink() == real
    if real:
        assert os.readlink(place / "browser") == str(bin_folder / "google-chrome-stable")
    assert ("note of set-up: the tests run in jsdom" in done.stdout) is not real
    assert ("/npm install" in log.read_text()) is not real
