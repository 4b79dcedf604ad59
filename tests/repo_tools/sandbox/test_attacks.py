"""What hostile code tries in a box, on every engine: ways out (`tests/support/probes`), and taking all there is."""

import ctypes
import json
import os
import secrets
import select
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from repo_tools.sandbox.contract import BoxSpec, Sandbox, SandboxEngine
from repo_tools.sandbox.proof import proved
from tests.support.boxes import TIGHT
from tests.support.engine import ENGINES_WITH_GVISOR, docker_host, unavailable
from tests.support.probes.__main__ import PROBES
from tests.support.probes.attempts import ANYBODY
from tests.support.probes.attempts import ROOT as AS_ROOT

ROOT = Path(__file__).parents[3]
LIBC = ctypes.CDLL(None, use_errno=True)
WORK = BoxSpec(limits=TIGHT)
SET_UP = BoxSpec(limits=TIGHT, writable_environment=True, allowed_hosts=("pypi.org",))
PHASES = {"work": WORK, "set-up": SET_UP}


ENGINES = ENGINES_WITH_GVISOR


@dataclass(frozen=True)
class Target:
    """What is there to be reached on this machine."""

    configuration: dict[str, Any]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder = tmp_path_factory.mktemp("host")
    (folder / "secret").write_text("a file of the host")
    os.mkfifo(folder / "pipe")
    variable, canary = "AGENT_FIX_TEST_CANARY", secrets.token_hex(16)
    abstract = f"agent-fix-{secrets.token_hex(4)}"
    with ExitStack() as opened:
        everywhere = opened.enter_context(listener(socket.AF_INET, ("0.0.0.0", 0)))
        everywhere6 = opened.enter_context(listener(socket.AF_INET6, ("::1", 0)))
        opened.enter_context(listener(socket.AF_UNIX, f"\0{abstract}"))
        opened.enter_context(listener(socket.AF_UNIX, str(folder / "socket")))
        datagrams = opened.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        datagrams.bind(f"\0{abstract}-datagram")
        os.environ[variable] = canary
        opened.callback(os.environ.pop, variable)
        yield Target(
            {
                "port": everywhere.getsockname()[1],
                "port6": everywhere6.getsockname()[1],
                "udp": opened.enter_context(echo()),
                "address": own_address(),
                "abstract": abstract,
                "abstract_datagram": f"{abstract}-datagram",
                "unix": str(folder / "socket"),
                "pipe": str(folder / "pipe"),
                "segment": opened.enter_context(shared_segment()),
                "queue": opened.enter_context(message_queue(f"/{abstract}")),
                "shared": opened.enter_context(shared_memory(abstract)),
                "proxy": PROXY,
                "engine_sockets": engine_sockets(),
                "name_servers": name_servers(),
                "canary": canary,
                "folder": str(folder),
                "file": str(folder / "secret"),
            }
        )


PROXY = "proxy.of.the.host"


def listener(family: int, address: Any) -> socket.socket:
    server = socket.socket(family, socket.SOCK_STREAM)
    server.bind(address)
    server.listen(64)
    return server


