"""A runner that a package has settings for, where its script only ends with a code."""

import pytest

from tests.repo_tools.environment.javascript.trees import commands, package, planned

JEST = {"jest": "29"}


@pytest.mark.parametrize("test", ["./scripts/test.sh", "make test", "node scripts/run.js --all"])
@pytest.mark.parametrize("file", ["jest.config.js", "jest.config.ts", "jest.config.mjs"])
def test_a_program_of_its_own_stands_aside_for_the_runner_that_has_settings(test: str, file: str) -> None:
    assert commands(package(test, devDependencies=JEST), **{file: ""}) == [("jest", "jest")]


def test_settings_in_the_manifest_and_those_of_vitest_count_too() -> None:
    in_manifest = package("./scripts/test.sh", devDependencies=JEST, jest={"testRegex": "x"})
    assert commands(in_manifest) == [("jest", "jest")]
    files = {"vitest.config.ts": ""}
    assert commands(package("./scripts/test.sh", devDependencies={"vitest": "3"}), **files) == [
        ("vitest", "vitest run")
    ]


def test_what_the_script_builds_first_is_built() -> None:
    manifest = package("rimraf dist && tsc && ./scripts/test.sh", devDependencies=JEST)
    (command,) = planned({"package.json": manifest, "jest.config.js": ""}).tests
    assert command.shown() == "rimraf dist && tsc && jest"


def test_what_is_not_run_so_is_told() -> None:
    environment = planned({"package.json": package("make test", devDependencies=JEST), "jest.config.js": ""})
    why = "of which only the exit code would be known, but for jest.config.js: jest's settings"
    assert environment.left_out == (f"package.json scripts.test, {why}",)


@pytest.mark.parametrize(
    ("installed", "file"), [({}, "jest.config.js"), (JEST, "test/jest.config.js"), (JEST, "vitest.config.js")]
)
def test_settings_elsewhere_or_of_what_is_not_installed_say_nothing(installed: dict[str, str], file: str) -> None:
    manifest = package("./scripts/test.sh", devDependencies=installed)
    assert [runner for runner, _ in commands(manifest, **{file: ""})] == ["exit_code"]


PROJECTS_OF_NX = {
    "jest.config.ts": "export default async () => ({ projects: await getJestProjectsAsync() });",
    "libs/a/project.json": '{"targets": {"test": {"executor": "@nx/jest:jest"}}}',
    "libs/a/a.spec.ts": "it('a', () => {});",
    "libs/b/project.json": '{"targets": {"test": {"executor": "@nx/jest:jest"}}}',
    "libs/b/b.spec.ts": "it('b', () => {});",
    "libs/cli/package.json": package("jest", name="cli"),
    "libs/cli/cli.spec.ts": "it('c', () => {});",
}


@pytest.mark.parametrize(
    ("script", "files", "folders"),
    [
        ("nx run-many -t test", PROJECTS_OF_NX, [""]),
        ("nx affected:test --base=master", PROJECTS_OF_NX, [""]),
        ("turbo run test", PROJECTS_OF_NX, ["libs/cli"]),  # which starts scripts, and nothing else
        ("nx run-many -t test", PROJECTS_OF_NX | {"libs/a/a.spec.ts": "", "libs/b/b.spec.ts": ""}, ["libs/cli"]),
        ("nx run-many -t test", PROJECTS_OF_NX | {"jest.config.ts": "export default {};"}, ["libs/cli"]),
    ],
)
def test_nx_tests_projects_without_scripts_by_the_settings_of_the_root(
    script: str, files: dict[str, str], folders: list[str]
) -> None:
    manifest = package(script, devDependencies=JEST, workspaces=["libs/*"])
    assert [command.directory for command in planned({"package.json": manifest, **files}).tests] == folders


def test_a_program_beside_that_runner_stays() -> None:
    found = commands(package("node test/compress.js && jest", devDependencies=JEST), **{"jest.config.js": ""})
    assert [runner for runner, _ in found] == ["jest", "exit_code"]
