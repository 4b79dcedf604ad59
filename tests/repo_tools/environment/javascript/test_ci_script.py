"""Which script is run where the workflows test with another one than ``test``."""

import pytest

from tests.repo_tools.environment.javascript.trees import plan, scripts

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


@pytest.mark.parametrize("command", ["npm test", "npm t", "yarn test", "pnpm run test"])
def test_the_script_that_some_workflow_runs_stays(command: str) -> None:
    every = {"unit": workflow("npm run test:unit"), "integration": workflow(command)}
    assert run_by(scripts(**DATABASES), **every) == ["mocha --config all.js"]


@pytest.mark.parametrize("test", ["npm run test:unit && mocha more", "npm run both", "run-s test:*"])
def test_a_script_that_runs_the_other_one_too_stays(test: str) -> None:
    manifest = scripts(test=test, both="mocha more && yarn test:unit", test__unit="mocha --config unit.js")
    assert set(run_by(manifest, unit=workflow("npm run test:unit"))) >= {"mocha --config unit.js"}
    assert run_by(manifest, unit=workflow("npm run test:unit")) == run_by(manifest)


@pytest.mark.parametrize("commands", [("npm run test:e2e",), ("npm run test:cov",), ("npm run test:a", "yarn test:b")])
def test_tests_in_a_browser_coverage_and_several_parts_stand_for_no_whole(commands: tuple[str, ...]) -> None:
    parts = {name: f"mocha {name}" for name in ("test__e2e", "test__cov", "test__a", "test__b")}
    assert run_by(scripts(test="mocha all", **parts), unit=workflow(*commands)) == ["mocha all"]


def test_what_is_left_so_is_told() -> None:
    files = {"package.json": scripts(**DATABASES), ".github/workflows/ci.yml": workflow("npm run test:unit")}
    environment = plan({**files, "test/a.js": ""})
    assert environment is not None
    assert environment.left_out == (
        "package.json scripts.test, which no workflow runs: .github/workflows/ci.yml:7 runs test:unit",
    )
