"""Runs under way while harm is done, until enough of both: then every one of them has to end."""

import random
import sys
import time
from collections.abc import Callable, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from bench.chaos.checks import Ending, IssueFacts, damage
from bench.chaos.faults import Done
from bench.chaos.world import PATROL_SECONDS, Labelled, Site

Harm = Callable[[], None]
END_SECONDS = 600.0
"""From the last fault to the last end, generously: runs queue for few workers."""
SETTLE_SECONDS = 4.0 * PATROL_SECONDS
"""After the last end: so long may twins stand that the patrol removes."""


@dataclass(frozen=True)
class Plan:
    """How many of each at least, how long between two faults on average, and how many may be done at the same time."""

    issues: int
    faults: int
    every_seconds: float
    at_once: int = 1
    open_runs: int = 3  # are under way or wait: fewer than there are workers, so that none waits for a free one
    for_seconds: float = 1200.0  # after that no more is begun


def endure(
    site: Site, plan: Plan, chance: random.Random, harm: Harm, done: Done, labelled: list[Labelled] | None = None
) -> list[Labelled]:
    """Label and harm according to plan, and wait for every end. What `harm` labels itself it adds to `labelled`."""
    labelled = [] if labelled is None else labelled
    deadline = time.monotonic() + plan.for_seconds
    with ThreadPoolExecutor(plan.at_once) as pool:
        under_way: list[Future[None]] = []
        while (done.total < plan.faults or len(labelled) < plan.issues) and time.monotonic() < deadline:
            labelled += site.world.label(max(0, plan.open_runs - site.open_runs(labelled)))
            site.redeliver_lost(labelled)
            time.sleep(chance.uniform(0.2, 1.8) * plan.every_seconds / plan.at_once)
            under_way = [one for one in under_way if not _is_over(one)]
            if plan.at_once == 1 and done.total < plan.faults:
                harm()
            elif done.total + len(under_way) < plan.faults and len(under_way) < plan.at_once:
                under_way.append(pool.submit(harm))
    wait_for_ends(site, labelled)
    return labelled


def wait_for_ends(site: Site, labelled: Sequence[Labelled]) -> None:
    deadline = time.monotonic() + END_SECONDS
    while site.open_runs(labelled) and time.monotonic() < deadline:
        site.redeliver_lost(labelled)
        time.sleep(0.5)


def settled(site: Site, labelled: Sequence[Labelled], also: Set[Ending]) -> list[IssueFacts]:
    """What is left once twins had their time to go."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while damage(facts := site.facts(labelled, also)) and time.monotonic() < deadline:
        print(f"chaos: still there: {damage(facts)[:3]}", file=sys.stderr)
        time.sleep(5.0)
    return facts


def _is_over(one: "Future[None]") -> bool:
    if one.done():
        one.result()  # a fault that could not be done is a fault of ours
        return True
    return False
