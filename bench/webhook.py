"""The webhook beside Probot's handler that does nothing: processor time of the server for each delivery, and memory.

Ours verifies, parses, decides and writes a durable row for every delivery, each for another issue, so none is known.
"""

import http.client
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bench.table import PeerMissingError, Row, alone, compared, without_peer
from tests.support.deliveries import SECRET, encoded, headers, labeled
from tests.support.proc import cpu_seconds
from tests.support.web_process import web_process
from workers.broker import running_broker
from workers.settings import StoreSettings
from workers.store import open_store

ROUNDS = 7
DELIVERIES_A_ROUND = 600
WARM_UP = 300
ADDRESSES = {f"part_{n}_url": f"https://api.github.com/repos/octo/calc/issues/7/part_{n}" for n in range(340)}
"""Most of GitHub's payloads are such fields; with these the body has 26 kB, as GitHub's have."""
TARGET_RATIO = 1.2
PROBOT = "probot@14"
CACHE = Path(__file__).parents[1] / ".cache" / "probot"
INSTALL_SECONDS = 600
START_SECONDS = 30.0

_PROBOT_SERVER = """
import http from "node:http";
import { Probot, createNodeMiddleware } from "probot";
const probot = new Probot({ appId: 1, privateKey: process.env.KEY, secret: process.env.SECRET, logLevel: "fatal" });
const middleware = await createNodeMiddleware((app) => { app.on("issues.labeled", async () => {}); },
  { probot, webhooksPath: "/webhooks/github" });
const missing = (response) => () => { response.statusCode = 404; response.end(); };
http.createServer((request, response) => middleware(request, response, missing(response)))
  .listen(Number(process.env.PORT), "127.0.0.1");
"""


@dataclass
class Server:
    """A server under measurement; `delivered` counts, so that no two deliveries are the same."""

    port: int
    pid: int
    delivered: int = 0

    def cpu_microseconds(self, deliveries: int) -> float:
        """Processor time of the server for each of so many deliveries, over one connection."""
        before = cpu_seconds(self.pid)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for _ in range(deliveries):
            self.delivered += 1
            _deliver(connection, self.delivered)
        connection.close()
        return (cpu_seconds(self.pid) - before) / deliveries * 1e6


def measure() -> list[Row]:
    return [_processor_time(), alone("web process after deliveries: memory in use", _megabytes(), 70.0, "MB")]


def _processor_time() -> Row:
    what = "webhook delivery: processor time of the server"
    with tempfile.TemporaryDirectory() as folder, web_process(Path(folder), program=("bench.unrung_web",)) as web:
        ours = Server(web.port, web.process.pid)
        try:
            with _probot() as peer:
                own, others = _in_turns([ours, peer])
        except PeerMissingError as missing:
            return without_peer(what, _in_turns([ours])[0], TARGET_RATIO, "µs", missing)
        return compared(what, own, others, TARGET_RATIO, "µs")


def _megabytes() -> list[float]:
    """The whole process, with a broker that it rings. Not its very first start: the migrations stay in memory."""
    with tempfile.TemporaryDirectory() as folder, running_broker(Path(folder)) as broker:
        open_store(StoreSettings(data_dir=Path(folder)).effective_database_url).close()
        with web_process(Path(folder), broker_url=broker.url) as web:
            Server(web.port, web.process.pid).cpu_microseconds(WARM_UP)
            return [web.memory_bytes / 1e6]


@contextmanager
def _probot() -> Iterator[Server]:
    """Probot on a port of its own. PeerMissingError."""
    _install_probot()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {**os.environ, "PORT": str(port), "SECRET": SECRET, "KEY": _private_key(), "NODE_ENV": "production"}
    process = subprocess.Popen(["node", "server.mjs"], cwd=CACHE, env=environment)
    try:
        _await_port(port, process)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        process.wait()


def _install_probot() -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise PeerMissingError("no node on this machine")
    CACHE.mkdir(parents=True, exist_ok=True)
    if not (CACHE / "node_modules" / "probot").exists():
        command = ["npm", "install", "--no-audit", "--no-fund", "--silent", PROBOT]
        try:
            subprocess.run(command, cwd=CACHE, check=True, timeout=INSTALL_SECONDS)
        except subprocess.SubprocessError as error:
            raise PeerMissingError(f"npm could not install {PROBOT}") from error
    (CACHE / "server.mjs").write_text(_PROBOT_SERVER)


def _private_key() -> str:
    """Any key: nothing is signed with it."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


def _await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise PeerMissingError(f"{PROBOT} did not start")


def _in_turns(servers: Sequence[Server]) -> list[list[float]]:
    """The figures of each server. Round by round, so that what else the machine does hits all of them."""
    for server in servers:
        server.cpu_microseconds(WARM_UP)
    rounds = [[server.cpu_microseconds(DELIVERIES_A_ROUND) for server in servers] for _ in range(ROUNDS)]
    return [list(figures) for figures in zip(*rounds, strict=True)]


def _deliver(connection: http.client.HTTPConnection, number: int) -> None:
    body = encoded(labeled(number=number, **ADDRESSES))
    connection.request("POST", "/webhooks/github", body, headers(body))
    response = connection.getresponse()
    text = response.read()
    if response.status not in (200, 202):
        raise RuntimeError(f"delivery {number} was answered {response.status}: {text[:200]!r}")
