"""Who holds a run, and whose writes are refused."""

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.synchronize import Barrier as ProcessBarrier

import pytest

from tests.support.databases import set_back
from tests.support.issues import a_claim, a_delivery, a_run, an_issue, fall_silent, run_of
from workers.outcomes import Outcome, OutcomeKind, Reason, RunStatus
from workers.store import MAX_ATTEMPTS, Claim, LeaseLostError, RunStore, attempts_exhausted, open_store
from workers.store.leases import HAND_OFF_ATTEMPTS
from workers.store.schema import runs

ENDED = Outcome(OutcomeKind.DRAFT_PULL_REQUEST, Reason.PROVED, "Proved.", "https://x/c", "https://x/pull/1")


def expired_claim(store: RunStore, run_id: str | None = None) -> Claim:
    claim = a_claim(store, run_id)
    fall_silent(store, claim)
    return claim


def test_a_claimed_run_is_running_and_cannot_be_claimed_again(store: RunStore) -> None:
    claim = a_claim(store)
    assert (claim.epoch, claim.run.attempts, claim.run.status) == (1, 1, RunStatus.RUNNING)
    assert claim.run.started_at is not None
    assert claim.run == store.get(claim.run.id)
    assert store.claim(claim.run.id, "worker-2", 60) is None


def test_an_unknown_run_cannot_be_claimed(store: RunStore) -> None:
    assert store.claim("aaaaaaaaaaaa", "worker-1", 60) is None


def test_threads_that_claim_at_once_get_one_claim(database_url: str) -> None:
    stores = [open_store(database_url), open_store(database_url)]
    run_id = a_run(stores[0])
    barrier = threading.Barrier(10)

    def claim(number: int) -> Claim | None:
        barrier.wait()
        return stores[number % 2].claim(run_id, f"worker-{number}", 60)

    with ThreadPoolExecutor(10) as pool:
        claims = [one for one in pool.map(claim, range(10)) if one]
    assert len(claims) == 1
    assert run_of(stores[0], run_id).epoch == 1
    for store in stores:
        store.close()


def _claim_all(url: str, run_ids: list[str], barrier: ProcessBarrier, won: "multiprocessing.Queue[list[str]]") -> None:
    store = open_store(url)
    mine = []
    for run_id in run_ids:
        barrier.wait()
        if store.claim(run_id, "process", 60):
            mine.append(run_id)
    won.put(mine)


def test_processes_that_claim_at_once_get_one_claim_for_each_run(database_url: str) -> None:
    store = open_store(database_url)
    run_ids = [a_run(store) for _ in range(15)]
    store.close()
    spawn = multiprocessing.get_context("spawn")
    barrier, won = spawn.Barrier(2), spawn.Queue()
    processes = [spawn.Process(target=_claim_all, args=(database_url, run_ids, barrier, won)) for _ in range(2)]
    for process in processes:
        process.start()
    claimed = won.get() + won.get()
    for process in processes:
        process.join()
    assert sorted(claimed) == sorted(run_ids)


def test_a_run_whose_lease_ran_out_is_taken_over(store: RunStore) -> None:
    first = expired_claim(store)
    second = store.claim(first.run.id, "worker-2", 60)
    assert second is not None
    assert (second.epoch, second.run.attempts) == (2, 2)
    assert second.run.started_at == first.run.started_at


def test_a_renewed_lease_holds(store: RunStore, database_url: str) -> None:
    claim = a_claim(store, lease_seconds=60)
    for _ in range(4):  # far longer than the first lease
        set_back(database_url, runs.c.lease_until, 50)
        assert store.renew(claim, 60)
        assert store.claim(claim.run.id, "worker-2", 60) is None


def test_a_lease_that_ran_out_still_holds_until_somebody_claims_the_run(store: RunStore) -> None:
    claim = expired_claim(store)
    assert store.append_step(claim, "turn", {}) == 1
    assert store.renew(claim, 60)
    assert store.claim(claim.run.id, "worker-2", 60) is None


