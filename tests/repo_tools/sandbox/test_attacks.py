"""What hostile code tries in a box, on every engine: ways out (`probes.py`), and taking all there is."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import BoxSpec, ExecResult, Limits, Sandbox, SandboxEngine
from tests.repo_tools.sandbox import probes
from tests.support.engine import docker_host

MIB = 1 << 20
PROBES = Path(probes.__file__)
ROOT = PROBES.parents[3]
LIMITS = Limits(
    memory_bytes=192 * MIB,
    processors=1.0,
    processes=48,
    open_files=256,
    workspace_bytes=32 * MIB,
    environment_bytes=32 * MIB,
    temporary_bytes=16 * MIB,
)
WORK = BoxSpec(limits=LIMITS)
SET_UP = BoxSpec(limits=LIMITS, writable_environment=True, allowed_hosts=("pypi.org",))
PHASES = {"work": WORK, "set-up": SET_UP}
SERVICES = (
    "tcp_to_a_service_on_the_hosts_loopback",
    "tcp_to_a_service_on_the_hosts_address",
    "abstract_unix_socket_of_the_host",
    "unix_socket_of_the_host",
)
"""Probes whose target this test sets up, so that they must succeed outside of a box."""


@dataclass(frozen=True)
class Target:
    """What is there to be reached on this machine."""

    configuration: dict[str, Any]
    variable: str


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder = tmp_path_factory.mktemp("host")
    (folder / "secret").write_text("a file of the host")
    variable, canary = "AGENT_FIX_TEST_CANARY", secrets.token_hex(16)
    with ExitStack() as open_sockets:
        everywhere = open_sockets.enter_context(listener(socket.AF_INET, ("0.0.0.0", 0)))
        everywhere6 = open_sockets.enter_context(listener(socket.AF_INET6, ("::1", 0)))
        abstract = f"agent-fix-{secrets.token_hex(4)}"
        open_sockets.enter_context(listener(socket.AF_UNIX, f"\0{abstract}"))
        open_sockets.enter_context(listener(socket.AF_UNIX, str(folder / "socket")))
        os.environ[variable] = canary
        yield Target(
            {
                "port": everywhere.getsockname()[1],
                "port6": everywhere6.getsockname()[1],
                "address": own_address(),
                "abstract": abstract,
                "unix": str(folder / "socket"),
                "engine_sockets": engine_sockets(),
                "name_servers": name_servers(),
                "canary": canary,
                "file": str(folder / "secret"),
            },
            variable,
        )
        del os.environ[variable]


def listener(family: int, address: Any) -> socket.socket:
    server = socket.socket(family, socket.SOCK_STREAM)
    server.bind(address)
    server.listen(64)
    return server


def own_address() -> str:
    """The address that this machine would use to go out; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


def engine_sockets() -> list[str]:
    usual = ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock"]
    return [*usual, (docker_host() or "").removeprefix("unix://")]


def name_servers() -> list[str]:
    lines = Path("/etc/resolv.conf").read_text().splitlines()
    return [line.split()[1] for line in lines if line.startswith("nameserver") and ":" not in line]


def run_probes(box: Sandbox, configuration: dict[str, Any]) -> dict[str, str]:
    box.write("/workspace/probes.py", PROBES.read_bytes())
    stdin = json.dumps(configuration).encode()
    done = box.exec(["python3", "/workspace/probes.py"], stdin=stdin, timeout_seconds=120)
    assert done.exit_code == 0, done.output.decode()
    results: dict[str, str] = json.loads(done.output)
    return results


RESULTS: dict[tuple[str, str], dict[str, str]] = {}
"""Of each engine and phase: all probes run once, and each is a test of its own."""


@pytest.fixture(params=PHASES)
def results(request: pytest.FixtureRequest, engine: SandboxEngine, target: Target) -> dict[str, str]:
    key = (engine.name, request.param)
    if key not in RESULTS:
        with engine.start(PHASES[request.param]) as box:
            RESULTS[key] = run_probes(box, target.configuration)
    return RESULTS[key]


@pytest.mark.parametrize("name", probes.PROBES)
def test_no_way_leads_out_of_a_box(results: dict[str, str], name: str) -> None:
    assert results[name].startswith("blocked"), f"{name}: {results[name]}"


@pytest.mark.parametrize("name", SERVICES)
def test_outside_of_a_box_the_same_probe_gets_through(target: Target, name: str) -> None:
    configuration = json.dumps({**target.configuration, "only": [name]})
    done = subprocess.run([sys.executable, PROBES], input=configuration.encode(), capture_output=True, check=True)
    assert json.loads(done.stdout)[name].startswith("REACHED")


PROXY_TRIAL = """
import json, os, socket, sys
from urllib.parse import urlsplit
proxy = urlsplit(os.environ.get("HTTPS_PROXY") or os.environ["https_proxy"])
answers = {}
for authority in json.load(sys.stdin):
    with socket.create_connection((proxy.hostname, proxy.port), timeout=20) as connection:
        connection.sendall(f"CONNECT {authority} HTTP/1.1\\r\\nHost: {authority}\\r\\n\\r\\n".encode())
        answers[authority] = connection.recv(200).decode().split("\\r\\n")[0]
print(json.dumps(answers))
"""


