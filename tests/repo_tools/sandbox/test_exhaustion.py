"""What hostile code takes and what it leaves running, on every engine: nothing beyond its limits, and nothing after."""

import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import BoxSpec, ExecResult, Limits, Sandbox, SandboxEngine
from tests.support.boxes import MIB, TIGHT, sh
from tests.support.crowd import processes_with
from tests.support.engine import docker_settings
from tests.support.long import first_of
from tests.support.processes import eventually

ROOT = Path(__file__).parents[3]
WORK = BoxSpec(limits=TIGHT)

MEMORY_BOMB = """
x = []
while len(x) < 2048:  # far more than the limit, and yet this machine survives a sandbox without one
    x.append(b"x" * 1048576)
print("TOOK ALL")
"""
MANY_MEMORY_BOMBS = """
import os, time
for _ in range(16):  # each well within the limit
    if os.fork() == 0:
        x = b"x" * (48 << 20)
        time.sleep(1000)
        os._exit(0)
alive, deadline = 16, time.monotonic() + 120
while alive > 4 and time.monotonic() < deadline:  # four of them are within the limit
    if os.waitpid(-1, os.WNOHANG)[0]:
        alive -= 1
    else:
        time.sleep(0.05)
print("ALIVE", alive)
"""
FORK_BOMB = """
import os, sys, time
made = 0
try:
    while made < 5000:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError as error:
    print("REFUSED", made, error.errno)
"""
TREE_OF_FORKS = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
DISK_BOMB = """
for place in ("/workspace", "/tmp", "/var/tmp", "/dev/shm"):
    try:
        with open(place + "/bomb", "wb", buffering=0) as file:
            for _ in range(65536):
                file.write(bytes(1048576))
    except OSError as error:
        print("REFUSED", place, error.errno)
"""
INODE_BOMB = """
made = 0
try:
    while made < 1000000:
        open("/workspace/%d" % made, "w").close()
        made += 1
except OSError as error:
    print("REFUSED", made, error.errno)
"""
DESCRIPTOR_BOMB = """
import os
made = 0
try:
    while made < 100000:
        os.open("/dev/null", os.O_RDONLY)
        made += 1
except OSError as error:
    print("REFUSED", made, error.errno)
"""

SOCKETS = """
import os, signal, socket
def fill(write):
    held, taken = [], 0
    try:
        while taken < 128 << 20:
            ends = socket.socketpair(socket.AF_UNIX, {kind})
            for one in ends:
                if not {gone}:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
                one.setblocking(False)
                try:
                    while True:
                        taken += one.send(bytes({piece}))
                except BlockingIOError:
                    pass
                if {gone}:
                    break
            held += ends[{gone}:]
            if {gone}:
                ends[0].close()
    except OSError:
        pass
    os.write(write, bytes(8))
    signal.pause()
read, write = os.pipe()
for _ in range(8):
    if os.fork() == 0:
        fill(write)
for _ in range(8):
    os.read(read, 8)
"""
MESSAGES = """
import ctypes
libc, taken = ctypes.CDLL(None), 0
message = (1).to_bytes(8, "little") + bytes(8192)
while taken < 384 << 20:
    queue = libc.msgget(0, 0o1600)
    if queue < 0:
        break
    while libc.msgsnd(queue, message, 8192, 0o4000) == 0:
        taken += 8192
"""
SEGMENTS = """
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
for _ in range(1024):
    segment = libc.shmget(0, 1 << 20, 0o1600)
    place = libc.shmat(segment, None, 0)
    ctypes.memset(place, 1, 1 << 20)
    libc.shmdt(ctypes.c_void_p(place))
"""
PAGE_TABLES = """
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype, size = ctypes.c_void_p, 1 << 39
place = libc.mmap(None, ctypes.c_size_t(size), 1, 0x4022, -1, ctypes.c_long(0))  # read-only, private, for nothing
libc.madvise(ctypes.c_void_p(place), ctypes.c_size_t(size), 15)  # no huge pages
for at in range(place, place + size, 2 << 20):  # each one page of zeros that all share, and a table of its own
    ctypes.c_char.from_address(at).value
"""
STREAMS = {"kind": "socket.SOCK_STREAM", "piece": 1 << 16}
UNSEEN_MEMORY = {
    "in sockets": SOCKETS.format(**STREAMS, gone=0),
    "in sockets whose other end is gone": SOCKETS.format(**STREAMS, gone=1),
    "in datagrams": SOCKETS.format(kind="socket.SOCK_DGRAM", piece=1 << 16, gone=0),
    "in System V's messages": MESSAGES,
    "in System V's segments": SEGMENTS,
    "in page tables": PAGE_TABLES,
}
"""Memory of the kernel's that no process is seen to use."""