@contextmanager
def echo() -> Iterator[int]:
    """A port that answers every datagram."""

    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            data, answering = self.request
            answering.sendto(data, self.client_address)

    with socketserver.ThreadingUDPServer(("0.0.0.0", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@contextmanager
def shared_segment() -> Iterator[int]:
    key = secrets.randbelow(1 << 30) + 1
    number = LIBC.shmget(key, 4096, 0o1666)  # IPC_CREAT and for everybody
    assert number >= 0
    yield key
    LIBC.shmctl(number, 0, None)  # IPC_RMID


@contextmanager
def message_queue(name: str) -> Iterator[str]:
    queue = LIBC.mq_open(name.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
    assert queue >= 0
    yield name
    os.close(queue)
    LIBC.mq_unlink(name.encode())


@contextmanager
def shared_memory(name: str) -> Iterator[str]:
    path = Path("/dev/shm") / name
    path.write_text("shared memory of the host")
    yield str(path)
    path.unlink()


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
    for path in (ROOT / "tests/support/probes").glob("*.py"):
        box.write(f"/workspace/{path.relative_to(ROOT)}", path.read_bytes())
    stdin = json.dumps(configuration).encode()
    done = box.exec(["python3", "-m", "tests.support.probes"], stdin=stdin, timeout_seconds=120)
    assert done.exit_code == 0, done.output.decode()
    results: dict[str, str] = json.loads(done.output)
    return results


RESULTS: dict[tuple[SandboxEngine, str], dict[str, str]] = {}
"""Of each engine and phase: all probes run once, and each is a test of its own."""


@pytest.fixture(params=PHASES)
def results(request: pytest.FixtureRequest, engine: SandboxEngine, target: Target) -> dict[str, str]:
    key = (engine, request.param)
    if key not in RESULTS:
        with engine.start(PHASES[request.param]) as box:
            RESULTS[key] = run_probes(box, target.configuration)
    return RESULTS[key]


OF_ITS_OWN = {
    "device_node": "its number leads to no device of the machine's",
    "kernel_log": "the log is its own kernel's",
    "tunnel_device": "the device is its own kernel's, and leads nowhere",
    "disks_and_kernel_memory": "/dev/fuse is its own kernel's",
    "sparing_itself": "the machine's kernel sees one process group",
    "environment_of_process_1": "it is the image's",
    "descriptors_of_process_1": "what somebody else puts there has no mark, see `test_forgery`",
}
"""What gVisor lets its processes do, because it is done to its own kernel in user space and not to the machine's."""


@pytest.mark.parametrize("name", PROBES)
def test_no_way_leads_out_of_a_box(results: dict[str, str], gvisor: bool, name: str) -> None:
    """S01, S06, S08, F03."""
    if gvisor and name in OF_ITS_OWN:
        return
    assert results[name].startswith("blocked"), f"{PROBES[name].tries}: {results[name]}"


def test_every_engine_is_taken(engine: SandboxEngine) -> None:
    """S08. None lets commands at the memory of process 1; where its descriptors can be opened (`test_forgery`), the
    marks of the channel's frames are what keeps results from being forged."""
    assert proved(engine) is engine


def test_there_are_enough_of_both_kinds() -> None:
    exfiltration = [probe for probe in PROBES.values() if probe.kind == "network"]
    assert len(exfiltration) >= 30
    assert len(PROBES) - len(exfiltration) >= 40


def control(argv: Sequence[str], target: Target, names: list[str], **arguments: Any) -> dict[str, str]:
    """What the same probes find in a process outside of any box."""
    configuration = json.dumps({**target.configuration, "only": names}).encode()
    argv = [*argv, sys.executable, "-m", "tests.support.probes"]
    done = subprocess.run(argv, cwd=ROOT, input=configuration, capture_output=True, check=False, **arguments)
    assert done.returncode == 0, done.stderr.decode()
    results: dict[str, str] = json.loads(done.stdout)
    return results


def test_outside_of_a_box_the_same_probes_get_through(target: Target) -> None:
    names = [name for name, probe in PROBES.items() if probe.control == ANYBODY]
    environment = {**os.environ, "HTTPS_PROXY": f"http://{PROXY}:3128"}
    with open_folder("/") as root:
        results = control([], target, names, pass_fds=(root,), env=environment)
    assert {name: result for name, result in results.items() if not result.startswith("REACHED")} == {}
    assert len(results) >= 25


@contextmanager
def open_folder(path: str) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


NAMESPACES = ["unshare", "--mount", "--uts", "--ipc", "--net", "--pid", "--fork", "--mount-proc"]
"""In which root can do what it wants, and nothing of it stays."""


@pytest.mark.parametrize("name", [name for name, probe in PROBES.items() if probe.control == AS_ROOT])
def test_root_outside_of_a_box_gets_through(target: Target, name: str) -> None:
    if os.geteuid() != 0:
        unavailable("only root can show what only root may do")
    assert control(NAMESPACES, target, [name])[name].startswith("REACHED")


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


def anybody_came(service: socket.socket) -> bool:
    return bool(select.select([service], [], [], 0.2)[0])


@pytest.fixture
def service() -> Iterator[socket.socket]:
    """That nobody but the proxy's trial knows."""
    with listener(socket.AF_INET, ("0.0.0.0", 0)) as service:
        yield service


def test_set_ups_proxy_leads_to_no_host_but_those_of_its_list(engine: SandboxEngine, service: socket.socket) -> None:
    """S06, S10."""
    port, address = service.getsockname()[1], own_address()
    wanted = [
        f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}", f"{address}:{port}", f"0.0.0.0:{port}", f"0:{port}",
        f"2130706433:{port}", "169.254.169.254:80", "172.17.0.1:2375", "example.org:443", "pypi.org:22",
        "pypi.org.example.org:443", "evilpypi.org:443", "pypi.org@127.0.0.1:443", f"0x7f000001:{port}", f"127.1:{port}",
        f"0177.0.0.1:{port}", f"[::ffff:127.0.0.1]:{port}", f"[::]:{port}", f"127.0.0.1.:{port}", f"LOCALHOST:{port}",
        f"127.0.0.1%00.pypi.org:{port}", f"pypi.org%2F@127.0.0.1:{port}", f"pypi.org:443@127.0.0.1:{port}",
        f"pypi.org#127.0.0.1:{port}", f"127.0.0.1:{port}/pypi.org:443", "metadata.google.internal:80",
        "[fd00:ec2::254]:80", "100.100.100.200:80", "pypi.org:0", "pypi.org:65536", "pypi.org:-1", "pypi.org:443:22",
        "*.pypi.org:443", "xn--pypi.org:443", "files.pypi.org:443", "host.docker.internal:2375", "docker:2375",
    ]  # fmt: skip
    with engine.start(SET_UP) as box:
        done = box.exec(["python3", "-c", PROXY_TRIAL], stdin=json.dumps(wanted).encode(), timeout_seconds=120)
        assert done.exit_code == 0, done.output.decode()
        refused = box.refused_hosts()
    answers = json.loads(done.output)
    assert answers.keys() == set(wanted)
    assert not anybody_came(service)
    assert {line.split()[1] for line in answers.values()} <= {"400", "403"}, answers
    assert {"example.org", "evilpypi.org"} <= {host.split(":")[0] for host in refused}
