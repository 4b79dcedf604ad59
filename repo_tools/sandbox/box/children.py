"""The processes of a box below this one, process 1: how they start, and that they end."""

from __future__ import annotations

import errno
import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

LIMITS = {
    "open_files": resource.RLIMIT_NOFILE,
    "processes": resource.RLIMIT_NPROC,
    "file_bytes": resource.RLIMIT_FSIZE,
    "core_bytes": resource.RLIMIT_CORE,
}
IGNORED_HERE = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGINT)
KILLED = 128 + signal.SIGKILL
END_SECONDS = 2.0
"""How long single processes are hunted to spare the ones to keep; after that all are killed at once."""
PAUSE_SECONDS = 0.0005


def limit(limits: dict[str, int]) -> None:
    """Bind this process and all that it starts: process 1 takes no more than a command may, and it costs no fork that
    a limit has to be set in."""
    for name, value in limits.items():
        _soft, hard = resource.getrlimit(LIMITS[name])
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(LIMITS[name], (bound, bound))


class Program(NamedTuple):
    """What to start."""

    argv: list[str]
    cwd: str
    environment: dict[str, str]


def start(program: Program, stdin: int, output: int) -> int:
    """The new process, in a session of its own with none of this process's descriptors. OSError, ValueError where it
    cannot be started.

    Not forked: a copy of the whole of Python's memory is most of what a short command would cost.
    """
    os.chdir(program.cwd)
    try:
        return os.posix_spawn(
            find_executable(program),
            program.argv,
            program.environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, stdin, 0)]
            + [(os.POSIX_SPAWN_DUP2, output, descriptor) for descriptor in (1, 2)],
            setsid=True,
            setsigdef=IGNORED_HERE,
        )
    finally:
        os.chdir("/")


def find_executable(program: Program) -> str:
    """As execvp(3) finds it, from the program's own PATH and working directory. The name where there is none."""
    name = program.argv[0]
    if "/" in name:
        return name
    found = name
    # os.get_exec_path guards itself against warnings, which takes longer than the search
    for folder in program.environment.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            if os.access(path, os.X_OK):
                return path
            found = path
    if found == name:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return found


def exit_code(status: int) -> int:
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


class Children:
    """Everything but process 1. All orphans fall to it."""

    def __init__(self) -> None:
        self._kept: set[int] = set()
        self._exit_codes: dict[int, int] = {}  # of kept processes that have ended

    def keep(self, pid: int) -> None:
        """This one and what descends from it are not ended by `end_others`."""
        self._kept.add(pid)

    def forget(self, pid: int) -> None:
        self._kept.discard(pid)
        self._exit_codes.pop(pid, None)

    def exit_code_of(self, pid: int) -> int | None:
        """Of a kept process; None while it runs."""
        return self._exit_codes.get(pid)

    def reap(self) -> list[tuple[int, int]]:
        """(pid, exit code) of every child that has ended since."""
        ended: list[tuple[int, int]] = []
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return ended
            if not pid:
                return ended
            self._note(pid, exit_code(status))
            ended.append((pid, exit_code(status)))

    def _note(self, pid: int, code: int) -> None:
        if pid in self._kept:
            self._kept.remove(pid)
            self._exit_codes[pid] = code

    def end_others(self) -> None:
        """Kill everything but what is kept; nothing of it is left afterwards."""
        self.reap()
        deadline = time.monotonic() + END_SECONDS
        while self._kept and time.monotonic() < deadline:
            others = list(strangers(self._kept))
            if not others:
                return
            for pid in others:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(PAUSE_SECONDS)
            self.reap()
        self.end_all()

    def end_all(self) -> None:
        """Kill everything at one moment, so that nothing can get away; reap until none is left."""
        if os.getpid() != 1:
            raise RuntimeError("not process 1 of a box")
        while True:
            with suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            try:
                pid, status = os.waitpid(-1, 0)
            except ChildProcessError:
                return
            self._note(pid, exit_code(status))


def strangers(kept: set[int]) -> Iterator[int]:
    """Every process that is neither kept nor below a kept one; one that ends meanwhile counts, its child may be new."""
    parents = {int(name): parent_of(name) for name in os.listdir("/proc") if name.isdigit()}
    for pid in parents:
        if pid != 1 and not descends(pid, kept, parents):
            yield pid


def descends(pid: int, kept: set[int], parents: dict[int, int]) -> bool:
    for _ in parents:
        if pid in kept:
            return True
        pid = parents.get(pid, 0)
    return False


def parent_of(pid: str) -> int:
    """From /proc/PID/stat, proc_pid_stat(5); the second field may hold anything. 0 where the process has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return int(stat.read().rpartition(b")")[2].split()[1])
    except OSError:
        return 0
