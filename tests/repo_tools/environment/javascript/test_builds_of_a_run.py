"""The shell text that builds before the tests, run by a shell of this machine."""

import subprocess
from pathlib import Path

import pytest

from repo_tools.environment.contract import BUILT, TestCommand
from repo_tools.environment.javascript.builds import with_build
from repo_tools.environment.javascript.package_json import Package

NPM = '#!/bin/sh\necho "$@" >>{log}\nexit {code}\n'


@pytest.mark.parametrize(("code", "fails_in_set_up", "passes"), [(0, False, True), (1, True, True), (1, False, False)])
def test_a_build_is_made_once_in_a_run_whether_it_works_or_not(
    tmp_path: Path, code: int, fails_in_set_up: bool, passes: bool
) -> None:
    log, npm, mark = tmp_path / "log", tmp_path / "npm", tmp_path / "not-built"
    npm.write_text(NPM.format(log=log, code=code))
    npm.chmod(0o755)
    if fails_in_set_up:
        (mark / "+").mkdir(parents=True)
    command = with_build(TestCommand("mocha", ("true",)), (Package("", {"scripts": {"build": "tsc"}}),), {"": "build"})
    argv = [word.replace("/env/not-built", str(mark)) for word in command.argv]
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", BUILT: str(tmp_path / "built")}
    ended = [subprocess.run(argv, env=variables, check=False).returncode for _ in range(3)]
    assert (ended == [0, 0, 0]) == passes
    assert log.read_text() == "run build\n" * (1 if passes else 3)
