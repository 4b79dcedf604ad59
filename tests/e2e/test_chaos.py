"""The short form of `make chaos`: kills and pauses at random moments, answers that never come, and nothing is lost or
doubled.

Each log shows the seed, also where all is well (`tests/conftest.py`); the variable CHAOS_SEED repeats it.
"""

import os
from pathlib import Path

import pytest

from bench.chaos import parts
from bench.chaos.endurance import Plan
from bench.chaos.places import open_beside
from bench.chaos.verdict import damages, undone
from bench.chaos.world import Site, open_site, open_world

pytestmark = [pytest.mark.e2e, pytest.mark.bubblewrap, pytest.mark.timeout(900)]

SEED = int(os.environ["CHAOS_SEED"])


@pytest.fixture(scope="module")
def layers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prepared environments, which are made once."""
    return tmp_path_factory.mktemp("layers")


def test_whatever_dies_or_stands_still_every_issue_ends_once(layers: Path) -> None:
    with open_world(layers) as world, open_site(world, workers=2) as site:
        parts.warm(site)
        expect_no_damage(site, "SQLite, embedded broker", issues=2, faults=3)
        plan = Plan(issues=2, faults=3, every_seconds=0.5, at_once=3, open_runs=4)
        lost = parts.answers(site, "SQLite, embedded broker", SEED, plan)
        print(lost)
        assert damages([lost]) == [], f"CHAOS_SEED={SEED}"
        assert undone([lost]) == []


@pytest.mark.long(short="test_whatever_dies_or_stands_still_every_issue_ends_once")
def test_the_same_with_a_database_and_a_broker_of_their_own(layers: Path) -> None:
    with open_beside(layers) as beside, beside.site(workers=2) as (site, _):
        expect_no_damage(site, beside.place, issues=2, faults=3)


def expect_no_damage(site: Site, place: str, *, issues: int, faults: int) -> None:
    """So many kills, then one pause between check and send. How long it takes is for `make chaos` to tell: here
    other tests run beside it."""
    killed = parts.kills(site, place, SEED, Plan(issues, faults, every_seconds=2.0, open_runs=2))
    pause = Plan(issues=issues - 1, faults=1, every_seconds=0.5, open_runs=2)
    paused = parts.pauses(site, place, SEED, pause, exact_share=1)
    print(killed, paused, sep="\n")
    assert damages([killed, paused]) == [], f"CHAOS_SEED={SEED}"
    assert undone([killed, paused]) == []
