"""What hostile code tries in a box, on every engine: ways out (`tests/support/probes`), and taking all there is."""

import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from repo_tools.sandbox.contract import BoxSpec, Sandbox, SandboxEngine
from tests.support.boxes import TIGHT
from tests.support.engine import docker_host
from tests.support.probes import __main__ as probes

ROOT = Path(__file__).parents[3]
WORK = BoxSpec(limits=TIGHT)
SET_UP = BoxSpec(limits=TIGHT, writable_environment=True, allowed_hosts=("pypi.org",))
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
    for path in (ROOT / "tests/support/probes").glob("*.py"):
        box.write(f"/workspace/{path.relative_to(ROOT)}", path.read_bytes())
    stdin = json.dumps(configuration).encode()
    done = box.exec(["python3", "-m", "tests.support.probes"], stdin=stdin, timeout_seconds=120)
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
    """S01, F03."""
    assert results[name].startswith("blocked"), f"{name}: {results[name]}"


@pytest.mark.parametrize("name", SERVICES)
def test_outside_of_a_box_the_same_probe_gets_through(target: Target, name: str) -> None:
    configuration = json.dumps({**target.configuration, "only": [name]})
    argv = [sys.executable, "-m", "tests.support.probes"]
    done = subprocess.run(argv, cwd=ROOT, input=configuration.encode(), capture_output=True, check=True)
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
