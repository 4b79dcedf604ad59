"""W18: the web process is killed, and none lives while issues are labelled. The patrol of a real worker finds what was
missed, by either of its ways alone: nothing is lost, nothing doubled."""

from pathlib import Path

import pytest

from bench.chaos.receiver import WAYS, Way, receiver_down
from bench.chaos.world import open_site, open_world
from tests.support.long import first_of

pytestmark = [pytest.mark.e2e, pytest.mark.bubblewrap, pytest.mark.timeout(900)]

LABELS = 2
SELDOM = {"AGENT_FIX_PATROL_SECONDS": "15"}
"""Each round is a process that takes two seconds to start, on a machine that other tests use too."""


@pytest.fixture(scope="module")
def layers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prepared environments, which are made once."""
    return tmp_path_factory.mktemp("layers")


@pytest.mark.parametrize("way", first_of(WAYS), ids=[way.name for way in WAYS])
def test_what_a_killed_receiver_missed_is_found_by_either_way_alone(way: Way, layers: Path) -> None:
    with open_world(layers) as world, open_site(world, 1, SELDOM) as site:
        result = receiver_down(site, "SQLite, embedded broker", way, LABELS)
    assert result.damage == []
    assert (result.faults, result.issues) == (LABELS, LABELS)
