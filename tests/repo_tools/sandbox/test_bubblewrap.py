"""What is true of bubblewrap boxes alone: their root, their user, their limits without cgroups, their end."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from repo_tools.errors import SandboxError, SandboxUnavailableError
from repo_tools.sandbox.box_root import ETC_FILES, FOLDERS, host_files, own_interpreter
from repo_tools.sandbox.bubblewrap import MOUNTS_MOVED, BubblewrapEngine, launch, unless_mounts_moved
from repo_tools.sandbox.bwrap_program import find_bwrap, version_key
from repo_tools.sandbox.contract import HOME, BoxSpec
from repo_tools.sandbox.layer_folders import LayerFolders, copy_environment
from repo_tools.sandbox.layer_lock import try_lock
from repo_tools.sandbox.session import BoxSession
from repo_tools.sandbox.supervisor import below
from tests.support.boxes import LIMITS, MIB, python, sh

pytestmark = pytest.mark.bubblewrap

SPEC = BoxSpec(limits=LIMITS)


def test_the_root_holds_the_system_and_nothing_of_anybody(bubblewrap: BubblewrapEngine) -> None:
    """S01."""
    with bubblewrap.start(SPEC) as box:
        top = set(sh(box, "ls -A /").output.decode().split())
        empty = {folder.split("/")[1] for folder in FOLDERS}
        assert top <= {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "dev", "proc", "tmp",
                       "workspace", "env", HOME.lstrip("/"), *empty}  # fmt: skip
        assert sh(box, f"find {' '.join(FOLDERS)} /var ! -type d").output == b""
        assert sh(box, f"ls -A {HOME}").output == b".gitconfig\n"
        etc = set(sh(box, "ls -A /etc").output.decode().split())
        assert etc <= set(ETC_FILES) | {path.split("/")[2] for path in host_files()}
        assert etc.isdisjoint({"shadow", "gshadow", "sudoers", "ssh", "machine-id", "environment", "gitconfig"})
        assert sh(box, "cat /etc/resolv.conf; ls /etc/ssl/private").output.count(b"\n") <= 1
        assert sh(box, "hostname; id -un").output.split() == [b"box", b"box"]


def test_the_hosts_names_of_protocols_and_services_are_known(bubblewrap: BubblewrapEngine) -> None:
    program = "import socket; print(socket.getprotobyname('tcp'), socket.getservbyname('https'))"
    known = all(Path("/etc", name).exists() for name in ("protocols", "services"))
    with bubblewrap.start(SPEC) as box:
        result = python(box, program)
    assert (result.exit_code == 0) is known, result.output


def test_a_host_that_nobody_knows_does_not_exist(bubblewrap: BubblewrapEngine) -> None:
    """Suites expect that answer, and not that one may be had later."""
    program = """
import socket
for name in ("localhost", "nowhere.example.org"):
    try:
        print(bool(socket.getaddrinfo(name, 80)))
    except socket.gaierror as error:
        print(error.errno == socket.EAI_NONAME)
"""
    with bubblewrap.start(SPEC) as box:
        assert python(box, program).output.split() == [b"True", b"True"]


def test_devices_are_the_harmless_ones(bubblewrap: BubblewrapEngine) -> None:
    with bubblewrap.start(SPEC) as box:
        devices = sh(box, "find /dev -type b -o -type c | sort").output.decode().split()
        assert set(devices) <= {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty",
                                                            "console", "pts/ptmx")}  # fmt: skip


def test_no_further_namespaces_can_be_made(bubblewrap: BubblewrapEngine) -> None:
    """A user namespace gives capabilities over the kernel's less tested parts."""
    program = (
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "for flag in (0x10000000, 0x00020000, 0x40000000, 0x20000000):\n"
        "  print(libc.unshare(flag), os.strerror(ctypes.get_errno()))"
    )
    with bubblewrap.start(SPEC) as box:
        assert [line.split()[0] for line in python(box, program).output.splitlines()] == [b"-1"] * 4


def test_a_boxs_user_outside_is_nobody_else(bubblewrap: BubblewrapEngine) -> None:
    before = {process.pid for process in below(os.getpid())}
    with bubblewrap.start(SPEC) as box:
        assert sh(box, "id -u; id -g; id -G").output.split() == [b"1000"] * 3
        (first,) = [p.pid for p in below(os.getpid()) if p.pid not in before and p.number == 1 and p.levels > 1]
        outside = read_user(first)
    expected = range(60600, 61100) if os.geteuid() == 0 else [os.geteuid()]
    assert outside in expected


