"""What node-tap makes of its settings before its first run."""

import pytest

from repo_tools.environment.contract import SetupCommand
from tests.repo_tools.environment.javascript.trees import package, planned

BUILD = 'PATH="$PWD/node_modules/.bin:$PATH" tap build'
PLUGIN = ["@tapjs/clock"]


def builds(files: dict[str, str]) -> list[SetupCommand]:
    return [command for command in planned({"test/a.js": "", **files}).setup if command.argv[-1] == BUILD]


@pytest.mark.parametrize(
    ("settings", "more"), [('plugin:\n  - "@tapjs/clock"\n', {}), ("plugin: x", {}), ("", {"tap": {"plugin": PLUGIN}})]
)
def test_plugins_of_node_tap_are_fetched_and_compiled_in_set_up(settings: str, more: dict[str, object]) -> None:
    manifest = package("tap", devDependencies={"tap": "21"}, **more)
    (command,) = builds({"package.json": manifest, **({".taprc": settings} if settings else {})})
    assert not command.required


def test_a_members_plugins_are_made_in_its_folder() -> None:
    root = package("npm test -ws", workspaces=["a"], devDependencies={"tap": "21"})
    member = package("tap", devDependencies={"tap": "21"}, tap={"plugin": PLUGIN})
    assert [c.directory for c in builds({"package.json": root, "a/package.json": member, "a/test/b.js": ""})] == ["a"]


@pytest.mark.parametrize("more", [{}, {"tap": {"timeout": 9}}, {"tap": {"plugin": []}}])
def test_without_plugins_nothing_is_compiled(more: dict[str, object]) -> None:
    assert not builds({"package.json": package("tap", devDependencies={"tap": "21"}, **more)})


def test_plugins_mean_nothing_without_node_tap() -> None:
    assert not builds({"package.json": package("mocha", devDependencies={"mocha": "9"}, tap={"plugin": PLUGIN})})


def test_the_settings_decide_what_is_installed() -> None:
    files = {"package.json": package("tap", devDependencies={"tap": "21"}), ".taprc": "plugin: x", "test/a.js": ""}
    assert ".taprc" in planned(files).manifests
