"""One maker of a layer at a time, among the workers of one machine."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_POLL_SECONDS = 0.2


@contextmanager
def one_maker(folder: Path, key: str, wait_seconds: float) -> Iterator[None]:
    """Entered when nobody else is within for `key`, and after `wait_seconds` anyhow. The kernel frees a dead maker's
    place. `folder` holds at most 256 empty files: keys that begin alike share one."""
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + wait_seconds
    with (folder / key[:2]).open("ab") as file:
        while not try_lock(file) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        yield


def try_lock(file: BinaryIO) -> bool:
    """The whole of `file` is ours alone as long as it is open; False where others have it (flock(2))."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
