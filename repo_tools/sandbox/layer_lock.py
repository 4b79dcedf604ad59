"""One maker of a layer at a time, among the workers of one machine."""

import fcntl
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_POLL_SECONDS = 0.2
_FILE = "makers"
_DIGITS = 15
"""Of a key, which make the offset of its byte: 60 bits, and so no two makers of different keys wait for each other."""


@contextmanager
def one_maker(folder: Path, key: str, wait_seconds: float) -> Iterator[None]:
    """Entered when nobody else is within for `key`, and after `wait_seconds` anyhow. The kernel frees a dead maker's
    place. `folder` holds one empty file, of which each key has a byte."""
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + wait_seconds
    with (folder / _FILE).open("ab") as file:
        while not _try_byte(file, int(key[:_DIGITS], 16)) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        yield


def try_lock(file: BinaryIO) -> bool:
    """The whole of `file` is ours alone as long as it is open; False where others have it (flock(2))."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _try_byte(file: BinaryIO, offset: int) -> bool:
    """The same of one byte, which need not be there (fcntl_locking(2), open file description locks)."""
    wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, offset, 1, 0)
    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, wanted)
    except BlockingIOError:
        return False
    return True
