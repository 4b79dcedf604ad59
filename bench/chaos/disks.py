"""A disk that fills up under the database: a small file system of its own, which only root may make."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DISK_BYTES = 256 * 2**20
FULL_SECONDS = 8.0
_BLOCK = bytes(2**16)


@contextmanager
def small_disk() -> Iterator[Path | None]:
    """Where it is mounted; None where this user may not mount anything."""
    with tempfile.TemporaryDirectory(prefix="chaos-disk-") as name:
        mount = ("mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "none", name)
        if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
            yield None
            return
        try:
            yield Path(name)
        finally:
            subprocess.run(("umount", "--lazy", name), check=True)


def fill(disk: Path) -> None:
    """No byte is left for a while."""
    ballast = disk / "ballast"
    try:
        _write_until_full(ballast)
        time.sleep(FULL_SECONDS)
    finally:
        ballast.unlink()


def _write_until_full(ballast: Path) -> None:
    for block in (_BLOCK, b"\0"):  # by large steps, then to the last byte
        with suppress(OSError), ballast.open("ab", buffering=0) as file:
            while file.write(block) == len(block):
                pass
