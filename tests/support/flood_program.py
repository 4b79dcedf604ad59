"""A worker, in a process of its own so that nothing else counts in its memory, whose box prints without end.

``python -m tests.support.flood_program ENGINE FOLDER SCRIPT``; it prints four numbers, the fields of `Flood`.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from repo_tools.sandbox.contract import BoxSpec
from repo_tools.sandbox.engines import open_engine
from tests.support.boxes import box_peak_bytes
from tests.support.proc import peak_memory_bytes

ROOT = Path(__file__).parents[2]


class Flood(NamedTuple):
    exit_code: int
    output_bytes: int  # that were kept
    growth_bytes: int  # of the worker's most memory, beyond what an ordinary command had taken
    box_bytes: int  # most memory of the box's process 1


def flood(engine: str, folder: Path, script: str, settings: Mapping[str, str]) -> Flood:
    """`settings`: where the engine is, as variables."""
    argv = [sys.executable, "-m", "tests.support.flood_program", engine, str(folder), script]
    done = subprocess.run(argv, cwd=ROOT, env={**os.environ, **settings}, stdout=subprocess.PIPE, check=True)
    return Flood(*map(int, done.stdout.split()))


def main(name: str, folder: str, script: str) -> None:
    accepted = os.environ.get("AGENT_FIX_ACCEPT_RUNC")
    with open_engine(name, Path(folder), runtime="runc", accepted_runc=accepted).start(BoxSpec()) as box:
        box.exec(["head", "-c", "1000000", "/dev/zero"], timeout_seconds=60)
        before = peak_memory_bytes()
        result = box.exec(["sh", "-c", script], timeout_seconds=600)
        growth = peak_memory_bytes() - before
        print(result.exit_code, len(result.output), growth, box_peak_bytes(box))


if __name__ == "__main__":
    main(*sys.argv[1:])
