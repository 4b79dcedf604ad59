"""How often an installation is looked through, which costs it a request for each of its repositories."""

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from workers.github.client import Repository
from workers.github.installation_client import InstallationClient
from workers.store import RunStore
from workers.sweep import Sweep

DAY = 86_400


class Listing:
    """An installation of so many repositories; `asked` counts those whose issues were asked for."""

    def __init__(self, number: int) -> None:
        self.asked = 0
        self._repositories = [Repository(n, f"acme/r{n}", "main", False, False, True, True) for n in range(number)]

    def repositories(self) -> list[Repository]:
        return self._repositories

    def labelled_issues(self, *_: Any) -> list[Any]:
        self.asked += 1
        return []


def asked_in_a_day(repositories: int, store: RunStore, every: int = 300) -> int:
    """By a patrol that has its round so often."""
    listing, last = Listing(repositories), -DAY
    for now in range(0, DAY, every):
        since = datetime.fromtimestamp(last, UTC)
        sweep = Sweep(store, "agent-fix", frozenset(), since, lambda: True, rested_seconds=now - last)
        if sweep.installation(cast("InstallationClient", listing), 1):
            last = now
    return listing.asked


@pytest.mark.parametrize("repositories", [100, 2_000])
def test_a_large_installation_keeps_most_of_its_requests_for_runs(repositories: int, sqlite_store: RunStore) -> None:
    """GitHub takes 5,000 an hour, and of the largest ones 12,500."""
    assert repositories <= asked_in_a_day(repositories, sqlite_store) <= 24 * 1_000 + repositories


def test_a_small_one_is_looked_through_each_time(sqlite_store: RunStore) -> None:
    assert asked_in_a_day(20, sqlite_store) == 20 * DAY / 300
