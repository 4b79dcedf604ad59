"""Which script is run where the workflows test with another one than ``test``."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.repo_tools.environment.javascript.trees import plan, planned, scripts

WORKFLOW = """
on: push
jobs:
  {name}:
    runs-on: ubuntu-latest
    steps:
{steps}
"""
DATABASES = {
    "test": "mocha --config all.js",
    "test__unit": "mocha --config unit.js",
    "test__db": "mocha --config db.js",
}


def workflow(*commands: str, name: str = "build") -> str:
    return WORKFLOW.format(name=name, steps="\n".join(f"      - run: {command}" for command in commands))


def run_by(package_json: str, **workflows: str) -> list[str]:
    files = {f".github/workflows/{name}.yml": text for name, text in workflows.items()}
    environment = plan({"package.json": package_json, "test/a.js": "", **files})
    assert environment is not None
    return [" ".join(command.argv) for command in environment.tests]


def test_what_the_job_of_the_tests_runs_goes_before_a_script_that_no_workflow_runs() -> None:
    every = {"unit": workflow("npm ci", "npm run test:unit"), "integration": workflow("npm run test:db")}
    assert run_by(scripts(**DATABASES), **every) == ["mocha --config unit.js"]


@pytest.mark.parametrize("name", ["test-container", "test__docker"])
def test_a_script_that_tests_an_image_does_not_stand_for_the_tests(name: str) -> None:
    manifest = scripts(**{"test": "mocha", name: "mocha in-image"})
    assert run_by(manifest, image=workflow(f"npm run {name.replace('__', ':')}")) == ["mocha"]


@pytest.mark.parametrize("command", ["npm test", "npm t", "yarn test", "pnpm run test"])
def test_the_script_that_some_workflow_runs_stays(command: str) -> None:
    every = {"unit": workflow("npm run test:unit"), "integration": workflow(command)}
    assert run_by(scripts(**DATABASES), **every) == ["mocha --config all.js"]


def test_the_script_that_only_another_script_of_another_job_runs_does_not_stay() -> None:
    services = "jobs: {test: {services: {a: {image: postgres}}, steps: [{run: npm run cover}]}}\n"
    manifest = scripts(test="mocha all", cover="npm test -- --coverage", test__lite="DB=lite mocha all")
    lite = workflow("npm run test:lite", name="test")
    assert run_by(manifest, test=lite, tests=services) == ["env DB=lite mocha all"]


@pytest.mark.parametrize("test", ["npm run test:unit && mocha more", "npm run both", "run-s test:*"])
def test_a_script_that_runs_the_other_one_too_stays(test: str) -> None:
    manifest = scripts(test=test, both="mocha more && yarn test:unit", test__unit="mocha --config unit.js")
    assert set(run_by(manifest, unit=workflow("npm run test:unit"))) >= {"mocha --config unit.js"}
    assert run_by(manifest, unit=workflow("npm run test:unit")) == run_by(manifest)


def test_a_pattern_of_scripts_may_run_the_other_one_too() -> None:
    manifest = scripts(test="npm-run-all test:*", test__unit="mocha --config unit.js", test__more="mocha more")
    assert run_by(manifest, unit=workflow("npm run test:unit")) == ["mocha --config unit.js", "mocha more"]


def test_a_pattern_of_files_is_none_of_scripts() -> None:
    manifest = scripts(test="mocha test/*.js all/*.js", test__unit="mocha --config unit.js")
    assert run_by(manifest, unit=workflow("npm run test:unit")) == ["mocha --config unit.js"]


@pytest.mark.parametrize(
    "commands",
    [
        *(("npm run test:e2e",), ("npm run test:cov",), ("npm run test:a", "yarn test:b")),
        ("npm run test:a", "npm run test:integration"),
    ],
)
def test_tests_in_a_browser_coverage_and_several_parts_stand_for_no_whole(commands: tuple[str, ...]) -> None:
    parts = {name: f"mocha {name}" for name in ("test__e2e", "test__cov", "test__a", "test__b", "test__integration")}
    assert run_by(scripts(test="mocha all", **parts), unit=workflow(*commands)) == ["mocha all"]


JOBS = """
  more:
    runs-on: ubuntu-latest
    steps:
      - run: {command}
