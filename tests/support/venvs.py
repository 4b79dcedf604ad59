"""Virtual environments without pip: one is made, the others are copies of it."""

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory


def bare_venv(place: Path) -> Path:
    """A new one at `place`, as `python -m venv --without-pip` makes it; its site-packages."""
    shutil.copytree(_made().name, place, symlinks=True)
    (library,) = (place / "lib").glob("python3*/site-packages")
    return library


@cache
def _made() -> TemporaryDirectory[str]:
    """It goes with this process."""
    folder: TemporaryDirectory[str] = TemporaryDirectory()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder.name], check=True)
    return folder
