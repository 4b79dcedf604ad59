"""The processes of a site, told apart by what they are, and who of them holds the other end of a connection."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from tests.support.processes import command_of

_BETWEEN_LOOKS_SECONDS = 0.05


class Kind(StrEnum):
    BROKER = "broker"
    WEB = "web"
    WORKER = "worker"  # Celery's parent
    POOL = "pool"  # the process that holds a run
    COMPANION = "companion"


def processes_of(site: int) -> dict[int, Kind]:
    """pid -> kind of every process of the product below `site`; boxes and what runs in them are left out.

    A child that was just forked looks like the process that forked it until it has a command of its own: one of the
    pool's is told by its parent, and of all others counts what two looks in succession agree on.
    """
    before = _look(site)
    time.sleep(_BETWEEN_LOOKS_SECONDS)
    return {pid: kind for pid, kind in _look(site).items() if before.get(pid) is kind}


def _look(site: int) -> dict[int, Kind]:
    return {pid: kind for pid in descendants(site) if (kind := _kind(pid)) is not None}


def connected_to(pids: Iterator[int], port: int) -> list[int]:
    """Which of `pids` have a connection to this port of 127.0.0.1."""
    inodes = _inodes(lambda row: _port(row[2]) == port)
    return [pid for pid in pids if inodes & _sockets(pid)]


def owner_of_port(pids: Iterator[int], port: int) -> int | None:
    """Which of `pids` has the connection from this local port of 127.0.0.1."""
    inodes = _inodes(lambda row: _port(row[1]) == port)
    return next((pid for pid in pids if inodes & _sockets(pid)), None)


def _kind(pid: int) -> Kind | None:
    command = command_of(pid)
    if "valkey" in command or "redis" in command:
        return Kind.BROKER
    if "workers.companion" in command:
        return Kind.COMPANION
    if "app.cli\0worker" in command:
        return _of_worker(_parent(pid), command)
    return Kind.WEB if "app.cli\0web" in command else None


def _of_worker(parent: int, command: str) -> Kind | None:
    """None for what the pool forked and has no command of its own yet."""
    if command_of(parent) != command:
        return Kind.WORKER
    return None if command_of(_parent(parent)) == command else Kind.POOL


def descendants(pid: int) -> Iterator[int]:
    """By one look at all processes."""
    parents = {int(path.name): _parent(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdigit()}
    waiting = [pid]
    while waiting:
        above = waiting.pop()
        children = [child for child, parent in parents.items() if parent == above]
        yield from children
        waiting += children


def _parent(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    return 0


def _inodes(wanted: Callable[[list[str]], bool]) -> set[str]:
    """Of IPv4 connections, by the rows of proc_net(5): local address second, remote one third, inode tenth."""
    rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    return {row[9] for row in rows if wanted(row)}


def _port(address: str) -> int:
    return int(address.partition(":")[2], 16)


def _sockets(pid: int) -> set[str]:
    found = set()
    with suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                found.add(os.readlink(entry).removeprefix("socket:[").removesuffix("]"))
    return found
