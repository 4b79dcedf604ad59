"""`agent-fix sandbox`, ended in its middle."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

MMDEBSTRAP = """#!/bin/sh
trap 'rmdir "$PLACE"; exit 1' TERM
until grep -q "^State:.S" /proc/$PPID/status; do sleep 0.01; done
mkdir "$PLACE" && echo here >"$PLACE.began"
while :; do sleep 0.05; done
"""
"""It begins once who started it waits for it."""
PROGRAM = """
import signal
from app.cli.sandbox import sandbox
from repo_tools.sandbox.mmdebstrap import mmdebstrap
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
sandbox()
mmdebstrap("bookworm", "-")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_made_of_packages_is_taken_away_where_the_command_is_ended(tmp_path: Path, number: int) -> None:
    """Killed, mmdebstrap leaves gigabytes with file systems mounted in them."""
    (tmp_path / "mmdebstrap").write_text(MMDEBSTRAP)
    (tmp_path / "mmdebstrap").chmod(0o755)
    os.mkfifo(tmp_path / "place.began")
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PLACE": str(tmp_path / "place")}
    with subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stderr=subprocess.PIPE) as process:
        assert (tmp_path / "place.began").read_text() == "here\n"
        process.send_signal(number)
        try:
            process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode in (143, -signal.SIGINT)
    assert not (tmp_path / "place").exists()
