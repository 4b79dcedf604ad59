"""Limits of a box where no cgroup keeps them: its processes are added up from outside, ten times a second.

Memory here is what processes use; volumes have sizes of their own. Process numbers are limited by RLIMIT_NPROC first;
this is the net below it for kernels that count a user's processes in all boxes together (before Linux 5.14).
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import Limits

INTERVAL_SECONDS = 0.1
KILLS_BEFORE_END = 20
"""A box that is over its memory again and again, whichever of its processes is killed, is ended."""
STARTING_PROCESSES = 8
"""What belongs to the box but is none of its processes: the programs that made it."""


@dataclass(frozen=True)
class Process:
    pid: int
    levels: int
    """In how many process namespaces, from this one down, it has a number."""
    number: int
    """Its number in the innermost."""
    threads: int
    page_table_bytes: int
    resident_bytes: int
    """With its page tables, without file pages; shared memory counts in each process that shares it."""


class Supervisor:
    """Watches everything below process `root` until that ends. `reason` says why the box was ended, if it was."""

    def __init__(self, root: int, limits: Limits) -> None:
        """SandboxError where the kernel does not tell what is below a process (CONFIG_PROC_CHILDREN)."""
        if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
            raise SandboxError("this kernel has no /proc/PID/task/TID/children, by which the box's limits are kept")
        self._root = root
        self._limits = limits
        self._kills = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name=f"supervisor-{root}", daemon=True)
        self.reason = ""

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def end_box(self) -> None:
        """Kill everything, the box's process 1 with it."""
        for process in list(below(self._root)):  # all are found before the first one's children lose their parent
            kill(process.pid)

    def _watch(self) -> None:
        while not self._stopped.wait(INTERVAL_SECONDS) and not self.reason:
            self._check(list(below(self._root)))

    def _check(self, processes: list[Process]) -> None:
        if sum(process.threads for process in processes) > 2 * self._limits.processes + STARTING_PROCESSES:
            self._end(f"more than {self._limits.processes} processes")
        elif sum(process.resident_bytes for process in processes) > self._limits.memory_bytes:
            self._check_exactly(processes)

    def _check_exactly(self, processes: list[Process]) -> None:
        """What processes share counts once. The largest one goes, as the kernel's own out-of-memory killer does."""
        sizes = {process: proportional_bytes(process) for process in processes}
        if sum(sizes.values()) <= self._limits.memory_bytes:
            return
        commands = [process for process in processes if process.number != 1 and process.levels > 1]
        self._kills += 1
        if not commands or self._kills > KILLS_BEFORE_END:
            self._end(f"out of memory: its processes passed {self._limits.memory_bytes >> 20} MiB")
        else:
            kill(max(commands, key=lambda process: sizes[process]).pid)

    def _end(self, reason: str) -> None:
        self.reason = reason
        self.end_box()


def below(root: int) -> Iterator[Process]:
    """`root` and all its descendants; those that end meanwhile are left out. Orphans of a box fall to its process 1."""
    pending = [root]
    while pending:
        pid = pending.pop()
        with suppress(OSError, KeyError):
            yield read_process(pid)
            pending += children(pid)


def children(pid: int, proc: Path = Path("/proc")) -> list[int]:
    """Of all its threads but those that end meanwhile: their children are another's then."""
    found: list[int] = []
    for task in (proc / str(pid) / "task").iterdir():
        with suppress(OSError):
            found += map(int, (task / "children").read_text().split())
    return found


def read_process(pid: int) -> Process:
    """From /proc/PID/status, proc_pid_status(5). KeyError for one that has ended."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines()
    fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    numbers = fields["NSpid"].split()
    page_tables = kibibytes(fields["VmPTE"])
    return Process(
        pid,
        levels=len(numbers),
        number=int(numbers[-1]),
        threads=int(fields["Threads"]),
        page_table_bytes=page_tables,
        resident_bytes=page_tables + kibibytes(fields["RssAnon"]) + kibibytes(fields["RssShmem"]),
    )


def kibibytes(field: str) -> int:
    return int(field.split(maxsplit=1)[0]) << 10


def proportional_bytes(process: Process) -> int:
    """Page tables, and anonymous and shared memory divided by the number of processes that share it; 0 for one that has
    ended."""
    try:
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text("ascii").splitlines()[1:]
    except OSError:
        return 0
    fields = dict(line.split(":", 1) for line in lines)
    return process.page_table_bytes + kibibytes(fields["Pss_Anon"]) + kibibytes(fields["Pss_Shmem"])


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