def test_boxes_of_root_are_users_that_nobody_else_is_while_they_live(tmp_path: Path) -> None:
    engine = BubblewrapEngine(tmp_path)
    with engine.start(SPEC), engine.start(SPEC):
        held = {int(path.name) for path in (tmp_path / "bubblewrap" / "users").glob("*") if is_locked(path)}
    assert len(held) == (2 if os.geteuid() == 0 else 0)
    assert not [number for number in held if is_locked(tmp_path / "bubblewrap" / "users" / str(number))]


def is_locked(path: Path) -> bool:
    with path.open("rb") as file:
        return not try_lock(file)


def read_user(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("Uid:")[2].split()[0])


def test_an_interpreter_that_stands_elsewhere_is_shown_too(tmp_path: Path) -> None:
    engine = BubblewrapEngine(tmp_path, interpreter=own_interpreter())
    with engine.start(SPEC) as box:
        result = python(box, "import ssl, sqlite3, sys, venv; print(sys.prefix, sys.version_info[:3])")
        assert result.output.decode().strip() == f"{sys.base_prefix} {sys.version_info[:3]}"


def test_a_box_that_stays_over_its_memory_is_ended_and_says_so(bubblewrap: BubblewrapEngine) -> None:
    spec = BoxSpec(limits=replace(LIMITS, memory_bytes=64 * MIB))
    box = bubblewrap.start(spec)
    with pytest.raises(SandboxError, match="out of memory: its processes passed 64 MiB"):
        sh(box, "while :; do python3 -c \"x = b'x' * 200_000_000; input()\" < /dev/zero; done", timeout_seconds=200)
    with pytest.raises(SandboxError, match="closed"):
        sh(box, "true")


def test_where_a_machine_has_no_memory_left_its_kernel_takes_a_box_before_a_worker(
    bubblewrap: BubblewrapEngine,
) -> None:
    """S03. Much of what a box takes from the kernel is none of its processes' own, by which they are chosen."""
    with bubblewrap.start(SPEC) as box:
        assert sh(box, "cat /proc/self/oom_score_adj").output == b"1000\n"


def test_memory_that_processes_share_counts_once(bubblewrap: BubblewrapEngine) -> None:
    program = (
        "import os, time\nbig = b'x' * 150_000_000\n"
        "for _ in range(8):\n  if os.fork() == 0: time.sleep(1); os._exit(0)\n"
        "for _ in range(8): os.wait()"
    )
    spec = BoxSpec(limits=replace(LIMITS, memory_bytes=256 * MIB))
    with bubblewrap.start(spec) as box:
        assert python(box, program).exit_code == 0


OWNER = """
import sys
from pathlib import Path
from repo_tools.sandbox.bubblewrap import MOUNTS_MOVED, BubblewrapEngine, unless_mounts_moved
from repo_tools.sandbox.contract import HOME, BoxSpec
box = BubblewrapEngine(Path(sys.argv[1])).start(BoxSpec())
print("ready", flush=True)
box.exec(["sh", "-c", "trap '' TERM HUP; (setsid sleep 1000 &); sleep 1000"], timeout_seconds=1000)
"""


