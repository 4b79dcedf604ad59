"""Five gigabytes of output without a single line end: what they cost in memory, on both sides of the channel."""

import tempfile
from pathlib import Path

from bench.engine import engine_host
from bench.table import PeerMissingError, Row, alone, missing
from tests.support.engine import docker_settings
from tests.support.flood_program import flood

SCRIPT = "head -c 5000000000 /dev/zero"
KEPT = 200_000
TARGET_WORKER, TARGET_BOX = 8.0, 64.0  # megabytes


def measure() -> list[Row]:
    try:
        engine_host()
        docker = _rows("docker", docker_settings())
    except PeerMissingError as why:
        docker = [missing(_what("docker"), TARGET_WORKER, "MB", why)]
    return [*docker, *_rows("bubblewrap", {})]


def _what(engine: str) -> str:
    return f"5 GB of output in one line, {engine}"


def _rows(engine: str, settings: dict[str, str]) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        told = flood(engine, Path(folder), SCRIPT, settings)
    if (told.exit_code, told.output_bytes) != (0, KEPT):
        raise RuntimeError(f"the flood was not what it should be: {told}")
    return [
        alone(f"{_what(engine)}: what the worker's memory grows", [told.growth_bytes / 1e6], TARGET_WORKER, "MB"),
        alone(f"{_what(engine)}: memory of the box's process 1", [told.box_bytes / 1e6], TARGET_BOX, "MB"),
    ]
