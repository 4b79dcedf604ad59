"""The short form of `make chaos`: kills and pauses at random moments, and nothing is lost or doubled.

The seed is printed; CHAOS_SEED repeats it.
"""

import os
import secrets

import pytest

from bench.chaos import parts
from bench.chaos.endurance import Plan
from bench.chaos.world import open_site, open_world

pytestmark = [pytest.mark.e2e, pytest.mark.bubblewrap, pytest.mark.timeout(900)]


def test_whatever_dies_or_stands_still_every_issue_ends_once() -> None:
    seed = int(os.environ.get("CHAOS_SEED") or secrets.randbelow(10**6))
    print(f"CHAOS_SEED={seed}")
    with open_world() as world, open_site(world, workers=2) as site:
        parts.warm(site)
        killed = parts.kills(site, "SQLite", seed, Plan(issues=3, faults=4, every_seconds=2.0, open_runs=2))
        paused = parts.pauses(site, "SQLite", seed, Plan(issues=2, faults=1, every_seconds=0.5, open_runs=2))
    print(killed, paused, sep="\n")
    assert (killed.damage, paused.damage) == ([], []), f"CHAOS_SEED={seed}"
    assert killed.faults