def test_set_ups_proxy_leads_to_no_host_but_those_of_its_list(engine: SandboxEngine, target: Target) -> None:
    port, address = target.configuration["port"], target.configuration["address"]
    wanted = [
        f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}", f"{address}:{port}", f"0.0.0.0:{port}", f"0:{port}",
        f"2130706433:{port}", "169.254.169.254:80", "172.17.0.1:2375", "example.org:443", "pypi.org:22",
        "pypi.org.example.org:443", "evilpypi.org:443", "pypi.org@127.0.0.1:443",
    ]  # fmt: skip
    with engine.start(SET_UP) as box:
        done = box.exec(["python3", "-c", PROXY_TRIAL], stdin=json.dumps(wanted).encode(), timeout_seconds=120)
        assert done.exit_code == 0, done.output.decode()
        refused = box.refused_hosts()
    answers = json.loads(done.output)
    assert answers.keys() == set(wanted)
    assert {line.split()[1] for line in answers.values()} <= {"400", "403"}, answers
    assert {"example.org", "evilpypi.org"} <= {host.split(":")[0] for host in refused}


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
        time.sleep(30)
        os._exit(0)
time.sleep(5)
ended = 0
while ended < 16 and os.waitpid(-1, os.WNOHANG)[0]:
    ended += 1
print("ALIVE", 16 - ended)
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
for place in ("/workspace", "/tmp", "/dev/shm"):
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


def attack(box: Sandbox, program: str, *, timeout_seconds: float = 60) -> ExecResult | None:
    """None where the whole box ended."""
    try:
        return box.exec(["python3", "-c", program], timeout_seconds=timeout_seconds)
    except SandboxError:
        return None


def still_works(box: Sandbox) -> bool:
    return box.exec(["echo", "here"], timeout_seconds=20).output == b"here\n"


def test_more_memory_than_allowed_is_not_to_be_had(engine: SandboxEngine) -> None:
    with engine.start(WORK) as box:
        result = attack(box, MEMORY_BOMB)
    assert result is None or (result.exit_code != 0 and b"TOOK ALL" not in result.output)
    with engine.start(WORK) as box:
        assert still_works(box)


def test_memory_taken_by_many_processes_together_counts_together(engine: SandboxEngine) -> None:
    with engine.start(WORK) as box:
        result = attack(box, MANY_MEMORY_BOMBS, timeout_seconds=30)
    if result is not None and result.exit_code == 0:
        assert int(result.output.split()[1]) * 48 * MIB <= LIMITS.memory_bytes


def test_no_more_processes_than_allowed(engine: SandboxEngine) -> None:
    with engine.start(WORK) as box:
        result = attack(box, FORK_BOMB)
        if result is not None:
            words = result.output.split()
            assert words[0] == b"REFUSED"
            assert int(words[1]) <= LIMITS.processes
            assert still_works(box)


def test_a_fork_bomb_ends_with_its_time_out_or_its_box(engine: SandboxEngine) -> None:
    began = time.monotonic()
    with engine.start(WORK) as box:
        result = attack(box, f"# {(mark := secrets.token_hex(8))}\n{TREE_OF_FORKS}", timeout_seconds=2)
        assert result is None or (result.timed_out and still_works(box))
    assert time.monotonic() - began < 30
    assert processes_with(mark) == []


def test_full_volumes_are_refused_and_the_box_goes_on(engine: SandboxEngine) -> None:
    with engine.start(WORK) as box:
        result = attack(box, DISK_BOMB)
        if result is not None:
            places = {line.split()[1] for line in result.output.splitlines() if line.startswith(b"REFUSED")}
            assert {b"/workspace", b"/tmp"} <= places
            box.delete("/workspace/bomb")
            assert still_works(box)


def test_a_million_files_are_refused_and_the_box_goes_on(engine: SandboxEngine) -> None:
    with engine.start(BoxSpec(limits=Limits(memory_bytes=1024 * MIB))) as box:
        result = attack(box, INODE_BOMB, timeout_seconds=90)
        assert result is not None
        assert result.output.startswith(b"REFUSED") or b"killed: more than 262144 files" in result.output
        assert still_works(box)


def test_a_hundred_thousand_open_files_are_refused(engine: SandboxEngine) -> None:
    with engine.start(WORK) as box:
        result = attack(box, DESCRIPTOR_BOMB)
        assert result is not None
        word, made, _ = result.output.split()
        assert word == b"REFUSED"
        assert int(made) < LIMITS.open_files
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


@pytest.mark.parametrize(("then", "exit_code"), [("sys.exit(3)", 3), ("time.sleep(600)", 124)])
def test_processes_that_ignore_every_signal_and_hide_end_with_their_command(
    engine: SandboxEngine, then: str, exit_code: int
) -> None:
    mark = secrets.token_hex(8)
    with engine.start(WORK) as box:
        result = box.exec(["python3", "-c", STUBBORN.format(mark=mark, then=then)], timeout_seconds=3)
        assert result.exit_code == exit_code
        assert processes_with(mark) == []


WORKER = """
import sys
from pathlib import Path
from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.engines import open_engine
box = open_engine(sys.argv[1], Path(sys.argv[2])).start(BoxSpec())
box.exec(["python3", "-c", sys.argv[3]], timeout_seconds=600)
"""


def test_nothing_of_a_box_outlives_its_worker(engine: SandboxEngine, tmp_path: Path) -> None:
    mark = secrets.token_hex(8)
    program = STUBBORN.format(mark=mark, then="time.sleep(600)")
    environment = {**os.environ, **({"DOCKER_HOST": host} if (host := docker_host()) else {})}
    argv = [sys.executable, "-c", WORKER, engine.name, str(tmp_path), program]
    with subprocess.Popen(argv, cwd=ROOT, env=environment) as worker:
        assert eventually(lambda: len(processes_with(mark)) > 3)
        worker.kill()
    assert eventually(lambda: processes_with(mark) == [])


def eventually(condition: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()
