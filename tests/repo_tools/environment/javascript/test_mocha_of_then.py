"""mocha as of an old commit's day, where its options stand in a file that later releases do not read."""

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.repo_tools.environment.javascript.trees import package, plan, planned

OPTS = {"test/mocha.opts": "--ui tdd\n", "test/a.js": ""}


def step(asked: str, **files: str) -> list[tuple[str, ...]]:
    environment = plan({"package.json": package("mocha", devDependencies={"mocha": asked}), **OPTS, **files})
    assert environment is not None
    return [each.argv for each in environment.setup if "mocha of the commit's day" in each.typed]


@pytest.mark.parametrize("asked", ["*", "latest", "", ">=1.0"])
def test_where_any_release_will_do_there_is_a_step_for_it(asked: str) -> None:
    assert len(step(asked)) == 1


def test_where_a_release_is_named_or_another_file_read_there_is_none() -> None:
    assert step("^2.0.0") == step("~8") == []
    assert step("*", **{"package-lock.json": "{}"}) == step("*", **{".mocharc.yml": "ui: tdd"}) == []
    manifest = package("mocha", devDependencies={"mocha": "*"})
    assert not any("mocha" in each.typed for each in planned({"package.json": manifest, "test/a.js": ""}).setup)


@pytest.mark.parametrize(
    ("day", "installed", "release"),
    [
        *(((2014, 5, 11), "9.2.2", "1"), ((2016, 1, 1), "8.0.0", "2"), ((2018, 6, 1), "11.0.1", "5")),
        *(((2020, 2, 1), "10.0.0", "7"), ((2020, 7, 1), "10.0.0", ""), ((2014, 5, 11), "1.18.2", "")),
    ],
)
def test_it_is_the_release_of_that_day_where_a_later_one_was_installed(
    day: tuple[int, int, int], installed: str, release: str, tmp_path: Path
) -> None:
    (argv,) = step("*")
    manifest, mocha, programs = tmp_path / "package.json", tmp_path / "node_modules/mocha", tmp_path / "bin"
    mocha.mkdir(parents=True)
    programs.mkdir()
    (mocha / "package.json").write_text(json.dumps({"version": installed}))
    (programs / "npm").write_text('#!/bin/sh\nfor word; do :; done; echo "$word"\n')
    (programs / "npm").chmod(0o755)
    manifest.write_text("{}")
    seconds = datetime(*day, tzinfo=UTC).timestamp()
    os.utime(manifest, (seconds, seconds))
    path = f"{programs}:{os.environ['PATH']}"
    run = subprocess.run(argv, cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True, check=True)
    assert run.stdout.partition("\n")[0] == (f"mocha@{release}" if release else "")
