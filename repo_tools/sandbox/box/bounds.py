"""What commands may take beside what their engine limits everywhere: process 1 looks at it now and then."""

from __future__ import annotations

import os
import time
from functools import lru_cache

from repo_tools.sandbox.box import unowned

VOLUMES = ("/workspace", "/env", "/tmp", "/var/tmp", "/box", "/dev/shm")  # noqa: S108 - the box's own
MOST_FILES = 262_144
"""Files and directories that a volume may hold; a large repository with its environment has some 100,000."""
CHECK_SECONDS = 0.25


class Bounds:
    """Volumes have sizes, but not on every engine a number of files, each of which takes kernel memory. Memory that
    belongs to no process is counted by engines with control groups alone."""

    def __init__(self) -> None:
        self._most = {volume: max(MOST_FILES, files_on(volume)) for volume in own_volumes()}
        self._unowned = unowned.Unowned()
        self.next_look = time.monotonic() + CHECK_SECONDS

    def passed(self, now: float) -> bytes:
        """What was, in words for the output; empty where nothing was, or it is not time for a look."""
        if now < self.next_look:
            return b""
        words = self._too_many_files() or self._unowned.passed()
        ended = time.monotonic()
        self.next_look = ended + max(CHECK_SECONDS, ended - now)  # 60,000 sockets take half a second
        return words

    def _too_many_files(self) -> bytes:
        if any(files_on(volume) > most for volume, most in self._most.items()):
            return b"more than %d files on one volume" % MOST_FILES
        return b""


@lru_cache
def own_volumes() -> tuple[str, ...]:
    """Those that this box has for itself and can write; that stays as it is. gVisor tells of neither by the flags, but
    counts the host's files in its root."""
    return tuple(volume for volume in VOLUMES if is_own_volume(volume))


def is_own_volume(volume: str) -> bool:
    try:
        of_root = os.stat(volume).st_dev == os.stat("/").st_dev
        return not of_root and not os.statvfs(volume).f_flag & os.ST_RDONLY
    except OSError:
        return False


def files_on(volume: str) -> int:
    """Files and directories of the whole volume."""
    state = os.statvfs(volume)
    return state.f_files - state.f_ffree
