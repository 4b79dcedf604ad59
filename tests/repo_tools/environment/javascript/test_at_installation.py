"""What a person's installation runs at its end, of the project's own."""

import json

import pytest

from tests.repo_tools.environment.javascript.trees import planned

SETTINGS = {"pnpm": "pnpm-lock.yaml", "berry": "yarn.lock"}
LOCKS = {"pnpm": "lockfileVersion: '9.0'\n", "berry": "__metadata:\n  version: 8\n"}


def carried_out(manager: str = "npm", **scripts: str) -> list[str]:
    """Scripts of an installation that set-up runs, and the folders that it keeps packages of besides the root's."""
    manifest = json.dumps({"name": "x", "scripts": {"test": "mocha", **scripts}, "devDependencies": {"mocha": "10"}})
    locks = {SETTINGS[manager]: LOCKS[manager]} if manager in LOCKS else {}
    files = {"package.json": manifest, "cli/package.json": "{}", "website/package.json": "{}", **locks}
    environment = planned(files)
    lines = [" ".join(command.argv) for command in environment.setup if not command.required]
    found = [line.partition(" || ")[0] for line in lines if "npm run pre" in line]
    kept: list[str] = json.loads(environment.setup[-1].argv[-1])["folders"]
    assert "npm run pre" not in str(environment.tests[0])
    return [text.removeprefix("sh -c timeout 300 npm run ") for text in found] + kept[1:]


@pytest.mark.parametrize("name", ["prepublish", "prepare"])
def test_what_installs_elsewhere_is_run_once(name: str) -> None:
    assert carried_out(**{name: "cd cli && npm install && cd .. && npm run build", "build": "gulp"}) == [name, "cli"]


def test_what_works_on_installed_packages_is_run_once() -> None:
    assert carried_out(prepare="husky && patch-package") == ["prepare"]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "husky install",
            "git config core.hooksPath .githooks",
            "npm test",
            "npm run build",
            "not-in-publish || rollup",
        ),
        *("npm install --prefix website", "cd website && npm install", "lefthook install", "npm install"),
    ],
)
def test_what_is_for_those_who_commit_or_publish_is_not_run(text: str) -> None:
    assert carried_out(prepare=text, build="rollup -c") == []


@pytest.mark.parametrize(
    ("manager", "name", "runs"), [("pnpm", "prepare", 1), ("pnpm", "prepublish", 0), ("berry", "prepare", 0)]
)
def test_each_manager_runs_its_own(manager: str, name: str, runs: int) -> None:
    assert carried_out(manager, **{name: "patch-package"}) == [name][:runs]


def test_what_is_built_anyway_is_not_run_twice() -> None:
    manifest = {"main": "lib", "scripts": {"test": "mocha", "prepare": "ts-patch install && tsc"}}
    files = {"package.json": json.dumps({**manifest, "devDependencies": {"mocha": "10"}})}
    lines = [" ".join(command.argv) for command in planned(files).setup]
    assert sum(line.count("npm run prepare ||") for line in lines) == 1
    assert not any("npm run  " in line for line in lines)