"""


@pytest.mark.parametrize("more", ["npm run cover:unit", "yarn test:more"])
def test_where_other_jobs_run_more_of_the_tests_none_of_them_stands_for_the_whole(more: str) -> None:
    parts = {"test__basic": "mocha basic", "test__more": "mocha more", "cover__unit": "c8 mocha unit"}
    every = workflow("npm run test:basic", name="basic") + JOBS.format(command=more)
    assert run_by(scripts(test="mocha all", **parts), ci=every) == ["mocha all"]


@pytest.mark.parametrize(("measures", "command"), [("c8 mocha unit", "mocha all"), ("c8 npm run test:a", "mocha a")])
def test_where_the_same_job_measures_more_of_the_tests_a_part_stands_for_no_whole(measures: str, command: str) -> None:
    manifest = scripts(test="mocha all", test__a="mocha a", test__cov=measures)
    assert run_by(manifest, ci=workflow("npm run test:cov", "npm run test:a")) == [command]


@pytest.mark.parametrize("more", ["npm run test:docs", "npm run test:again", "npm run test:gone"])
def test_what_other_jobs_run_besides_counts_where_it_tests_more(more: str) -> None:
    parts = {"test__unit": "npm run test:again", "test__docs": "tsc -p docs", "test__again": "mocha unit"}
    every = workflow("npm run test:unit", name="test") + JOBS.format(command=more)
    assert run_by(scripts(test="mocha all", **parts), ci=every) == ["mocha unit"]


def test_what_is_left_so_is_told() -> None:
    files = {"package.json": scripts(**DATABASES), ".github/workflows/ci.yml": workflow("npm run test:unit")}
    environment = plan({**files, "test/a.js": ""})
    assert environment is not None
    assert environment.left_out == (
        "package.json scripts.test, which no workflow runs: .github/workflows/ci.yml:7 runs test:unit",
    )


def test_nothing_is_left_where_the_workflows_script_runs_the_whole() -> None:
    manifest = scripts(test="mocha", test__ci="FULL=1 nyc npm test")
    environment = plan({"package.json": manifest, ".github/workflows/ci.yml": workflow("npm run test:ci")})
    assert environment is not None
    assert environment.left_out == ()
    assert [command.argv for command in environment.tests] == [("env", "FULL=1", "mocha")]


def test_without_a_script_of_all_tests_the_one_that_the_workflow_runs_is_taken() -> None:
    parts = {"test__core": "mocha core", "test__more": "mocha more", "test__coverage": "c8 mocha --exit core more"}
    of_ci = workflow("npm ci", "npm run test:coverage")
    environment = plan({"package.json": scripts(**parts), ".github/workflows/ci.yml": of_ci})
    assert environment is not None
    assert [command.argv for command in environment.tests] == [("mocha", "--exit", "core", "more")]
    assert environment.left_out == ()
    assert run_by(scripts(unit="mocha unit", **parts), ci=of_ci) == ["mocha unit"]
    of_others = workflow("npm run test:integration")
    assert run_by(scripts(test__integration="mocha far", **parts), ci=of_others) == ["mocha core", "mocha more"]


def test_without_a_script_the_workflows_own_command_is_run() -> None:
    manifest = '{"name": "x", "devDependencies": {"mocha": "10", "jest": "29"}}'
    of_ci = workflow("npm ci", "npx cross-env A=1 c8 mocha -r tsx 'src/*.spec.ts'", "npx eslint .")
    assert run_by(manifest, unit=of_ci) == ["env A=1 mocha -r tsx src/*.spec.ts"]
    assert run_by(manifest, unit=workflow("npx eslint .")) == ["jest"]


BUILDS = {
    "build": "tsc",
    "build__docs": "typedoc",
    "build-debug": "node-gyp rebuild --debug",
    "pretend": "true",
    "test": "mocha",
}
BUILT = "if test -e /env/built-as-in-ci; then npm run build; fi"


def test_what_the_job_of_the_tests_builds_with_is_built_before_them() -> None:
    job = workflow(
        "npm ci",
        "npm run build",
        "npm run build:docs",
        "npm run build-debug",
        "npm run pretend",
        "npm test",
        "npm run build:late",
    )
    assert run_by(scripts(**BUILDS), ci=job) == [f'sh -c {BUILT} && exec "$@" sh mocha']
    other = {"ci": workflow("npm test"), "release": workflow("npm run build", "npm run check", name="release")}
    assert run_by(scripts(**BUILDS), **other) == ["mocha"]


def test_so_is_what_travis_builds_with() -> None:
    job = "language: node_js\nscript:\n  - npm run build && npm test\n  - npm run build:late\n"
    environment = planned({"package.json": scripts(**BUILDS), "test/a.js": "", ".travis.yml": job})
    assert [command.argv for command in environment.tests] == [("sh", "-c", f'{BUILT} && exec "$@"', "sh", "mocha")]
    assert ".travis.yml:2: builds with build before the tests" in environment.evidence


def test_a_build_after_what_only_checks_is_before_the_tests_too() -> None:
    job = workflow("npm run format:check", "npm run build", "npm test")
    assert run_by(scripts(**BUILDS), ci=job) == [f'sh -c {BUILT} && exec "$@" sh mocha']


def test_a_build_that_set_up_could_not_do_is_not_asked_of_the_tests() -> None:
    files = {"package.json": scripts(**BUILDS), ".github/workflows/ci.yml": workflow("npm run build", "npm test")}
    environment = plan({**files, "test/a.js": ""})
    assert environment is not None
    last = environment.setup[-1]
    tried = "timeout 300 sh -c 'npm run build' && touch /env/built-as-in-ci"
    assert (last.argv, last.required, last.typed) == (("sh", "-c", tried), False, "npm run build")
    assert ".github/workflows/ci.yml:7: builds with build before the tests" in environment.evidence


def test_members_are_built_after_what_the_ci_builds_all_with_and_only_if_that_did_not_make_them(tmp_path: Path) -> None:
    named = json.dumps({"name": "w", "workspaces": ["p/*"], "scripts": {"build": "lerna run build", "test": "mocha"}})
    member = json.dumps({"name": "a", "main": "dist/a.js", "scripts": {"build": "tsc"}})
    files = {"package.json": named, "p/a/package.json": member, "test/a.js": ""}
    job = {".github/workflows/ci.yml": workflow("npm run build", "npm test")}
    ci, last = planned({**files, **job}).setup[-2:]
    assert (ci.typed, last.typed, last.directory) == ("npm run build", "npm run build", "p/a")
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/a.js").touch()
    assert subprocess.run(last.argv, cwd=tmp_path, env={}, check=False).returncode == 0
    alone = [command.argv[2] for command in planned(files).setup if command.directory == "p/a"]
    assert len(alone) == 1
    assert "test -e dist" not in alone[0]


@pytest.mark.parametrize("test", ["npm run build && mocha", "yarn build && mocha"])
def test_what_the_tests_build_by_themselves_is_built_once(test: str) -> None:
    manifest = scripts(build="tsc", test=test)
    assert run_by(manifest, ci=workflow("npm run build", "npm test")) == run_by(manifest)


def test_tests_of_the_members_are_built_for_by_what_they_use() -> None:
    files = {
        "package.json": scripts(build="turbo build", test="turbo test").replace("{", '{"workspaces": ["libs/*"], ', 1),
        "libs/a/package.json": scripts(test="mocha"),
        ".github/workflows/ci.yml": workflow("npm run build", "npm test"),
    }
    environment = plan(files)
    assert environment is not None
    assert [command.argv for command in environment.tests] == [("mocha",)]
    assert not any("built-as-in-ci" in word for command in environment.setup for word in command.argv)