def test_every_write_of_a_worker_that_lost_its_run_is_refused(store: RunStore) -> None:
    stale = expired_claim(store)
    held = a_claim(store, stale.run.id)
    before = store.get(stale.run.id)
    assert not store.renew(stale, 60)
    with pytest.raises(LeaseLostError, match=stale.run.id):
        store.append_step(stale, "turn", {})
    with pytest.raises(LeaseLostError):
        store.set_progress(stale, stage="agent")
    with pytest.raises(LeaseLostError):
        store.finish(stale, ENDED, {})
    with pytest.raises(LeaseLostError):
        store.release(stale)
    assert store.get(stale.run.id) == before
    assert store.steps(stale.run.id) == []
    assert store.append_step(held, "turn", {}) == 1


def test_an_ended_run_takes_no_more_writes(store: RunStore) -> None:
    claim = a_claim(store)
    store.finish(claim, ENDED, {})
    with pytest.raises(LeaseLostError):
        store.append_step(claim, "turn", {})
    assert not store.renew(claim, 60)
    assert store.claim(claim.run.id, "worker-2", 60) is None


def test_finishing_keeps_the_outcome_and_is_harmless_twice(store: RunStore) -> None:
    claim = a_claim(store)
    spend = {"usd": {"used": 0.25, "limit": 3.0}}
    store.finish(claim, ENDED, spend)
    store.finish(claim, ENDED, spend)
    run = run_of(store, claim.run.id)
    assert (run.status, run.outcome, run.reason, run.detail) == (RunStatus.ENDED, ENDED.kind, ENDED.reason, "Proved.")
    assert (run.url, run.pull_request_url, run.spend) == (ENDED.url, ENDED.pull_request_url, spend)
    assert run.ended_at is not None
    assert run.ended_at >= run.created_at


def test_a_released_run_can_be_claimed_at_once_and_its_attempt_counts(store: RunStore) -> None:
    claim = a_claim(store)
    store.release(claim)
    assert run_of(store, claim.run.id).status is RunStatus.QUEUED
    assert a_claim(store, claim.run.id).run.attempts == 2


def test_an_attempt_that_was_cut_short_by_a_shutdown_does_not_count(store: RunStore) -> None:
    claim = a_claim(store)
    store.release(claim, counted=False)
    again = a_claim(store, claim.run.id)
    assert (again.run.attempts, again.epoch) == (1, 2)


def test_a_run_released_with_a_delay_waits_for_it(store: RunStore, database_url: str) -> None:
    claim = a_claim(store)
    store.release(claim, delay_seconds=60)
    assert store.claim(claim.run.id, "worker-2", 60) is None
    assert store.due_for_ring(0) == []
    set_back(database_url, runs.c.due_at, 61)
    assert store.due_for_ring(0) == [claim.run.id]
    assert store.claim(claim.run.id, "worker-2", 60) is not None


def test_attempts_end_with_a_claim_for_handing_off_and_then_for_good(store: RunStore) -> None:
    run_id = a_run(store)
    exhausted = [attempts_exhausted(expired_claim(store, run_id).run) for _ in range(MAX_ATTEMPTS + HAND_OFF_ATTEMPTS)]
    assert exhausted == [False] * MAX_ATTEMPTS + [True] * HAND_OFF_ATTEMPTS
    assert store.claim(run_id, "worker-1", 60) is None
    assert store.due_for_ring(0) == []
    assert store.end_hopeless() == [run_id]
    run = run_of(store, run_id)
    assert (run.status, run.outcome, run.reason) == (RunStatus.ENDED, OutcomeKind.ESCALATION, Reason.ATTEMPTS)
    assert store.end_hopeless() == []


def test_a_run_that_is_still_handed_off_is_not_hopeless(store: RunStore) -> None:
    run_id = a_run(store)
    for _ in range(MAX_ATTEMPTS + HAND_OFF_ATTEMPTS - 1):
        expired_claim(store, run_id)
    last = a_claim(store, run_id)
    assert store.end_hopeless() == []
    store.finish(last, ENDED, {})


def test_the_issue_of_a_hopeless_run_can_be_labelled_again(store: RunStore) -> None:
    issue = an_issue()
    run_id = a_run(store, issue)
    for _ in range(MAX_ATTEMPTS + HAND_OFF_ATTEMPTS):
        expired_claim(store, run_id)
    store.end_hopeless()
    assert store.create_run_once(a_delivery(), issue).created
