"""What tests of boxes share."""

import io
import tarfile
from dataclasses import replace
from typing import Any

from repo_tools.sandbox.contract import ExecResult, Limits, Sandbox

MIB = 1 << 20
LIMITS = Limits(
    memory_bytes=512 * MIB,
    processors=2.0,
    processes=100,
    open_files=256,
    workspace_bytes=32 * MIB,
    environment_bytes=64 * MIB,
    temporary_bytes=16 * MIB,
    home_bytes=12 * MIB,
)
TIGHT = replace(LIMITS, memory_bytes=192 * MIB, processors=1.0, processes=48, environment_bytes=32 * MIB)
"""For attacks, which take all there is."""


def sh(box: Sandbox, script: str, timeout_seconds: float = 120.0, **arguments: Any) -> ExecResult:
    return box.exec(["sh", "-c", script], timeout_seconds=timeout_seconds, **arguments)


def python(box: Sandbox, program: str, timeout_seconds: float = 120.0) -> ExecResult:
    return box.exec(["python3", "-c", program], timeout_seconds=timeout_seconds)


def process_count(box: Sandbox) -> int:
    """Two where nothing is left over: process 1 and the shell that looks."""
    return len(sh(box, "echo /proc/[0-9]*").output.split())


def box_peak_bytes(box: Sandbox) -> int:
    """The most memory that process 1 has had; what it has now, where the kernel (gVisor) does not tell."""
    lines = sh(box, "grep -E '^Vm(HWM|RSS):' /proc/1/status").output.splitlines()
    return max(int(line.split()[1]) for line in lines) * 1024


def tar_of(files: dict[str, bytes], **fields: object) -> io.BytesIO:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for field, value in fields.items():
                setattr(member, field, value)
            archive.addfile(member, io.BytesIO(content))
    stream.seek(0)
    return stream
