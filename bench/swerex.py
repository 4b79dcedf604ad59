"""SWE-ReX, kept in an environment of its own below `.cache`: what one command costs in its bash session.

Its local runtime, so without the web server and the container that stand before it in production: in its favour.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Self

from bench.table import PeerMissingError

PACKAGE = "swe-rex==1.4.0"
CACHE = Path(__file__).parents[1] / ".cache" / "swe-rex"
INSTALL_SECONDS = 600

_SESSION = """
import asyncio, sys, time
from swerex.runtime.abstract import BashAction, CreateBashSessionRequest
from swerex.runtime.local import LocalRuntime

async def main():
    runtime = LocalRuntime()
    await runtime.create_session(CreateBashSessionRequest())
    for line in sys.stdin:
        began = time.perf_counter()
        result = await runtime.run_in_session(BashAction(command=line.strip()))
        print(1000 * (time.perf_counter() - began), result.exit_code, flush=True)
    await runtime.close()

asyncio.run(main())
"""


class SweRexPeer:
    """One session, open from `__enter__` to `__exit__`. PeerMissingError where it cannot be had."""

    def __init__(self) -> None:
        self._python = installed()

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [str(self._python), "-c", _SESSION],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(CACHE)},
        )
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.communicate(timeout=60)

    def milliseconds(self, command: str) -> float:
        """Of one command, as it measured itself."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        words = self._process.stdout.readline().split()
        if words[1:] != ["0"]:
            raise RuntimeError(f"SWE-ReX did not run {command}: {words}")
        return float(words[0])


def installed() -> Path:
    """The interpreter that has it."""
    python = CACHE / "bin" / "python"
    mark = CACHE / PACKAGE
    if not mark.exists():
        venv.create(CACHE, clear=True, with_pip=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE]
        try:
            subprocess.run(command, check=True, timeout=INSTALL_SECONDS, stdout=sys.stderr)
        except subprocess.SubprocessError as error:
            raise PeerMissingError(f"pip could not install {PACKAGE}") from error
        mark.touch()
    return python
