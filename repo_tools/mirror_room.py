"""What the mirrors of a worker take of its disk, and which of them go."""

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

from repo_tools.errors import RepoUnavailableError
from repo_tools.mirror import lock_of, locked

IDLE_SECONDS = 86_400.0
"""Longer than a run takes, which reads the mirror without a lock."""


def make_room(mirrors: Path, room_bytes: int) -> None:
    """Remove mirrors below the folder, with all that is kept beside them, until the others take at most `room_bytes`:
    those first that were not used for longest, and none that was used within `IDLE_SECONDS` or is being fetched. Any
    number of processes may do so at once."""
    since = time.time() - IDLE_SECONDS
    taken = 0
    for _, name in sorted(_used(mirrors), reverse=True):
        taken += sum(_size(path) for path in _parts(mirrors, name))
        if taken > room_bytes:
            remove_unless_used(mirrors, name, since)


def remove_unless_used(mirrors: Path, name: str, since: float) -> None:
    """`since` in seconds since 1970. The lock stays: another process may be waiting for it."""
    lock = lock_of(mirrors / name)
    with suppress(RepoUnavailableError), locked(lock, 0):
        if _time_of_use(lock) >= since:
            return
        for path in _parts(mirrors, name):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _used(mirrors: Path) -> list[tuple[float, str]]:
    """The time of last use and the name of each mirror that is there."""
    names = {path.name.lstrip(".").partition("-")[0].partition(".")[0] for path in mirrors.glob("*")}
    return [(_time_of_use(lock_of(mirrors / name)), name) for name in names if _parts(mirrors, name)]


def _parts(mirrors: Path, name: str) -> list[Path]:
    """The mirror, what stands beside it, and what killed processes left of it."""
    return [
        path
        for pattern in (name, f"{name}.changes", f"{name}.changes.missed", f".{name}-*", f".{name}.changes-*")
        for path in mirrors.glob(pattern)
    ]


def _time_of_use(lock: Path) -> float:
    try:
        return lock.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _size(path: Path) -> int:
    """Of what is still there: another process may be removing it."""
    files = [path, *(Path(folder, name) for folder, _, names in os.walk(path) for name in names)]
    size = 0
    for file in files:
        with suppress(FileNotFoundError):
            size += file.lstat().st_size
    return size
