"""A package that gulp 3 needs on Node 10, and lock files of before it."""

import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from repo_tools.environment.contract import SetupCommand
from repo_tools.sandbox.contract import ENVIRONMENT
from tests.repo_tools.environment.javascript.trees import package, planned

NPM = '{"lockfileVersion": 1, "dependencies": {\n    "natives": {\n      "version": "%s"\n    }}}'
YARN = '# yarn lockfile v1\n\nnatives@^1.1.0:\n  version "%s"\n'
PACKS = '#!/bin/sh\ncp "$PACKED" "$4/natives-1.1.6.tgz"\n'


def steps(name: str, text: str) -> list[SetupCommand]:
    environment = planned({"package.json": package("mocha", devDependencies={"mocha": "5", "gulp": "3"}), name: text})
    return [command for command in environment.setup if "natives@" in (command.typed or "")]


@pytest.mark.parametrize(("name", "lock"), [("package-lock.json", NPM), ("yarn.lock", YARN)])
def test_a_lock_file_of_before_gets_the_release_that_runs_on_node_10(name: str, lock: str) -> None:
    assert [len(steps(name, lock % version)) for version in ("1.0.9", "1.1.0", "1.1.5", "1.1.6")] == [1, 1, 1, 0]
    assert steps(name, (lock % "1.1.0").replace("natives", "alternatives")) == []


def test_each_copy_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    (command,) = steps("yarn.lock", YARN % "1.1.0")
    (tmp_path / "index.js").write_text("new")
    with tarfile.open(tmp_path / "packed.tgz", "w:gz") as packed:
        packed.add(tmp_path / "index.js", "package/index.js")
    copies = [tmp_path / place for place in ("node_modules/natives", "node_modules/a/node_modules/natives")]
    others = [tmp_path / "node_modules/alternatives", tmp_path / "src/natives"]
    for folder in (*copies, *others):
        folder.mkdir(parents=True)
        (folder / "index.js").write_text("old")
    (tmp_path / "npm").write_text(PACKS)
    (tmp_path / "npm").chmod(0o755)
    argv = [word.replace(ENVIRONMENT, str(tmp_path)) for word in command.argv]
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PACKED": str(tmp_path / "packed.tgz")}
    subprocess.run(argv, cwd=tmp_path, env=variables, check=True)
    assert [(folder / "index.js").read_text() for folder in (*copies, *others)] == ["new", "new", "old", "old"]
