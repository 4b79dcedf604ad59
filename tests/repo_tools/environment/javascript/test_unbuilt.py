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
        ("npm ci", "npm run build || true", "npm test"),
        ("npm ci", "[ -d dist ] || npm run build", "npm test"),
        ("npm ci", "if [ -f x ]; then npm run build; fi", "npm test"),
        ("npm ci", "|\n          for p in a b; do\n            yarn --cwd $p build\n          done", "npm test"),
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


@pytest.mark.parametrize("key", ["${{ runner.os }}-${{ github.sha }}", "v1-{{ .Revision }}"])
def test_what_a_cache_of_the_same_commit_has_is_built(key: str) -> None:
    uses = "actions/cache@v4\n        with:\n          key: "
    assert shown({CI: job("npm ci", "npm test", uses=uses + key)}) == ["npm run build && jest"]
    assert shown({CI: job("npm ci", "npm test", uses=uses + "${{ hashFiles('package-lock.json') }}")}) == ["jest"]


def test_what_an_action_of_the_repository_brings_is_built() -> None:
    action = "runs:\n  using: composite\n  steps:\n    - uses: actions/download-artifact@v4\n"
    files = {CI: job("npm ci", "npm test", uses="./.github/actions/start"), ".github/actions/start/action.yml": action}
    assert shown(files) == ["npm run build && jest"]


def test_what_stands_beside_the_installing_of_a_makefile_may_build() -> None:
    files = {CI: job("make deps", "npm test"), "Makefile": "deps:\n\tnpm ci\n\tnpx tsc\n"}
    assert shown(files) == ["npm run build && jest"]


def test_what_a_script_of_the_ci_does_before_it_is_built() -> None:
    files = {CI: job("npm ci", "npm run coverage")}
    assert shown(files, precoverage="npm run build")[0].startswith("npm run build && ")
    assert shown(files, precoverage="npm run lint")[0].startswith("jest")


def test_what_another_job_has_built_is_built() -> None:
    assert shown({}) == ["npm run build && jest"]


def test_members_that_the_roots_suite_loads_are_built_only_where_the_ci_does() -> None:
    member = json.dumps({"name": "a", "main": "dist/a.js", "scripts": {"build": "tsc"}})
    root = package("jest", workspaces=["packages/*"], devDependencies={"jest": "*"})

    def builds(*commands: str) -> bool:
        files = {"package.json": root, "packages/a/package.json": member, CI: job("npm ci", *commands)}
        return any(command.directory == "packages/a" for command in planned(files).setup)

    assert not builds("npm test")
    assert builds("npx lerna run build", "npm test")


@pytest.mark.parametrize("word", ["download", "uses:", "key: ", "then ", "build "])
def test_a_workflow_that_repeats_itself_is_soon_read(word: str) -> None:
    """Without the bounds, most of a minute each."""
    assert shown({CI: job("npm ci", "npm test") + f"# {word * 20_000}\n"}) == ["jest"]
