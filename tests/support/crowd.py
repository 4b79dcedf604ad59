"""Many boxes at once, most of them at ordinary work and some hostile, and what is left of them afterwards."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import BoxSpec, ExecResult, SandboxEngine
from repo_tools.sandbox.supervisor import below
from tests.support.boxes import MIB, TIGHT, tar_of

SPEC = BoxSpec(limits=replace(TIGHT, memory_bytes=128 * MIB))
SUITE = b"""
import time, unittest
class Ordinary(unittest.TestCase):
    def test_work(self):
        until = time.process_time() + SECONDS
        while time.process_time() < until:
            sum(range(10_000))
"""
FORKS = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
MEMORY = "x = []\nwhile len(x) < 1024: x.append(b'x' * 1048576)"
OUTPUT = "import os\nfor _ in range(1024): os.write(1, b'x' * 262144)"
SURVIVOR = """
import os, signal, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(2592000)
    os._exit(0)
"""


@dataclass(frozen=True)
class Guest:
    """What one box is used for. `expected` judges how it ended; None stands for a box that was ended whole."""

    name: str
    argv: tuple[str, ...]
    expected: Callable[[ExecResult | None], bool]
    timeout_seconds: float = 120.0


def hostile(name: str, program: str, expected: Callable[[ExecResult | None], bool], seconds: float = 60.0) -> Guest:
    return Guest(name, ("python3", "-c", program), expected, seconds)


ORDINARY = Guest(
    "ordinary", ("python3", "-m", "unittest", "-q"), lambda result: result is not None and result.exit_code == 0
)
HOSTILE = (
    hostile("forks", FORKS, lambda result: result is None or result.timed_out, 2.0),
    hostile("memory", MEMORY, lambda result: result is None or result.exit_code != 0),
    hostile("output", OUTPUT, lambda result: result is not None and result.exit_code == 0),
    hostile("survivor", SURVIVOR, lambda result: result is not None and result.exit_code == 0),
)


def guests(number: int) -> list[Guest]:
    """Three ordinary ones to each hostile one."""
    return [HOSTILE[n // 4 % len(HOSTILE)] if n % 4 == 3 else ORDINARY for n in range(number)]


def entertain(
    engine: SandboxEngine, company: Iterable[Guest], *, at_once: int, mark: str, cpu_seconds: float
) -> list[str]:
    """Give each its box, so many at a time; the names of those that did not end as expected. `mark` stands in every
    command line of theirs; `cpu_seconds`: how much an ordinary suite takes."""

    def one(guest: Guest) -> bool:
        with engine.start(SPEC) as box:
            box.upload(tar_of({"test_it.py": SUITE.replace(b"SECONDS", b"%f" % cpu_seconds)}), "/workspace")
            argv = (*guest.argv[:-1], f"{guest.argv[-1]}\n# {mark}") if guest is not ORDINARY else guest.argv
            try:
                return guest.expected(box.exec(argv, timeout_seconds=guest.timeout_seconds))
            except SandboxError:
                return guest.expected(None)

    company = list(company)
    with ThreadPoolExecutor(at_once) as pool:
        as_expected = list(pool.map(one, company))
    return [guest.name for guest, good in zip(company, as_expected, strict=True) if not good]


def processes_with(mark: str) -> list[int]:
    """Processes of this machine with `mark` in their command line, in whatever namespace they run."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:  # ended meanwhile
            continue
    return found


def descendants() -> list[int]:
    """Of this process."""
    return [process.pid for process in below(os.getpid()) if process.pid != os.getpid()]


def control_groups(names: Iterable[str]) -> list[Path]:
    """Those of this machine that have one of `names` in their own, as an engine names them after containers."""
    wanted = tuple(names)
    folders = (Path(place) for place, _folders, _files in os.walk("/sys/fs/cgroup"))
    return [folder for folder in folders if any(name in folder.name for name in wanted)]
