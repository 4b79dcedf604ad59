"""A package that the CI tests as it is installed is not built: neither in set-up nor before each run."""

import json

import pytest

from tests.repo_tools.environment.javascript.trees import package, planned

SCRIPTS = {
    "build": "tsc", "lint": "eslint .", "types": "tsc --noEmit", "both": "npm run lint && npm test",
    "test": "jest", "coverage": "jest --coverage", "test:dist": "mocha dist",
}  # fmt: skip
CI = ".github/workflows/ci.yml"


def job(*commands: str, uses: str = "actions/setup-node@v4") -> str:
    steps = "".join(f"      - run: {command}\n" for command in commands)
    return f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: {uses}\n{steps}"


def shown(files: dict[str, str], **scripts: str) -> list[str]:
    manifest = package(main="dist/x.js", scripts={**SCRIPTS, **scripts}, devDependencies={"jest": "*"})
    return [command.shown() for command in planned({"package.json": manifest, **files}).tests]


@pytest.mark.parametrize(
    "commands",
    [
        ("npm ci", "npm test"),
        ("node -v && yarn --version", "yarn --frozen-lockfile", "yarn test --coverage"),
        ("corepack enable", "pnpm install", "npx eslint .", "pnpm test"),
        ("npm ci", "npm run lint", "npm run types", "npm run coverage"),
        ("npm i -fg corepack && corepack enable", "pnpm install", "pnpm jest --coverage"),
    ],
)
def test_what_is_tested_as_it_is_installed_is_not_built(commands: tuple[str, ...]) -> None:
    assert shown({CI: job(*commands)})[0].startswith("jest")


@pytest.mark.parametrize(
    "commands",
    [
        ("npm ci", "npm run build", "npm test"),
        ("npm ci", "npx tsc", "npm test"),
        ("npm ci", "node tools/make.js", "npm test"),
        ("npm ci", "make", "npm test"),
        ("npm ci", "npm run both"),
        ("npm ci", "npx jest unit"),
    ],
)
def test_what_is_built_first_or_tested_otherwise_is(commands: tuple[str, ...]) -> None:
    assert shown({CI: job(*commands)})[0].startswith("npm run build && ")


@pytest.mark.parametrize("name", ["prepare", "postinstall", "prepublish"])
def test_what_installing_may_build_is_built(name: str) -> None:
    assert shown({CI: job("npm ci", "npm test")}, **{name: "npm run build"}) == ["npm run build && jest"]
    assert shown({CI: job("npm ci", "npm test")}, **{name: "husky"}) == ["jest"]


@pytest.mark.parametrize(
    "uses", ["actions/download-artifact@v4", "actions/cache/restore@v4", "acme/setup-and-build@v1"]
)
def test_what_an_action_brings_or_builds_is_built(uses: str) -> None:
    assert shown({CI: job("npm ci", "npm test", uses=uses)}) == ["npm run build && jest"]


def test_what_another_job_has_built_is_built() -> None:
    gitlab = {".gitlab-ci.yml": "test: {script: [npm ci, npm test]}\n"}
    assert shown(gitlab) == shown({}) == ["npm run build && jest"]


def test_members_that_the_roots_suite_loads_are_built_only_where_the_ci_does() -> None:
    member = json.dumps({"name": "a", "main": "dist/a.js", "scripts": {"build": "tsc"}})
    root = package("jest", workspaces=["packages/*"], devDependencies={"jest": "*"})

    def builds(*commands: str) -> bool:
        files = {"package.json": root, "packages/a/package.json": member, CI: job("npm ci", *commands)}
        return any(command.directory == "packages/a" for command in planned(files).setup)

    assert not builds("npm test")
    assert builds("npx lerna run build", "npm test")
