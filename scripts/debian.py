"""Programs that the tests need, from Debian's or Ubuntu's packages, where this is root on one of them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


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
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for argv in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *missing]):
        done = subprocess.run(["apt-get", *argv], env=environment, stdout=sys.stderr, check=False)
        if done.returncode:
            problem = f"`apt-get {' '.join(argv)}` ended with {done.returncode}"
            raise ProgramsMissingError(f"{problem}: install {' '.join(missing)} by hand")


def extract(package: str, suite: str, into: Path) -> None:
    """Unpack `package` of Debian's `suite`, signatures checked, below `into` without installing anything.

    ProgramsMissingError where that fails."""
    install_missing({"mmdebstrap": "mmdebstrap"})
    argv = ["mmdebstrap", "--quiet", "--variant=extract", f"--include={package}", suite, str(into)]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ProgramsMissingError(f"{package} of Debian {suite} could not be had: {done.stderr.strip()[-500:]}")
