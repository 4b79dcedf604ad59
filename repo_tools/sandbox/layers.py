"""Prepared environments as folders: made beside, renamed into place; the first maker wins."""

import errno
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import ENVIRONMENT, Layer, Sandbox

KEY = re.compile(r"[0-9a-f]{8,128}")
MAKING = ".making-"
ABANDONED_SECONDS = 24 * 3600.0
"""A layer that is still being made after so long has no maker any more."""


class LayerFolders:
    """Layers below one folder. Nothing in them is ever opened by this process: boxes write and read them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, key: str) -> Layer | None:
        folder = self._place(key)
        return Layer(key, str(folder)) if folder.is_dir() else None

    def keep(self, key: str, fill: Callable[[Path], None]) -> Layer:
        """`fill` gets an empty folder. What it leaves there is complete, on disk, before anybody can find it."""
        place = self._place(key)
        if not place.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            making = Path(tempfile.mkdtemp(prefix=MAKING, dir=self._folder))
            try:
                fill(making)
                os.sync()
                rename_unless_there(making, place)
            finally:
                shutil.rmtree(making, ignore_errors=True)
        return Layer(key, str(place))

    def _place(self, key: str) -> Path:
        if not KEY.fullmatch(key):
            raise ValueError("a layer's key is 8 to 128 hex digits")
        return self._folder / key

    def _sweep(self) -> None:
        for left in self._folder.glob(f"{MAKING}*"):
            if time.time() - left.stat().st_mtime > ABANDONED_SECONDS:
                shutil.rmtree(left, ignore_errors=True)


def rename_unless_there(making: Path, place: Path) -> None:
    try:
        making.rename(place)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


def copy_environment(source: Sandbox, target: Sandbox, most_bytes: int) -> None:
    """`ENVIRONMENT` of one box into another's. `most_bytes` bounds the stream: files with holes are larger in it than
    on their volume."""
    with tempfile.TemporaryFile() as tar:
        source.download(ENVIRONMENT, BoundedFile(tar, most_bytes))  # type: ignore[arg-type]
        tar.seek(0)
        target.upload(tar, ENVIRONMENT)


class BoundedFile:
    """A file to write to, up to a size."""

    def __init__(self, file: BinaryIO, most_bytes: int) -> None:
        self._file = file
        self._room = most_bytes

    def write(self, data: bytes) -> int:
        self._room -= len(data)
        if self._room < 0:
            raise SandboxError("the environment is larger than its volume")
        return self._file.write(data)
