"""Angular's own program, where it tests with vitest in node."""

import json
from typing import Any

import pytest

from tests.repo_tools.environment.javascript.trees import package, planned

VITEST = {"devDependencies": {"@angular/build": "21", "@angular/cli": "21", "vitest": "4"}}
BUILDER = "@angular/build:unit-test"


def found(test: str, builders: dict[str, str], **options: Any) -> list[tuple[str, str]]:
    """(runner, command line) of a workspace whose projects have their tests by these builders."""
    projects = {
        name: {"root": name, "architect": {"test": {"builder": builder, "options": options}} if builder else {}}
        for name, builder in builders.items()
    }
    specs = {f"{name}/src/a.spec.ts": "describe('a', () => { it('b', () => {}); });" for name in builders}
    files = {"package.json": package(test, **VITEST), "angular.json": json.dumps({"projects": projects}), **specs}
    return [(command.runner, command.shown()) for command in planned(files).tests]


@pytest.mark.parametrize("test", ["ng test", "npx ng test --watch=false", "ng test app --no-watch"])
def test_vitest_of_angulars_program_tells_of_each_test(test: str) -> None:
    assert found(test, {"app": BUILDER, "docs": ""}) == [("vitest", test.removeprefix("npx "))]
    assert found(test, {"app": BUILDER}, runner="vitest") == [("vitest", test.removeprefix("npx "))]


def test_what_is_checked_and_built_before_it_goes_before_it() -> None:
    assert found("eslint . && tsc -p lib && ng test lib", {"lib": BUILDER, "app": BUILDER}) == [
        ("vitest", "tsc -p lib && ng test lib")
    ]


@pytest.mark.parametrize(
    ("test", "builders", "options"),
    [
        ("ng test", {"app": BUILDER, "lib": BUILDER}, {}),
        ("ng test", {"app": "@angular-devkit/build-angular:jest"}, {}),
        ("ng test", {"app": BUILDER}, {"runner": "karma"}),
        ("ng test", {"app": BUILDER}, {"browsers": ["chromium"]}),
        ("ng test --browsers=chromium", {"app": BUILDER}, {}),
        ("ng test other", {"app": BUILDER}, {}),
    ],
)
def test_of_several_projects_and_of_other_builders_the_exit_code_is_known(
    test: str, builders: dict[str, str], options: dict[str, Any]
) -> None:
    assert [runner for runner, _ in found(test, builders, **options)] == ["exit_code"]