def attack(box: Sandbox, program: str, *, timeout_seconds: float = 60) -> ExecResult | None:
    """None where the whole box ended."""
    try:
        return box.exec(["python3", "-c", program], timeout_seconds=timeout_seconds)
    except SandboxError:
        return None


def still_works(box: Sandbox) -> bool:
    return box.exec(["echo", "here"], timeout_seconds=20).output == b"here\n"


def test_more_memory_than_allowed_is_not_to_be_had(engine: SandboxEngine) -> None:
    """S03."""
    with engine.start(WORK) as box:
        result = attack(box, MEMORY_BOMB)
    assert result is None or (result.exit_code != 0 and b"TOOK ALL" not in result.output)
    with engine.start(WORK) as box:
        assert still_works(box)


def test_memory_taken_by_many_processes_together_counts_together(engine: SandboxEngine) -> None:
    """S03."""
    with engine.start(WORK) as box:
        result = attack(box, MANY_MEMORY_BOMBS, timeout_seconds=240)
    if result is not None and result.exit_code == 0:
        assert int(result.output.split()[1]) * 48 * MIB <= TIGHT.memory_bytes


@pytest.mark.parametrize("place", first_of(UNSEEN_MEMORY, always=3))
def test_memory_that_no_process_is_seen_to_use_is_not_to_be_had_either(engine: SandboxEngine, place: str) -> None:
    """S03."""
    with engine.start(WORK) as box:
        result = attack(box, f"{UNSEEN_MEMORY[place]}\nimport time\ntime.sleep(2)\nprint('KEPT')", timeout_seconds=90)
        assert result is None or b"KEPT" not in result.output, result.output
        if result is not None:
            assert not result.timed_out
            assert still_works(box)


ORDINARY_SOCKETS = """
import socket, time
held = [socket.socketpair() for _ in range(80)]
for ours, theirs in held:
    ours.send(bytes(100_000))
    ours.close()
time.sleep(1)
print(sum(len(theirs.recv(200_000)) for ours, theirs in held))
"""


def test_what_suites_leave_in_sockets_for_a_while_is_let_be(engine: SandboxEngine) -> None:
    with engine.start(WORK) as box:
        result = attack(box, ORDINARY_SOCKETS)
    assert result is not None
    assert (result.exit_code, result.output) == (0, b"8000000\n")


def test_no_more_processes_than_allowed(engine: SandboxEngine) -> None:
    """S03."""
    with engine.start(WORK) as box:
        result = attack(box, FORK_BOMB)
        if result is not None:
            words = result.output.split()
            assert words[0] == b"REFUSED"
            assert int(words[1]) <= TIGHT.processes
            assert still_works(box)


def test_a_fork_bomb_ends_with_its_time_out_or_its_box(engine: SandboxEngine) -> None:
    """S03."""
    began = time.monotonic()
    with engine.start(WORK) as box:
        result = attack(box, f"# {(mark := secrets.token_hex(8))}\n{TREE_OF_FORKS}", timeout_seconds=2)
        assert result is None or (result.timed_out and still_works(box))
    assert time.monotonic() - began < 90
    assert processes_with(mark) == []


