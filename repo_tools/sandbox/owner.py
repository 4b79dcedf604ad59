"""Whose a box is: the installation, and the process that holds it. What a dead process left is found by it.

Processes are told apart by this machine's boot, their process namespace, their number and the time of their start, so
that neither a number used again nor a worker in another container or on another machine is mistaken for one of ours.
"""

import os
import secrets
from pathlib import Path

INSTALLATION_LABEL = "agent-fix.installation"
WORKER_LABEL = "agent-fix.worker"
ID_FILE = "installation"


def installation_id(data_dir: Path) -> str:
    """The name of the installation whose data stand in `data_dir`, made when it is first asked for, and anew where the
    machine went down before it was on disk: without one, what another installation left would pass for ours."""
    place = data_dir / ID_FILE
    if place.exists() and not place.read_text().strip():
        place.unlink(missing_ok=True)
    if not place.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        draft = data_dir / f".{ID_FILE}-{secrets.token_hex(8)}"
        try:
            draft.write_text(secrets.token_hex(16))
            os.link(draft, place)  # of two workers that start together, one makes it
        except FileExistsError:
            pass
        finally:
            draft.unlink(missing_ok=True)
    return place.read_text().strip()


def owner_labels(installation: str) -> dict[str, str]:
    """Of everything that this process makes on an engine."""
    return {INSTALLATION_LABEL: installation, WORKER_LABEL: this_process()}


def this_process() -> str:
    """A name that no other process has or will have."""
    return f"{_place()}:{os.getpid()}:{start_time(os.getpid())}"


def has_ended(process: str) -> bool:
    """Whether the process of that name is certainly gone. One that cannot be seen from here may well live."""
    place, _, rest = process.partition(":")
    number, _, started = rest.partition(":")
    return place == _place() and number.isdigit() and start_time(int(number)) != started


def start_time(pid: int) -> str:
    """In clock ticks since the boot (proc_pid_stat(5)); empty where there is no such process, or only its remains."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def _place() -> str:
    """This boot of this machine, and this process namespace of it."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}/{os.stat('/proc/self/ns/pid').st_ino}"
