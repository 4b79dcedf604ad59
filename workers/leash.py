"""Run a program that dies with the process that started it: `python leash.py PARENT_PID PROGRAM ARGUMENT...`

Standard library only, and it becomes the program, so that nothing of it stays. Asking the kernel here rather than in
`preexec_fn` keeps Python code out of the moment between fork and exec (https://docs.python.org/3/library/subprocess.html).
The kernel sends the signal when the *thread* that started the program ends: start programs from threads that stay.
"""

import ctypes
import os
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1  # https://man7.org/linux/man-pages/man2/PR_SET_PDEATHSIG.2const.html


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent dies. `parent` is the process id that it should have."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we asked
        os.kill(os.getpid(), signal.SIGKILL)


def leashed(argv: tuple[str, ...]) -> tuple[str, ...]:
    """`argv`, to be started by this process and to die with it."""
    return (sys.executable, "-I", "-S", str(Path(__file__).resolve()), str(os.getpid()), *argv)


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - no shell is wanted
