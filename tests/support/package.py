"""The source of a published package, from the package index, with a bug put in."""

import subprocess
import sys
import tarfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.tries import THREE, tried
from tests.support.engine import unavailable

PACKAGE = "inflection==0.5.1"
PUT_IN = (b"if number % 100 in (11, 12, 13):", b"if number in (11, 12, 13):")
MODULE = "inflection/__init__.py"


@cache
def package_with_a_bug() -> dict[str, bytes]:
    """path -> content. Ordinals of 111, 112 and 113 are wrong in it, and its own tests say so."""
    with TemporaryDirectory() as folder:
        files = _files(_download(Path(folder)))
    assert PUT_IN[0] in files[MODULE]
    return {**files, MODULE: files[MODULE].replace(*PUT_IN)}


def _download(folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(folder)]

    def download() -> None:
        subprocess.run([*pip, PACKAGE], capture_output=True, text=True, check=True)

    try:
        tried(download, subprocess.CalledProcessError, THREE)
    except subprocess.CalledProcessError as error:
        unavailable(f"the package index cannot be read: {error.stderr[-500:]}")
    return next(folder.glob("*.tar.gz"))


def _files(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        members = [member for member in tar.getmembers() if member.isfile()]
        return {member.name.partition("/")[2]: tar.extractfile(member).read() for member in members}  # type: ignore[union-attr]
