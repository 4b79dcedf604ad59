"""Workspaces that only lerna knows, installed by an npm that writes down what it is shown."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from repo_tools.sandbox.contract import ENVIRONMENT
from tests.repo_tools.environment.javascript.trees import package, planned

NPM = """#!/bin/sh
cat package.json >>"$SHOWN" && echo " $*" >>"$SHOWN"
case "$*" in *{works}*) exit 0 ;; *) exit 1 ;; esac
"""
OLD = 1_590_000_000
"""2020-05-20"""


def shown(folder: Path, works: str, lock: str = "", **more: object) -> list[tuple[dict[str, object], str]]:
    """What npm saw as the manifest and as its arguments, each time; the manifest is as before afterwards."""
    manifest = package("tape tests/*.js", **{"devDependencies": {"tape": "4"}, **more})
    member = '{"name": "b", "dependencies": {"c": "1"}}'
    files = {"package.json": manifest, "lerna.json": '{"packages": ["libs/*"]}', "tests/a.js": ""}
    files |= {"package-lock.json": lock} if lock else {}
    (folder / "npm").write_text(NPM.format(works=works))
    (folder / "npm").chmod(0o755)
    (folder / "package.json").write_text(manifest)
    os.utime(folder / "package.json", (OLD, OLD))
    (command,) = [c for c in planned(files | {"libs/b/package.json": member}).setup if "npm install" in c.argv[-1]]
    argv = [word.replace(ENVIRONMENT, str(folder)) for word in command.argv]
    variables = {"PATH": f"{folder}:{os.environ['PATH']}", "SHOWN": str(folder / "shown")}
    done = subprocess.run(argv, cwd=folder, env=variables, capture_output=True, check=False)
    lines = (folder / "shown").read_text().splitlines()
    assert (folder / "package.json").read_text() == manifest
    assert done.returncode == (0 if works in lines[-1] else 1)
    return [(json.loads(line[: line.rindex("}") + 1]), line[line.rindex("}") + 1 :]) for line in lines]


def test_members_that_only_lerna_knows_are_installed_as_those_of_a_workspace(tmp_path: Path) -> None:
    ((manifest, _),) = shown(tmp_path, "install")
    assert (manifest["workspaces"], manifest["private"]) == (["libs/*"], True)


def test_an_old_commit_of_them_gets_the_packages_of_its_day(tmp_path: Path) -> None:
    manifest, arguments = shown(tmp_path, "--before=2020-05-20")[-1]
    assert "--before=2020-05-20" in arguments
    assert manifest["workspaces"] == ["libs/*"]


def test_a_lock_file_of_the_root_locks_nothing_of_members_that_only_lerna_knows(tmp_path: Path) -> None:
    typed = {"devDependencies": {"tape": "4", "typescript": "^3.9.2"}}
    ((_, arguments),) = shown(tmp_path, "install", '{"lockfileVersion": 1}', **typed)
    assert "--before=2020-05-20" in arguments


@pytest.mark.parametrize("workspaces", [["libs/*"], {"packages": ["libs/*"]}])
def test_a_workspace_of_the_package_manager_is_left_as_it_is(tmp_path: Path, workspaces: object) -> None:
    ((manifest, _),) = shown(tmp_path, "install", workspaces=workspaces)
    assert manifest["workspaces"] == workspaces
    assert "private" not in manifest
