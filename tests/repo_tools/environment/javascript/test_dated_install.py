"""npm's order of trying, with an npm that only writes down what it is asked."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from repo_tools.environment.contract import NOTE, SetupCommand
from repo_tools.sandbox.contract import ENVIRONMENT
from tests.repo_tools.environment.javascript.trees import package, planned

MANIFEST = package("mocha", devDependencies={"mocha": "8", "eslint": "7"})
TYPES = {"typescript": "^3.9.2", "@types/node": "^14.0", "@types/a": "^1.2.3-b", "@types/b": "^2", "types": "^1.0.0"}
TYPED = package("mocha", devDependencies={"mocha": "8", "eslint": "7", **TYPES})
LOCK = '{"lockfileVersion": 1}'
OLD, YOUNG = 1_590_000_000, None
"""2020-05-20, and now."""
NPM = """#!/bin/sh
[ "$1" != view ] || {{ cat view.json; exit; }}
asked="$* eslint=$(grep -o eslint package.json | wc -l) types=$(grep -o '"~' package.json | wc -l)"
echo "$asked" >>"$ASKED"
case "$asked" in *{works}*) exit 0 ;; *) exit 1 ;; esac
"""


def install(
    folder: Path, works: str, committed: int | None, lock: str = "", manifest: str = MANIFEST
) -> tuple[int, list[str], str]:
    """(exit code, how npm was asked, what was printed) of the installing command, where npm works with these words."""
    files = {"package.json": manifest, "a.test.js": ""} | ({"package-lock.json": lock} if lock else {})
    (folder / "npm").write_text(NPM.format(works=works))
    (folder / "npm").chmod(0o755)
    for name, text in files.items():
        (folder / name).write_text(text)
        if committed:
            os.utime(folder / name, (committed, committed))
    (command,) = [c for c in planned(files).setup if "npm install" in c.argv[-1]]
    return carried_out(command, folder, manifest)


def carried_out(command: SetupCommand, folder: Path, manifest: str) -> tuple[int, list[str], str]:
    argv = [word.replace(ENVIRONMENT, str(folder)) for word in command.argv]
    variables = {"PATH": f"{folder}:{os.environ['PATH']}", "ASKED": str(folder / "asked")}
    done = subprocess.run(argv, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert json.loads((folder / "package.json").read_text()) == json.loads(manifest)
    return done.returncode, (folder / "asked").read_text().splitlines(), done.stdout


def test_that_npm_installed_what_another_manager_should_have_is_told(tmp_path: Path) -> None:
    files = {"package.json": MANIFEST, "a.test.js": "", "pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}
    (command,) = [c for c in planned(files).setup if "pnpm install" in c.argv[-1]]
    for program, works in (("pnpm", "never"), ("npm", "force")):
        (tmp_path / program).write_text(NPM.format(works=works))
        (tmp_path / program).chmod(0o755)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    code, asked, told = carried_out(command, tmp_path, MANIFEST)
    assert (code, len(asked)) == (0, 4)
    note = "pnpm could not install what is asked for: npm did, and members of a workspace may lack packages"
    assert told.strip() == NOTE + note
    (tmp_path / "pnpm").write_text(NPM.format(works="frozen-lockfile"))
    assert NOTE not in carried_out(command, tmp_path, MANIFEST)[2]


def test_todays_packages_are_tried_first(tmp_path: Path) -> None:
    code, asked, _ = install(tmp_path, "install", OLD)
    assert (code, len(asked)) == (0, 1)
    assert "--before" not in asked[0]


def test_an_old_commit_is_installed_with_the_packages_of_its_day_where_todays_fail(tmp_path: Path) -> None:
    code, asked, told = install(tmp_path, "before=2020-05-20", OLD)
    assert (code, len(asked)) == (0, 2)
    assert asked[1].endswith("eslint=0 types=0")
    assert f"{NOTE}packages as of 2020-05-20" in told.splitlines()


def test_an_old_commit_in_typescript_is_installed_with_the_packages_of_its_day_at_once(tmp_path: Path) -> None:
    code, asked, told = install(tmp_path, "install", OLD, manifest=TYPED)
    assert (code, len(asked)) == (0, 1)
    assert "--before=2020-05-20" in asked[0]
    assert f"{NOTE}packages as of 2020-05-20" in told.splitlines()


@pytest.mark.parametrize("asked", ["*", "latest", "x", "", ">=3", ">1.2 "])
def test_an_old_commit_that_leaves_a_release_open_is_installed_with_that_of_its_day(tmp_path: Path, asked: str) -> None:
    manifest = package("mocha", devDependencies={"mocha": "8", "ava": asked})
    code, tries, told = install(tmp_path, "before=2020-05-20", OLD, manifest=manifest)
    assert (code, len(tries)) == (0, 1)
    assert f"{NOTE}packages as of 2020-05-20" in told.splitlines()


@pytest.mark.parametrize(("lock", "asked"), [("", ">=3 <5"), ("", ">=3 || ^2"), (LOCK, "*")])
def test_a_release_that_something_bounds_is_todays(tmp_path: Path, lock: str, asked: str) -> None:
    manifest = package("mocha", devDependencies={"mocha": "8", "ava": asked})
    _, tries, _ = install(tmp_path, "", OLD, lock, manifest)
    assert "--before" not in tries[0]


def test_where_those_cannot_be_had_typescript_is_as_its_manifest_names_it(tmp_path: Path) -> None:
    _, asked, told = install(tmp_path, "never", OLD, manifest=TYPED)
    assert ["--before" in each for each in asked] == [True, False, False, False]
    assert [each.partition("eslint=")[2] for each in asked] == ["0 types=0", "1 types=3", "1 types=0", "0 types=0"]
    assert NOTE not in told


def test_what_was_installed_so_in_the_end_is_told(tmp_path: Path) -> None:
    code, asked, told = install(tmp_path, "before*) exit 1 ;; *no-package-lock", OLD, manifest=TYPED)
    assert (code, len(asked)) == (0, 2)
    assert told.splitlines() == [f"{NOTE}TypeScript as package.json names it, with types that it takes"]


def test_installed_declarations_that_it_does_not_take_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "view.json").write_text('{"version": "4.1.0", "typeScriptVersion": "3.9"}')
    for name, manifest in (("typescript", {"version": "3.9.7"}), ("@types/c", {"typeScriptVersion": "5.1"})):
        (tmp_path / "node_modules" / name).mkdir(parents=True)
        (tmp_path / "node_modules" / name / "package.json").write_text(json.dumps(manifest))
    code, asked, _ = install(tmp_path, "before*) exit 1 ;; *no-package-lock?eslint", OLD, manifest=TYPED)
    assert (code, len(asked)) == (0, 3)
    assert asked[-1].startswith("install ")
    assert "--no-package-lock @types/c@4.1.0" in asked[-1]


@pytest.mark.parametrize(("committed", "lock"), [(YOUNG, ""), (OLD, LOCK)])
def test_typescript_of_today_or_of_a_lock_file_is_taken_as_it_is(
    tmp_path: Path, committed: int | None, lock: str
) -> None:
    _, asked, _ = install(tmp_path, "--no-save?eslint=1", committed, lock, TYPED)
    assert not any("--before" in each for each in asked)
    assert all(each.endswith("types=0") for each in asked)


def test_what_can_be_spared_is_left_out_before_the_lock_file_is(tmp_path: Path) -> None:
    code, asked, told = install(tmp_path, "--no-save?eslint=0", OLD, LOCK)
    assert code == 0
    assert [each.split()[0] for each in asked] == ["ci", "install", "install"]
    assert [each.partition("eslint=")[2] for each in asked] == ["1 types=0", "1 types=0", "0 types=0"]
    assert "--no-package-lock" not in asked[-1]
    assert NOTE not in told


def test_where_a_lock_file_cannot_be_followed_the_packages_of_an_old_commits_day_are_next(tmp_path: Path) -> None:
    code, asked, told = install(tmp_path, "before=2020-05-20", OLD, LOCK)
    assert (code, len(asked)) == (0, 4)
    assert f"{NOTE}packages as of 2020-05-20" in told.splitlines()


def test_a_young_commit_goes_without_what_can_be_spared(tmp_path: Path) -> None:
    code, asked, _ = install(tmp_path, "force", YOUNG)
    assert (code, len(asked)) == (0, 2)
    assert "--before" not in asked[1]


@pytest.mark.parametrize(("lock", "tries"), [("", 3), (LOCK, 5)])
def test_nothing_that_works_is_a_failure(tmp_path: Path, lock: str, tries: int) -> None:
    code, asked, _ = install(tmp_path, "never", OLD, lock)
    assert (code, len(asked)) == (1, tries)
    assert sum("--before" in each for each in asked) == 1


@pytest.mark.parametrize(("works", "asked"), [("@4.10.0", 1), ("@~4.10.0", 2), ("@^4.10.0", 3), ("other", 3)])
def test_of_a_manager_that_is_not_in_the_registry_the_nearest_release_is_taken(
    tmp_path: Path, works: str, asked: int
) -> None:
    (tmp_path / "npm").write_text(NPM.format(works=works))
    (tmp_path / "npm").chmod(0o755)
    manifest = package("mocha", devDependencies={"mocha": "8"}, packageManager="yarn@4.10.0")
    (tmp_path / "package.json").write_text(manifest)
    tool = planned({"package.json": manifest, "a.test.js": ""}).setup[0]
    argv = [word.replace(ENVIRONMENT, str(tmp_path)) for word in tool.argv]
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "ASKED": str(tmp_path / "asked")}
    done = subprocess.run(argv, cwd=tmp_path, env=variables, check=False)
    assert (done.returncode == 0) == (works != "other")
    assert len((tmp_path / "asked").read_text().splitlines()) == asked
