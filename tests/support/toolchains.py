"""Compilers and interpreters that a box sees of this machine: below `/usr` (`scripts/test.py` installs them)."""

from pathlib import Path

from tests.support.engine import unavailable


def need(*programs: str) -> None:
    """Skip and say so where one is not here; with CI=true fail."""
    missing = [program for program in programs if not Path("/usr/bin", program).exists()]
    if missing:
        unavailable(f"no {' and no '.join(missing)} below /usr/bin: install them with the system's packages")
