"""Brokers that are emptied in the middle of runs: the embedded one of a site, and one that belongs to no site."""

import os
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from app.demo.ports import held_port
from bench.chaos.faults import Done
from bench.chaos.processes import Kind, processes_of
from bench.chaos.world import Site
from tests.support.processes import eventually
from workers.broker import running_broker
from workers.leash import leashed

LONGEST_AWAY_SECONDS = 4.0
Empty = Callable[[Site, random.Random, Done, Callable[[], None]], None]
"""What is called last is called while there is no broker, if there is such a while."""


def empty_embedded(site: Site, chance: random.Random, done: Done, meanwhile: Callable[[], None]) -> None:
    """Flushed, or killed: its supervisor starts it again, and nothing of it is on a disk."""
    if chance.random() < 0.5:
        with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(site.data_dir / "broker" / "broker.sock"))
            _flush(connection)
            done.note("broker flushed")
        return
    for pid, kind in processes_of(site.service.pid).items():
        if kind is Kind.BROKER:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                done.note("broker killed")
    meanwhile()


@dataclass
class BrokerBeside:
    """Debian's Redis where it is installed, else the Valkey of the wheel, on a port of its own; it belongs to no site.
    Call it from the thread that opened it: the server dies with that."""

    name: str
    argv: tuple[str, ...]
    port: int
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        self.process = subprocess.Popen(leashed(self.argv), stdout=subprocess.DEVNULL)
        eventually(self._answers, what=f"{self.name} that answers")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def empty(self, site: Site, chance: random.Random, done: Done, meanwhile: Callable[[], None]) -> None:
        """Flushed, or killed and some seconds later started again, without anything."""
        if chance.random() < 0.5:
            with self._connected() as connection:
                _flush(connection)
            done.note("broker flushed")
            return
        self.stop()
        meanwhile()
        time.sleep(chance.uniform(0.0, LONGEST_AWAY_SECONDS))
        self.start()
        done.note("broker killed")

    def _connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), 5)

    def _answers(self) -> bool:
        with suppress(OSError), self._connected() as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
        return False


@contextmanager
def broker_beside(folder: Path) -> Iterator[BrokerBeside]:
    folder.mkdir()
    redis = shutil.which("redis-server")
    name, program = ("Redis", redis) if redis else ("Valkey (Redis' protocol)", _valkey(folder))
    kept = ("--save", "", "--appendonly", "no", "--loglevel", "warning")
    with held_port() as held:  # also while it is away
        port = int(held.getsockname()[1])
        argv = (program, "--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder), *kept)
        broker = BrokerBeside(name, argv, port)
        try:
            yield broker
        finally:
            broker.stop()


def _valkey(folder: Path) -> str:
    with running_broker(folder / "valkey") as broker:
        return broker.argv[0]


def _flush(connection: socket.socket) -> None:
    connection.settimeout(5)
    connection.sendall(b"FLUSHALL\r\n")
    connection.recv(16)
