"""What an idle node leaves waiting: only runs that are its to take. And which node lives."""

import time
from dataclasses import replace

from tests.support.issues import a_claim, a_run, an_issue
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.store import Claim, Limits, RunStore

NODE = "node_1-"  # a wildcard of LIKE, taken as it stands
NO_LIMITS = Limits()


def claim_by(store: RunStore, worker: str, run_id: str | None = None, lease_seconds: float = 60) -> Claim:
    claim = store.claim(run_id or a_run(store), worker, lease_seconds)
    assert claim is not None
    return claim


def test_the_run_that_is_first_in_turn_is_left_waiting_by_an_idle_node(store: RunStore) -> None:
    assert store.left_waiting(NO_LIMITS, NODE) is None
    first, _ = a_run(store), a_run(store)
    claim_by(store, "node-1-77")
    claim_by(store, "nodex1-77")
    assert store.left_waiting(NO_LIMITS, NODE) == first == store.next_waiting(NO_LIMITS)


def test_a_node_that_works_leaves_nothing_waiting_until_it_is_done(store: RunStore) -> None:
    held = claim_by(store, f"{NODE}77")
    waiting = a_run(store)
    assert store.left_waiting(NO_LIMITS, NODE) is None
    store.finish(held, Outcome(OutcomeKind.ESCALATION, Reason.GAVE_UP, ""), {})
    assert store.left_waiting(NO_LIMITS, NODE) == waiting


def test_a_run_whose_lease_ran_out_is_held_by_nobody(store: RunStore) -> None:
    held = claim_by(store, f"{NODE}77", lease_seconds=0.05)
    time.sleep(0.1)
    assert store.left_waiting(NO_LIMITS, NODE) == held.run.id


def test_runs_that_wait_for_their_share_are_not_left_waiting(store: RunStore) -> None:
    for _ in range(2):
        claim_by(store, "elsewhere-1")
    a_run(store)
    assert store.left_waiting(Limits(repository=2), NODE) is None
    assert store.left_waiting(Limits(installation=2), NODE) is None
    assert store.left_waiting(Limits(repository=3, installation=3), NODE) is not None


def test_runs_that_wait_for_the_model_or_for_github_are_not_left_waiting(store: RunStore) -> None:
    store.release(a_claim(store), delay_seconds=60, counted=False, waiting="Waits for the model's provider.")
    assert store.left_waiting(NO_LIMITS, NODE) is None


def test_a_local_run_is_its_commands_own(store: RunStore) -> None:
    a_run(store, replace(an_issue(0, repository_id=-5), installation_id=0))
    assert store.left_waiting(NO_LIMITS, NODE) is None


def test_a_node_lives_while_one_of_its_workers_is_seen_or_at_work(store: RunStore) -> None:
    store.worker_seen("elsewhere-1")
    claim_by(store, "elsewhere-2")
    assert not store.node_lives(60, NODE)
    held = claim_by(store, f"{NODE}77")
    assert store.node_lives(60, NODE)
    store.release(held)
    assert not store.node_lives(60, NODE)
    store.worker_seen(f"{NODE}1")
    assert store.node_lives(60, NODE)
    assert not store.node_lives(0, NODE)
