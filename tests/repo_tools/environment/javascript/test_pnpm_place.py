"""Where pnpm puts what it installs, and what a rebuild leaves of it, most in a real box."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from repo_tools.environment.detect import detect
from repo_tools.environment.prepare import prepare
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import ENVIRONMENT, Limits
from repo_tools.verification.baseline import baseline
from tests.repo_tools.environment.javascript.trees import planned
from tests.support.laboratory import INDEX_HOSTS, RUN_SECONDS, ca_bundle, checkout_of, laboratory
from tests.support.long import first_of

FILES = {
    "package.json": json.dumps({"name": "root", "private": True, "packageManager": "pnpm@9.15.9"}),
    "pnpm-workspace.yaml": "packages: ['packages/*']\n",
    "packages/sum/package.json": json.dumps({"name": "sum", "version": "1.0.0"}),
    "packages/sum/index.js": "module.exports = (one, other) => one + other;\n",
    "packages/app/package.json": json.dumps(
        {
            "name": "app",
            "scripts": {"test": "uvu test"},
            "dependencies": {"sum": "workspace:*"},
            "devDependencies": {"uvu": "0.5.6"},
        }
    ),
    "packages/app/test/a.js": """
const { test } = require('uvu');
test('adds', () => require('assert').equal(require('sum')(1, 2), 3));
test.run();
""",
}
LESS_THAN_IS_INSTALLED = 1 << 19


@pytest.mark.bubblewrap
@pytest.mark.registry
@pytest.mark.timeout(600)
@pytest.mark.long(short="test_what_is_installed_is_built_and_not_made_anew")
def test_what_a_workspace_installs_may_be_more_than_a_work_tree_has_room_for(
    engine: BubblewrapEngine, tmp_path: Path
) -> None:
    checkout = checkout_of(tmp_path, FILES)
    environment = detect(checkout.tree, checkout.read)
    prepared = prepare(
        engine, checkout, environment, allowed_hosts=INDEX_HOSTS, ca_bundle=ca_bundle(),
        limits=Limits(workspace_bytes=LESS_THAN_IS_INSTALLED), report=lambda _: None,
    )  # fmt: skip
    report = baseline(engine, checkout, prepared, timeout_seconds=RUN_SECONDS)
    assert (report.problem, [(case.id, str(case.outcome)) for case in report.cases]) == (
        None,
        [("packages/app/test/a.js::adds", "passed")],
    )


NATIVE = {"name": "native", "version": "1.0.0", "scripts": {"install": "touch built", "prepare": "rm -f index.js"}}


@pytest.mark.bubblewrap
@pytest.mark.registry
@pytest.mark.timeout(600)
@pytest.mark.parametrize("release", first_of(["10.34.9", "9.15.9", "7.33.7"]))
def test_what_is_installed_is_built_and_not_made_anew(engine: BubblewrapEngine, tmp_path: Path, release: str) -> None:
    loads = "require('node:test')('loads', () => require('fs').statSync(require.resolve('native/built')));\n"
    files = {
        "package.json": json.dumps(
            {
                "name": "root",
                "packageManager": f"pnpm@{release}",
                "scripts": {"test": "node --test a.test.js"},
                "dependencies": {"native": "file:./native"},
            }
        ),
        "native/package.json": json.dumps(NATIVE),
        "native/index.js": "",
        "a.test.js": f"require('native');\n{loads}",
    }
    report = laboratory(engine, tmp_path, files).baseline
    assert (report.problem, [str(case.outcome) for case in report.cases]) == (None, ["passed"])


REBUILDS = """#!/bin/sh
echo "$@" >called
for shim in node_modules/.bin packages/app/node_modules/.bin; do echo anew >$shim/uvu; echo built >$shim/new; done
exit $CODE
"""


def rebuild(tmp_path: Path, code: int) -> int:
    (command,) = [c for c in planned(FILES).setup if c.typed == "pnpm rebuild"]
    (tmp_path / "pnpm").write_text(REBUILDS)
    (tmp_path / "pnpm").chmod(0o755)
    for shim in shims_in(tmp_path):
        shim.mkdir(parents=True)
        (shim / "uvu").write_text("installed\n")
    (tmp_path / "node_modules/.modules.yaml").touch()
    argv = [word.replace(ENVIRONMENT, str(tmp_path)) for word in command.argv]
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CODE": str(code)}
    return subprocess.run(argv, cwd=tmp_path, env=variables, check=False).returncode


def shims_in(tmp_path: Path) -> list[Path]:
    return [tmp_path / folder / "node_modules/.bin" for folder in (".", "packages/app")]


@pytest.mark.parametrize("code", [0, 3])
def test_what_starts_programs_outlives_a_rebuild(tmp_path: Path, code: int) -> None:
    assert rebuild(tmp_path, code) == code
    assert [[(shim / name).read_text() for name in ("uvu", "new")] for shim in shims_in(tmp_path)] == [
        ["installed\n", "built\n"]
    ] * 2
    assert not (tmp_path / "shims.tar").exists()


@pytest.mark.parametrize(("workspace", "start"), [(True, "-r rebuild --"), (False, "rebuild --")])
def test_only_members_of_a_workspace_are_rebuilt_each(tmp_path: Path, workspace: bool, start: str) -> None:
    """What merely has a manifest is no member: its modules would be compiled in the same place at the same time."""
    if workspace:
        (tmp_path / "pnpm-workspace.yaml").touch()
    assert rebuild(tmp_path, 0) == 0
    assert (tmp_path / "called").read_text().startswith(start)
