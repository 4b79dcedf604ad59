"""Sixteen boxes at once on the processors of this machine, a quarter of them hostile, beside the same boxes one by one.

The worker is a process of its own, so that its memory is its boxes' price and nothing else's.
"""

import json
import secrets
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import docker

from bench.engine import engine_host
from bench.table import PeerMissingError, Row, alone, compared, missing
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.owner import INSTALLATION_LABEL
from tests.support.crowd import control_groups, descendants, entertain, guests, processes_with
from tests.support.proc import peak_memory_bytes

BOXES, CPU_SECONDS = 16, 0.5
ROUNDS = 2
TARGET_TIME = 1.1  # at once is no slower than one by one
TARGET_MEGABYTES = 120.0


def measure() -> list[Row]:
    try:
        docker = _rows("docker", engine_host())
    except PeerMissingError as why:
        docker = [missing(_what("docker"), TARGET_TIME, "s", why)]
    return [*docker, *_rows("bubblewrap", "")]


def _what(engine: str) -> str:
    return f"{BOXES} {engine} boxes at once, a quarter hostile"


def _rows(engine: str, host: str) -> list[Row]:
    rounds = [(_worker(engine, host, BOXES), _worker(engine, host, 1)) for _ in range(ROUNDS)]
    at_once, one_by_one = zip(*rounds, strict=True)
    what = _what(engine)
    return [
        compared(f"{what}, beside one by one", _all(at_once, "seconds"), _all(one_by_one, "seconds"), TARGET_TIME, "s"),
        alone(f"{what}: the worker's most memory", _all(at_once, "megabytes"), TARGET_MEGABYTES, "MB"),
        alone(f"{what}: did not end as they should", [max(_all(at_once, "unexpected"))], 0, "boxes"),
        alone(f"{what}: left behind", [max(_all(at_once, "left"))], 0, "pieces"),
    ]


def _all(reports: tuple[dict[str, float], ...], name: str) -> list[float]:
    return [report[name] for report in reports]


def _worker(engine: str, host: str, at_once: int) -> dict[str, float]:
    """What the worker says of itself, and what is found once it has ended."""
    mark = secrets.token_hex(8)
    argv = [sys.executable, "-m", "bench.crowd", engine, host, str(at_once), mark]
    done = subprocess.run(argv, stdout=subprocess.PIPE, check=True, cwd=Path(__file__).parents[1])
    report: dict[str, float] = json.loads(done.stdout)
    report["left"] += len(processes_with(mark)) + (_left_by_engine(host, mark) if host else 0)
    return report


def _left_by_engine(host: str, mark: str) -> int:
    """Containers, and control groups whose name has one of theirs."""
    with closing(docker.DockerClient(host)) as client:
        wanted: dict[str, Any] = {"label": f"{INSTALLATION_LABEL}={mark}"}
        now = int(time.time()) + 1
        made = {event["id"] for event in client.events(decode=True, filters=wanted, since=now - 3600, until=now)}
        left = client.containers.list(all=True, filters=wanted, ignore_removed=True)
    if not made:
        raise RuntimeError(f"the engine tells of no container of {mark}")
    return len(left) + len(control_groups(made))


def _be_worker(name: str, host: str, at_once: int, mark: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        engine = (
            DockerEngine(docker_host=host, installation=mark) if name == "docker" else BubblewrapEngine(Path(folder))
        )
        began = time.monotonic()
        unexpected = entertain(engine, guests(BOXES), at_once=at_once, mark=mark, cpu_seconds=CPU_SECONDS)
        report = {
            "seconds": time.monotonic() - began,
            "megabytes": peak_memory_bytes() / 1e6,
            "unexpected": len(unexpected),
            "left": len(descendants()),
        }
        if isinstance(engine, DockerEngine):
            engine.close()
    print(json.dumps(report))


if __name__ == "__main__":
    _be_worker(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