def test_full_volumes_are_refused_and_the_box_goes_on(engine: SandboxEngine) -> None:
    """S03."""
    with engine.start(WORK) as box:
        result = attack(box, DISK_BOMB)
        if result is not None:
            places = {line.split()[1] for line in result.output.splitlines() if line.startswith(b"REFUSED")}
            assert {b"/workspace", b"/tmp", b"/var/tmp"} <= places
            box.delete("/workspace/bomb")
            assert still_works(box)


@pytest.mark.long(short="test_a_million_files_of_a_process_that_goes_on_end_it")
def test_a_million_files_are_refused_and_the_box_goes_on(engine: SandboxEngine) -> None:
    """S03."""
    with engine.start(BoxSpec(limits=Limits(memory_bytes=1024 * MIB))) as box:
        result = attack(box, INODE_BOMB, timeout_seconds=90)
        assert result is not None
        assert result.output.startswith(b"REFUSED") or b"killed: more than 262144 files" in result.output
        assert still_works(box)


@pytest.mark.parametrize("left_alone", first_of([True, False]))
def test_a_million_files_of_a_process_that_goes_on_end_it(engine: SandboxEngine, left_alone: bool) -> None:
    """S03."""
    with engine.start(BoxSpec(limits=Limits(memory_bytes=1024 * MIB))) as box:
        process = box.open_process(["python3", "-c", INODE_BOMB])
        if left_alone:
            time.sleep(10)
        said = process.receive(timeout_seconds=90)
        assert said.startswith(b"REFUSED") or process.exit_code() == 137
        process.close()
        assert int(sh(box, "ls -f /workspace | wc -l").output) < 500_000
        assert still_works(box)


def test_a_hundred_thousand_open_files_are_refused(engine: SandboxEngine) -> None:
    """S03."""
    with engine.start(WORK) as box:
        result = attack(box, DESCRIPTOR_BOMB)
        assert result is not None
        word, made, _ = result.output.split()
        assert word == b"REFUSED"
        assert int(made) < TIGHT.open_files
        assert still_works(box)


STUBBORN = """
import os, signal, sys, time
mark = "{mark}"
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)
    time.sleep(600)
    os._exit(0)
{then}
"""


@pytest.mark.parametrize(("then", "seconds", "exit_code"), [("sys.exit(3)", 30, 3), ("time.sleep(600)", 3, 124)])
def test_processes_that_ignore_every_signal_and_hide_end_with_their_command(
    engine: SandboxEngine, then: str, seconds: float, exit_code: int
) -> None:
    """S04."""
    mark = secrets.token_hex(8)
    with engine.start(WORK) as box:
        result = box.exec(["python3", "-c", STUBBORN.format(mark=mark, then=then)], timeout_seconds=seconds)
        assert result.exit_code == exit_code
        assert processes_with(mark) == []


WORKER = """
import os, sys
from pathlib import Path
from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.engines import open_engine
accepted = os.environ.get("AGENT_FIX_ACCEPT_RUNC")
box = open_engine(sys.argv[1], Path(sys.argv[2]), runtime="runc", accepted_runc=accepted).start(BoxSpec())
box.exec(["python3", "-c", sys.argv[3]], timeout_seconds=600)
"""


def test_nothing_of_a_box_outlives_its_worker(engine: SandboxEngine, tmp_path: Path) -> None:
    """S04."""
    mark = secrets.token_hex(8)
    program = STUBBORN.format(mark=mark, then="time.sleep(600)")
    environment = {**os.environ, **(docker_settings() if engine.name == "docker" else {})}
    argv = [sys.executable, "-c", WORKER, engine.name, str(tmp_path), program]
    with subprocess.Popen(argv, cwd=ROOT, env=environment) as worker:
        try:
            eventually(lambda: len(processes_with(mark)) > 3, 90)
        finally:
            worker.kill()
    eventually(lambda: processes_with(mark) == [], 90)
    assert worker.returncode == -signal.SIGKILL
