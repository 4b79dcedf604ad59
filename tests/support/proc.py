"""What /proc says of a process (proc(5))."""

import os
from pathlib import Path

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGESIZE")


def memory_bytes(pid: int) -> int:
    """Resident memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES


def peak_memory_bytes() -> int:
    """The most resident memory of this process since its program was started. `getrusage` would tell the parent's
    where that is more: the kernel counts what a process was before its exec (getrusage(2), ru_maxrss)."""
    lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


def cpu_seconds(pid: int) -> float:
    """Processor time of all its threads, in user and kernel; as fine as the kernel's tick, 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND
