"""Set-up has the worker's own uv, and fetches one only where that does not run."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from repo_tools.environment.contract import UV, Environment, SetupCommand, TestCommand
from repo_tools.environment.prepare import prepare
from repo_tools.environment.python.install import MAKE_VENV_QUICKLY
from repo_tools.environment.set_up import own_uv
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine

Repository = Callable[[Mapping[str, str]], GitCheckout]
PYTHON = """#!/bin/sh
echo "python $*" >> "$LOG"
case "$*" in *pip*) mkdir -p "$UV_FOLDER" && printf '#!/bin/sh\\necho "uv $*" >> "$LOG"' > "$UV_FOLDER/uv";; esac
test ! -d "$UV_FOLDER" || chmod 755 "$UV_FOLDER"/*
"""
WORKING, FOREIGN = '#!/bin/sh\necho "uv $*" >> "$LOG"\n', "#!/no/such/interpreter\n"


@pytest.mark.parametrize(("there", "is_fetched"), [(WORKING, False), (FOREIGN, True), (None, True)])
def test_uv_is_fetched_where_there_is_none_that_runs(tmp_path: Path, there: str | None, is_fetched: bool) -> None:
    place = tmp_path / UV[1:]
    for path, text in ((tmp_path / "bin" / "python3", PYTHON), (place, there)):
        if text is not None:
            path.parent.mkdir(parents=True)
            path.write_text(text)
            path.chmod(0o755)
    script = MAKE_VENV_QUICKLY[0].argv[2].replace("/env/", f"{tmp_path}/env/")
    log = tmp_path / "log"
    variables = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "LOG": str(log), "UV_FOLDER": str(place.parent)}
    subprocess.run(["sh", "-c", script], env=variables, check=True)
    told = log.read_text()
    assert ("pip install" in told.split("python -m venv")[0]) == is_fetched
    assert "uv pip install --python" in told.splitlines()[-1]


@pytest.mark.bubblewrap
def test_the_workers_own_uv_runs_in_a_box_without_a_network(engine: BubblewrapEngine, repository: Repository) -> None:
    assert own_uv()
    plan = Environment("test", (), (SetupCommand((UV, "--version")),), (TestCommand("pytest", ("pytest",)),), ())
    prepared = prepare(engine, repository({"a": ""}), plan, allowed_hosts=(), report=lambda _: None)
    assert prepared.log.splitlines()[1].startswith("uv ")
    assert not Path(prepared.layer.reference, "scratch").exists()
