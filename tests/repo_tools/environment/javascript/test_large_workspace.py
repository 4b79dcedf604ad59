"""Members of a large workspace that show or document the rest."""

import json

from repo_tools.environment.contract import Environment
from repo_tools.environment.javascript.large_workspace import MANY
from tests.repo_tools.environment.javascript.trees import package, planned

FILES = {
    "pnpm-workspace.yaml": "packages:\n  - packages/*\n  - examples/*\n  - www\n",
    "packages/shop/package.json": json.dumps({"name": "shop", "devDependencies": {"fixture": "workspace:*"}}),
    "examples/fixture/package.json": json.dumps({"name": "fixture", "dependencies": {"left-pad": "1"}}),
    "examples/minimal/package.json": json.dumps({"name": "minimal", "scripts": {"build": "next build"}}),
    "www/package.json": json.dumps({"name": "www", "dependencies": {"docusaurus": "3"}}),
}


def of(root: str, resolved: int, **more: str) -> Environment:
    lock = "lockfileVersion: '9.0'\npackages:\n" + "  a:\n    resolution: {integrity: x}\n" * resolved
    return planned({"package.json": root, "pnpm-lock.yaml": lock, **FILES, **more})


def installed(environment: Environment) -> str:
    return next(command.argv[-1] for command in environment.setup if "pnpm install --" in command.argv[-1])


def test_what_no_test_needs_is_not_installed_nor_built() -> None:
    environment = of(package("vitest", devDependencies={"eslint": "9"}), MANY)
    tries = [each for each in installed(environment).split(" || ") if "pnpm install" in each]
    assert len(tries) == 3  # as it stands, as the manifest asks, and that without what tests hardly load
    for each in tries:
        assert "--filter '!./examples/minimal' --filter '!./www'" in each
        assert "examples/fixture" not in each
    assert not any(command.directory == "examples/minimal" for command in environment.setup)
    assert any("examples/minimal, www" in line for line in environment.evidence)


def test_a_member_with_tests_that_are_run_stays() -> None:
    more = {
        "www/package.json": json.dumps({"name": "www", "scripts": {"test": "jest"}, "devDependencies": {"jest": "1"}})
    }
    text = installed(of(package(), MANY, **more))
    assert "!./examples/minimal" in text
    assert "!./www" not in text


def test_a_small_workspace_is_installed_whole() -> None:
    assert "--filter" not in installed(of(package("vitest"), MANY - 1))


def test_of_a_small_workspace_what_no_test_needs_is_not_built() -> None:
    site = json.dumps({"name": "www", "main": "dist/x.js", "scripts": {"build": "gatsby build"}})
    fixture = json.dumps({"name": "fixture", "main": "dist/x.js", "scripts": {"build": "tsc"}})
    shop = FILES["packages/shop/package.json"].replace(
        '{"name"', '{"main": "out.js", "scripts": {"build": "tsc"}, "name"'
    )
    more = {"www/package.json": site, "examples/fixture/package.json": fixture, "packages/shop/package.json": shop}
    environment = of(package("vitest"), 1, **more)
    built = [command.directory for command in environment.setup if command.typed == "npm run build"]
    assert built == ["examples/fixture", "packages/shop"]
