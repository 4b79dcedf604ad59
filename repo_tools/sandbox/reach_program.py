"""Try to get at the memory of a process of the same user; prints one way that works on each line. It runs in a box, as
``python3 -I -S -c TEXT PID``; see `repo_tools.sandbox.proof`."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable

PTRACE_ATTACH, PTRACE_DETACH, PTRACE_SEIZE = 16, 17, 0x4206  # linux/ptrace.h
REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOENT)
LIBC = ctypes.CDLL(None, use_errno=True)
WORD = ctypes.c_ulong


def opened(path: str, flags: int) -> None:
    os.close(os.open(path, flags))


def traced(request: int, pid: int) -> None:
    called(LIBC.ptrace(request, pid, None, None))
    LIBC.ptrace(PTRACE_DETACH, pid, None, None)


def moved(name: str, pid: int) -> None:
    """A bad address is as good as a good one: it is looked at once the kernel has allowed it."""
    here = ctypes.create_string_buffer(8)
    mine, theirs = (WORD * 2)(ctypes.addressof(here), 8), (WORD * 2)(4096, 8)
    called(getattr(LIBC, name)(pid, mine, WORD(1), theirs, WORD(1), WORD(0)))


def called(result: int) -> None:
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")


def main(pid: int) -> None:
    ways: dict[str, Callable[[], None]] = {
        f"/proc/{pid}/mem": lambda: opened(f"/proc/{pid}/mem", os.O_RDONLY),
        f"writing to /proc/{pid}/mem": lambda: opened(f"/proc/{pid}/mem", os.O_WRONLY),
        f"/proc/{pid}/task": lambda: opened(f"/proc/{pid}/task/{pid}/mem", os.O_RDONLY),
        "process_vm_readv": lambda: moved("process_vm_readv", pid),
        "process_vm_writev": lambda: moved("process_vm_writev", pid),
        "PTRACE_SEIZE": lambda: traced(PTRACE_SEIZE, pid),
        "PTRACE_ATTACH": lambda: traced(PTRACE_ATTACH, pid),
    }
    for name, attempt in ways.items():
        try:
            attempt()
        except OSError as error:
            if error.errno in REFUSALS:
                continue
        sys.stdout.write(name + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
