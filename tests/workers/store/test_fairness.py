"""Which run is next, and how many go on at once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tests.support.databases import set_back
from tests.support.issues import ENDED, a_claim, a_run, an_issue, fall_silent
from workers.store import TASK, Claim, Limits, RunStore, open_store
from workers.store.leases import RESUMABLE_SECONDS
from workers.store.schema import runs

NOISY, QUIET = 1, 2


def runs_of(store: RunStore, repository_id: int, count: int, installation_id: int = 7) -> list[str]:
    issues = (replace(an_issue(repository_id=repository_id), installation_id=installation_id) for _ in range(count))
    return [a_run(store, issue) for issue in issues]


def claims(store: RunStore, count: int, limits: Limits) -> list[Claim]:
    found = [store.claim_next("worker", 60, limits) for _ in range(count)]
    return [claim for claim in found if claim]


def test_the_oldest_run_is_next(store: RunStore) -> None:
    first, second = runs_of(store, NOISY, 2)
    assert store.next_waiting(Limits()) == first
    assert [claim.run.id for claim in claims(store, 3, Limits())] == [first, second]


def test_a_noisy_repository_does_not_starve_a_quiet_one(store: RunStore) -> None:
    """Q23: two hundred labels in one repository, then one in another."""
    runs_of(store, NOISY, 200)
    (quiet,) = runs_of(store, QUIET, 1)
    first, second = claims(store, 2, Limits())
    assert (first.run.repository_id, second.run.id) == (NOISY, quiet)


def test_a_repository_has_no_more_runs_under_way_than_its_share(store: RunStore) -> None:
    """Q23."""
    runs_of(store, NOISY, 20)
    held = claims(store, 20, Limits(repository=3))
    assert len(held) == 3
    assert store.next_waiting(Limits(repository=3)) is None
    store.finish(held[0], ENDED, {})
    assert len(claims(store, 20, Limits(repository=3))) == 1
    (quiet,) = runs_of(store, QUIET, 1)
    assert [claim.run.id for claim in claims(store, 20, Limits(repository=3))] == [quiet]


def test_an_installation_has_no_more_runs_under_way_than_its_share(store: RunStore) -> None:
    for repository in range(10, 20):
        runs_of(store, repository, 2)
    assert len(claims(store, 20, Limits(repository=3, installation=4))) == 4
    (other,) = runs_of(store, 30, 1, installation_id=8)
    assert [claim.run.id for claim in claims(store, 5, Limits(3, 4))] == [other]


def test_a_silent_workers_run_is_taken_over_although_its_repository_has_its_share(store: RunStore) -> None:
    first, _ = runs_of(store, NOISY, 2)
    a_claim(store, first, lease_seconds=0.05)
    time.sleep(0.1)
    (claim,) = claims(store, 2, Limits(repository=1))
    assert claim.run.id == first


def test_workers_that_claim_at_once_stay_within_the_limit_and_get_different_runs(database_url: str) -> None:
    """Q14."""
    stores = [open_store(database_url), open_store(database_url)]
    runs_of(stores[0], NOISY, 20)
    barrier = threading.Barrier(10)

    def claim(number: int) -> Claim | None:
        barrier.wait()
        return stores[number % 2].claim_next(f"worker-{number}", 60, Limits(repository=4))

    with ThreadPoolExecutor(10) as pool:
        held = [found.run.id for found in pool.map(claim, range(10)) if found]
    assert len(held) == len(set(held)) == 4
    for store in stores:
        store.close()


def test_a_local_run_is_its_commands_own(store: RunStore) -> None:
    a_run(store, replace(an_issue(0, repository_id=-5), installation_id=0))
    assert store.claim_next("worker", 60, Limits()) is None


def test_a_local_run_whose_command_died_is_found(store: RunStore) -> None:
    run_id = a_run(store, replace(an_issue(0, repository_id=-5), installation_id=0))
    a_claim(store, run_id, lease_seconds=0.05)
    time.sleep(0.1)
    found = store.claim_next("worker", 60, Limits(repository=0, installation=0))
    assert found is not None
    assert found.run.id == run_id


def test_a_task_whose_command_died_is_left_to_be_resumed_for_a_day(store: RunStore, database_url: str) -> None:
    run_id = a_run(store, replace(an_issue(0, repository_id=-5), installation_id=0, repository=TASK))
    for _ in range(2):
        fall_silent(store, a_claim(store, run_id))
        assert store.due_for_ring(0) == []
        assert store.queue_depth() == 0
        assert store.claim_next("worker", 60, Limits(), rung=run_id) is None
    set_back(database_url, runs.c.lease_until, RESUMABLE_SECONDS)
    assert store.due_for_ring(0) == [run_id]
    assert store.queue_depth() == 1
    assert store.claim_next("worker", 60, Limits()) is not None
