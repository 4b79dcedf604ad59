"""`python -m bench.chaos [--seed N] [--scale PART] [--only LANE] [--minutes N]`: the proof that nothing is lost and
nothing happens twice. The whole of it writes `docs/chaos.md`.
"""

import argparse
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from bench.chaos.lanes import LANES, WAVES, Size, Task, run_lane
from bench.chaos.page import markdown_page
from bench.chaos.parts import Result
from bench.chaos.verdict import exit_code
from workers.leash import die_with_parent

PAGE = Path(__file__).parents[2] / "docs" / "chaos.md"
WHOLE_MINUTES = 40.0
"""More than the numbers take on two processors: a lane ends as soon as it has them."""


def main() -> int:
    """0 where nothing is damaged, every limit is met, and all was done that was to be done. Where `--scale` or
    `--minutes` ask for less than the whole, what was not done is said, and no more."""
    parser = argparse.ArgumentParser(prog="python -m bench.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="of every random choice")
    parser.add_argument("--scale", type=float, default=1.0, help="how much of the whole, for instance 0.02")
    parser.add_argument("--only", choices=tuple(LANES), help="one lane of the whole")
    parser.add_argument(
        "--minutes",
        type=float,
        default=WHOLE_MINUTES,
        help="of harm in each lane at most; parts end then, and say what they lack (default: %(default)g)",
    )
    parser.add_argument("--page", action="store_true", help="write the page, also for less than the whole")
    arguments = parser.parse_args()
    print(f"chaos: seed {arguments.seed}", file=sys.stderr)
    shorter = arguments.scale < 1.0 or arguments.minutes < WHOLE_MINUTES
    size = replace(Size().scaled(arguments.scale), seconds=60.0 * arguments.minutes)
    started = time.monotonic()
    waves = ((arguments.only,),) if arguments.only else WAVES
    results = [result for lanes in waves for result in _wave(size, arguments.seed, lanes)]
    page = markdown_page(results, arguments.seed, time.monotonic() - started)
    if arguments.page or not (shorter or arguments.only):
        PAGE.write_text(page)
    print(page)
    return exit_code(results, shorter=shorter)


def _wave(size: Size, seed: int, lanes: Sequence[str]) -> list[Result]:
    """These lanes at once, for each waits more than it works. Each in a process of its own, whose main thread stays
    until the end: what that starts dies with it."""
    with (
        tempfile.TemporaryDirectory(prefix="chaos-layers-", ignore_cleanup_errors=True) as layers,
        ProcessPoolExecutor(len(lanes), get_context("spawn"), die_with_parent, (os.getpid(),)) as pool,
    ):
        task = Task(size, seed, Path(layers))
        futures = [pool.submit(run_lane, name, task) for name in lanes]
        return [result for future in futures for result in future.result()]


if __name__ == "__main__":
    sys.exit(main())
