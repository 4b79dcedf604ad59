"""Looking at processes, and waiting for what they do."""

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def eventually(holds: Callable[[], object], seconds: float = 60.0, what: str = "") -> None:
    """Wait until `holds()` is true; AssertionError after so long."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what or holds}"
        time.sleep(0.02)


def end(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Asked first; killed where it has not ended after so long."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def is_alive(pid: int) -> bool:
    """It runs; what has died and was not yet collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def children_of(pid: int) -> list[int]:
    """Direct children, from the kernel's list."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # a thread that ended meanwhile
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def command_of(pid: int) -> str:
    """Its program and arguments, with a NUL after each; empty for one that has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    return ""
