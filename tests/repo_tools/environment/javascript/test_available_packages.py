"""What is installed where the registry lacks a part, with an npm that knows what there is."""

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest

from repo_tools.environment.contract import NOTE

PROGRAM = (files("repo_tools.environment.box_programs") / "npm_available.py").read_text("utf-8")
NPM = """
import glob, json, sys
asked = {}
for path in ["package.json", *glob.glob("packages/*/package.json")]:
    manifest = json.load(open(path))
    asked |= {**manifest.get("dependencies", {}), **manifest.get("devDependencies", {})}
there = json.load(open("registry.json"))
open("asked", "a").write(json.dumps(asked) + "\\n")
waiting = list(asked.items())
while waiting:
    name, version = waiting.pop(0)
    if name.startswith("git+") or version.startswith("github:"):
        sys.exit(f"npm error command git --no-replace-objects ls-remote ssh://{name}@x/y.git")
    if version.startswith("https:"):
        sys.exit(f"npm error 403 403 Forbidden - GET {version}")
    if name == "broken":
        sys.exit("npm error code ECONNRESET")
    if name not in there:
        sys.exit(f"npm error 404  The requested resource '{name}@{version}' could not be found")
    if version not in ("*", there[name]["version"]):
        sys.exit(f"npm error notarget No matching version found for {name}@{version}.")
    waiting += there[name].get("needs", {}).items()
if "--dry-run" not in sys.argv:
    json.dump(asked, open("installed", "w"))
"""
REGISTRY = {
    "tape": {"version": "5"},
    "mocha": {"version": "10"},
    "@x/tool": {"version": "1", "needs": {"gone": "1"}},
    "built": {"version": "2", "needs": {"git+other": ""}},
    "typescript": {"version": "7"},
    "around": {"version": "1", "needs": {"far": "https://x.org/far.tgz"}},
}


def installed(folder: Path, manifest: Mapping[str, object]) -> tuple[dict[str, str] | None, str]:
    """What is there in the end, by name and as it was asked for, and what was printed."""
    (folder / "package.json").write_text(json.dumps(manifest))
    (folder / "registry.json").write_text(json.dumps(REGISTRY))
    (folder / "npm.py").write_text(NPM)
    command = [sys.executable, "-I", "-S", "-c", PROGRAM, sys.executable, "npm.py", "install"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    there = folder / "installed"
    assert (done.returncode == 0) == there.exists()
    return (json.loads(there.read_text()) if there.exists() else None), done.stdout


def tries(folder: Path) -> int:
    return len((folder / "asked").read_text().splitlines())


def test_all_that_is_asked_for_is_installed_at_once(tmp_path: Path) -> None:
    found, _ = installed(tmp_path, {"dependencies": {"mocha": "10"}, "devDependencies": {"tape": "5"}})
    assert (found, tries(tmp_path)) == ({"mocha": "10", "tape": "5"}, 1)


@pytest.mark.parametrize("kind", ["dependencies", "devDependencies"])
def test_of_a_release_that_is_not_there_any_other_is_taken(tmp_path: Path, kind: str) -> None:
    found, told = installed(tmp_path, {kind: {"tape": "5", "typescript": "next"}})
    assert found == {"tape": "5", "typescript": "*"}
    assert f"{NOTE}typescript@next is not in the registry: any other release is taken" in told.splitlines()


@pytest.mark.parametrize("bad", ["@x/tool", "built", "vanished"])
def test_a_development_dependency_that_cannot_be_had_is_left_out(tmp_path: Path, bad: str) -> None:
    found, told = installed(tmp_path, {"devDependencies": {"tape": "5", bad: "1", "typescript": "7", "mocha": "10"}})
    assert found == {"tape": "5", "typescript": "7", "mocha": "10"}
    assert [line for line in told.splitlines() if NOTE in line] == [
        f"{NOTE}{bad} is left out: it cannot be had, or needs what cannot"
    ]


def test_several_that_cannot_be_had_are_left_out(tmp_path: Path) -> None:
    found, _ = installed(tmp_path, {"devDependencies": {"@x/tool": "1", "tape": "5", "built": "2", "vanished": "3"}})
    assert found == {"tape": "5"}


def test_what_is_fetched_from_a_host_that_refuses_is_left_out(tmp_path: Path) -> None:
    asked = {"tape": "5", "marked-repo": "https://github.com/x/x/tarball/v1", "around": "1", "typescript": "7"}
    found, told = installed(tmp_path, {"dependencies": {"mocha": "10"}, "devDependencies": asked})
    assert found == {"mocha": "10", "tape": "5", "typescript": "7"}
    assert told.count("is left out: it cannot be had, or needs what cannot") == 2


@pytest.mark.parametrize("needed", ["vanished", "@x/tool", "built"])
def test_nothing_goes_without_what_the_package_itself_needs(tmp_path: Path, needed: str) -> None:
    found, _ = installed(tmp_path, {"dependencies": {needed: "1"}, "devDependencies": {"tape": "5"}})
    assert found is None
    assert tries(tmp_path) <= 5


@pytest.mark.parametrize("workspaces", [["packages/*"], {"packages": ["packages/a", "nowhere"]}])
def test_a_member_goes_without_what_it_has_from_elsewhere(tmp_path: Path, workspaces: object) -> None:
    member = tmp_path / "packages" / "a" / "package.json"
    member.parent.mkdir(parents=True)
    written = '{"dependencies": {"mocha": "10"}, "devDependencies": {"tape": "5", "forked": "github:me/forked#1"}}'
    member.write_text(written)
    found, told = installed(tmp_path, {"workspaces": workspaces, "devDependencies": {"built": "1", "typescript": "7"}})
    assert found == {"typescript": "7", "mocha": "10", "tape": "5"}
    assert f"{NOTE}forked, of packages/a, is left out: it is not in the registry" in told
    assert member.read_text() == written


def test_what_only_another_manager_understands_is_put_as_npm_has_it(tmp_path: Path) -> None:
    member = tmp_path / "packages" / "a" / "package.json"
    member.parent.mkdir(parents=True)
    written = '{"name": "mocha", "dependencies": {"tape": "catalog:old"}, "devDependencies": {"far": "link:../../far"}}'
    member.write_text(written)
    asked = {"mocha": "workspace:^", "typescript": "patch:typescript@npm%3A5.1#a.patch", "other": "workspace:*"}
    found, told = installed(tmp_path, {"workspaces": ["packages/*"], "devDependencies": asked})
    assert found == {"mocha": "*", "typescript": "*", "tape": "*"}
    assert f"{NOTE}other is left out: workspace:* names no member of the workspace" in told.splitlines()
    assert member.read_text() == written


def test_what_fails_for_another_reason_is_not_tried_again(tmp_path: Path) -> None:
    found, told = installed(tmp_path, {"devDependencies": {"broken": "1", "tape": "5"}})
    assert (found, tries(tmp_path)) == (None, 1)
    assert "ECONNRESET" in told
