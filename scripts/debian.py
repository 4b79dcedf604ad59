"""Programs that the tests need, from Debian's or Ubuntu's packages, where this is root on one of them."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from repo_tools.sandbox.mmdebstrap import mmdebstrap
from scripts.tries import FIVE, tried

LOCK = "DPkg::Lock::Timeout=300"
"""Seconds to wait for another program that installs, such as a fresh machine's own updates."""


class ProgramsMissingError(Exception):
    """Programs are missing and cannot be installed from here; the text says why and what would help."""


def install_missing(programs: Mapping[str, str]) -> None:
    """`programs`: program -> its package. Installs the packages of those that are not here."""
    missing = [package for program, package in programs.items() if shutil.which(program) is None]
    if not missing:
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise ProgramsMissingError(f"only root on Debian or Ubuntu can install {' '.join(missing)} from here")
    print(f"installing {' '.join(missing)}", file=sys.stderr, flush=True)
    tried(lambda: _install(missing), ProgramsMissingError, FIVE)


def _install(packages: Sequence[str]) -> None:
    """The lists are read again each time: what they name may be gone from the mirror."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["install", "-y", "-qq", "-o", LOCK, "--no-install-recommends", *packages]
    for argv in (["update", "-qq"], install):
        done = subprocess.run(["apt-get", *argv], env=environment, stdout=sys.stderr, check=False)
        if done.returncode:
            problem = f"`apt-get {' '.join(argv)}` ended with {done.returncode}"
            raise ProgramsMissingError(f"{problem}: install {' '.join(packages)} by hand")


def extract(package: str, suite: str, into: Path) -> None:
    """Unpack `package` of Debian's `suite`, signatures checked, below `into` without installing anything.

    ProgramsMissingError where that fails."""
    install_missing({"mmdebstrap": "mmdebstrap"})
    tried(lambda: _extract(package, suite, into), ProgramsMissingError, FIVE)


def _extract(package: str, suite: str, into: Path) -> None:
    """First into an empty folder, whatever an earlier try has left of its own."""
    with tempfile.TemporaryDirectory(dir=into.parent) as name:
        fresh = Path(name, "root")
        try:
            mmdebstrap("--quiet", "--variant=extract", f"--include={package}", suite, str(fresh))
        except subprocess.CalledProcessError as error:
            said = error.stderr.strip()[-500:]
            raise ProgramsMissingError(f"{package} of Debian {suite} could not be had: {said}") from error
        fresh.rename(into)