def test_nothing_outlives_the_process_that_owns_the_box(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path)], stdout=subprocess.PIPE) as owner:
        assert owner.stdout
        assert owner.stdout.readline() == b"ready\n"
        try:
            pids = wait_for_processes(owner.pid, at_least=5)
        finally:
            owner.kill()
    end = time.monotonic() + 60
    while any(map(is_alive, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [pid for pid in pids if is_alive(pid)]


def wait_for_processes(root: int, at_least: int) -> list[int]:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pids = [process.pid for process in below(root)]
        if len(pids) >= at_least:
            return pids
        time.sleep(0.05)
    raise AssertionError("the box's command did not start")


def is_alive(pid: int) -> bool:
    with suppress(OSError):
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    return False


def test_closing_a_box_leaves_no_process(bubblewrap: BubblewrapEngine) -> None:
    before = {process.pid for process in below(os.getpid())}
    with bubblewrap.start(SPEC) as box:
        sh(box, "true")
        assert {process.pid for process in below(os.getpid())} > before
    assert {process.pid for process in below(os.getpid())} <= before


def test_a_box_whose_process_1_is_killed_from_outside_is_worth_another_try(bubblewrap: BubblewrapEngine) -> None:
    before = {process.pid for process in below(os.getpid())}
    with bubblewrap.start(SPEC) as box:
        (first,) = [p.pid for p in below(os.getpid()) if p.pid not in before and p.number == 1 and p.levels > 1]
        os.kill(first, signal.SIGKILL)
        with pytest.raises(SandboxUnavailableError, match="killed from outside"):
            sh(box, "true")


def test_a_bwrap_that_is_killed_before_it_made_a_box_is_worth_another_try() -> None:
    with closing(launch(["/bin/sh", "-c", "kill -9 $$"], LIMITS)) as channel:
        assert channel.receive(1, 10) == b""
        with pytest.raises(SandboxUnavailableError, match="killed from outside"):
            channel.failure()


def test_a_bwrap_that_fails_says_why(bubblewrap: BubblewrapEngine, tmp_path: Path) -> None:
    layer = LayerFolders(tmp_path).keep("ab" * 20, lambda folder: 0)
    Path(layer.reference).rmdir()
    with pytest.raises(SandboxError, match="bwrap: Can't"):
        bubblewrap.start(BoxSpec(limits=LIMITS, layer=layer))


def test_the_system_finds_a_bwrap_that_has_every_option() -> None:
    assert version_key(find_bwrap().version) >= (0, 8)


# Layers


def test_an_environment_full_of_holes_does_not_fill_the_disk(bubblewrap: BubblewrapEngine) -> None:
    spec = BoxSpec(limits=LIMITS, writable_environment=True)
    with bubblewrap.start(spec) as box:
        assert sh(box, "for i in 1 2 3 4; do truncate -s 60M /env/$i; done").exit_code == 0
        with bubblewrap.start(spec) as other, pytest.raises(SandboxError, match="larger than its volume"):
            copy_environment(box, other, most_bytes=2 * LIMITS.environment_bytes)


class Starts:
    """Fails with these errors, one after the other, before it starts a box."""

    def __init__(self, engine: BubblewrapEngine, *problems: str) -> None:
        self.engine = engine
        self.problems = list(problems)

    def __call__(self) -> BoxSession:
        if self.problems:
            raise SandboxError(self.problems.pop(0))
        box = self.engine.start(SPEC)
        assert isinstance(box, BoxSession)
        return box


GONE = f"the box failed during hello: bwrap: {MOUNTS_MOVED}: remount /newroot/merged"


def test_a_mount_that_goes_while_a_box_is_made_is_no_reason_to_have_none(bubblewrap: BubblewrapEngine) -> None:
    with unless_mounts_moved(Starts(bubblewrap, GONE, GONE)) as box:
        assert sh(box, "echo here").output == b"here\n"


@pytest.mark.parametrize(("problems", "left"), [([GONE] * 9, 5), (["no bwrap", GONE], 1)], ids=["always", "another"])
def test_any_other_failure_and_one_that_stays_are_told(
    bubblewrap: BubblewrapEngine, problems: list[str], left: int
) -> None:
    starts = Starts(bubblewrap, *problems)
    with pytest.raises(SandboxError, match=problems[0][:8]):
        unless_mounts_moved(starts)
    assert len(starts.problems) == left


@pytest.mark.parametrize(("family", "address"), [("AF_INET", "127.0.0.1"), ("AF_INET6", "::1")])
def test_a_box_counts_as_a_machine_with_a_network_for_each_family(
    bubblewrap: BubblewrapEngine, family: str, address: str
) -> None:
    """glibc asks for an address that is neither of the two of every machine."""
    program = f"""
import socket
found = socket.getaddrinfo("localhost", 80, family=socket.{family}, flags=socket.AI_ADDRCONFIG)
print({{each[4][0] for each in found}})
"""
    with bubblewrap.start(BoxSpec(limits=LIMITS)) as box:
        assert python(box, program).output.decode() == f"{ {address}!r}\n"


def test_localhost_is_both_addresses_of_loopback(bubblewrap: BubblewrapEngine) -> None:
    program = "import socket; print(sorted({each[4][0] for each in socket.getaddrinfo('localhost', 80)}))"
    with bubblewrap.start(BoxSpec(limits=LIMITS)) as box:
        assert python(box, program).output == b"['127.0.0.1', '::1']\n"
