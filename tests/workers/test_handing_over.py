"""A run that is handed over while those whom it needs for that are away: people are told later, and once."""

import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent.errors import ModelUnavailableError
from app.standins.github import GitHubStandIn
from app.standins.github_faults import Fault, FaultKind
from repo_tools.errors import SandboxUnavailableError, TransientError
from tests.support.attempts import stored_run
from tests.support.cases import executed
from tests.support.github import REPOSITORY, make_scene
from tests.support.hosts import FailingHost, empty_workshop
from tests.support.issues import a_claim, a_delivery, a_run, run_of
from tests.support.journals import SPEND
from workers.execute import Executor
from workers.github.errors import ForbiddenError, GitHubUnavailableError
from workers.host import Evidence, RunRequest
from workers.outcomes import Outcome, OutcomeKind, Reason, RunStatus
from workers.store import (
    MAX_ATTEMPTS,
    Claim,
    RunStore,
    StopOrder,
    StopScope,
    StoreUnavailableError,
)
from workers.store.leases import HAND_OFF_ATTEMPTS
from workers.waiting import MAX_WAITS


@dataclass
class SpeechlessHost(FailingHost):
    """Takes what is to be published only after it has raised each of `speechless`."""

    speechless: list[BaseException] = field(default_factory=list)

    def publish_escalation(self, evidence: Evidence) -> Outcome:
        if self.speechless:
            raise self.speechless.pop(0)
        return super().publish_escalation(evidence)


def at_attempt(store: RunStore, number: int) -> str:
    """The id of a queued run whose next claim is this attempt."""
    run_id = a_run(store)
    for _ in range(number - 1):
        store.release(a_claim(store, run_id))
    return run_id


def at_once(error: TransientError) -> Exception:
    """To be tried again without delay."""
    error.retry_after_seconds = 0.0
    return error


def limited() -> Exception:
    return at_once(GitHubUnavailableError("POST /x", 403, "You have exceeded a secondary rate limit"))


@pytest.mark.parametrize(
    ("error", "attempt", "reason"),
    [
        (at_once(SandboxUnavailableError("away")), MAX_ATTEMPTS, Reason.SANDBOX),
        (ZeroDivisionError("a bug"), 1, Reason.INTERNAL),
        (ForbiddenError("ask", 403, "no access"), 1, Reason.GITHUB),
        (AssertionError("not to be asked"), MAX_ATTEMPTS + 1, Reason.ATTEMPTS),
    ],
    ids=["last attempt", "bug", "refused", "attempts used up"],
)
def test_it_waits_while_github_limits_and_is_told_once(
    store: RunStore, error: Exception, attempt: int, reason: Reason
) -> None:
    host = SpeechlessHost(error, speechless=[limited(), limited()])
    run_id = at_attempt(store, attempt)
    waiting = executed(store, host, run_id, times=2)
    assert (waiting.status, waiting.attempts, waiting.waits) == (RunStatus.QUEUED, attempt - 1, 2)
    assert (waiting.waiting or "").startswith("Waits for GitHub")
    ended = executed(store, host, run_id, times=2)
    assert (ended.outcome, ended.reason, ended.url) == (OutcomeKind.ESCALATION, reason, "comment")
    assert len(host.published) == 1


def test_it_waits_while_the_database_is_locked(store: RunStore) -> None:
    host = SpeechlessHost(ZeroDivisionError("a bug"), speechless=[StoreUnavailableError("database is locked")])
    run = executed(store, host, a_run(store))
    assert (run.status, run.attempts, run.waits) == (RunStatus.QUEUED, 0, 1)
    assert (run.waiting or "").startswith("Waits for the database")


def test_what_github_refuses_for_good_ends_it_without_a_word(store: RunStore) -> None:
    host = SpeechlessHost(ZeroDivisionError("a bug"), speechless=[ForbiddenError("POST /x", 403)])
    run = executed(store, host, a_run(store))
    assert (run.outcome, run.reason, run.url) == (OutcomeKind.ESCALATION, Reason.INTERNAL, None)


def test_after_the_last_wait_each_hand_off_is_tried_and_then_it_ends_all_the_same(store: RunStore) -> None:
    run_id = at_attempt(store, MAX_ATTEMPTS + 1)
    for _ in range(MAX_WAITS):
        store.release(a_claim(store, run_id), counted=False, waiting="Waits.")
    host = SpeechlessHost(AssertionError("not to be asked"), speechless=[limited() for _ in range(HAND_OFF_ATTEMPTS)])
    assert executed(store, host, run_id, times=HAND_OFF_ATTEMPTS + 1).status is RunStatus.QUEUED
    assert host.speechless == []
    assert store.end_hopeless() == [run_id]
    ended = run_of(store, run_id)
    assert (ended.status, ended.outcome, ended.reason) == (RunStatus.ENDED, OutcomeKind.ESCALATION, Reason.ATTEMPTS)


def test_a_run_that_waits_with_attempts_left_is_not_hopeless(store: RunStore) -> None:
    at_attempt(store, MAX_ATTEMPTS + HAND_OFF_ATTEMPTS)
    assert store.end_hopeless() == []


def test_a_worker_that_is_told_to_stop_while_it_hands_a_run_over_gives_it_back(store: RunStore) -> None:
    host = SpeechlessHost(ZeroDivisionError("a bug"), speechless=[SystemExit()])
    run_id = a_run(store)
    with pytest.raises(SystemExit):
        executed(store, host, run_id)
    assert a_claim(store, run_id).run.attempts == 1


def test_a_worker_that_is_told_to_stop_while_it_puts_a_run_back_gives_it_back(sqlite_store: RunStore) -> None:
    class Stopping(RunStore):
        def pause_installation(self, installation_id: int, seconds: float) -> None:
            raise SystemExit

    store = Stopping(sqlite_store._engine)
    run_id = a_run(store)
    with pytest.raises(SystemExit):
        executed(store, FailingHost(limited()), run_id)
    assert a_claim(store, run_id).run.attempts == 1


class Renewed(RunStore):
    """Says when a lease was renewed."""

    renewed = threading.Event()

    def renew(self, claim: Claim, lease_seconds: float) -> bool:
        held = super().renew(claim, lease_seconds)
        self.renewed.set()
        return held


@dataclass
class SlowHost(FailingHost):
    """Takes so long to publish that the lease has to be renewed."""

    renewed: threading.Event = field(default_factory=threading.Event)
    was_renewed: bool = False

    def publish_escalation(self, evidence: Evidence) -> Outcome:
        self.was_renewed = self._wait()
        return super().publish_escalation(evidence)

    def publish_cancellation(self, evidence: Evidence) -> Outcome:
        self.was_renewed = self._wait()
        return super().publish_cancellation(evidence)

    def _wait(self) -> bool:
        self.renewed.clear()
        return self.renewed.wait(60)


@pytest.mark.parametrize("cancelled", [False, True], ids=["handed over", "cancelled"])
def test_the_run_is_held_for_as_long_as_telling_of_its_end_takes(sqlite_store: RunStore, cancelled: bool) -> None:
    store = Renewed(sqlite_store._engine)
    claim = a_claim(store)
    store.set_progress(claim, spend=SPEND)
    if cancelled:
        store.stop_runs(a_delivery(), StopOrder(StopScope.REPOSITORY, "Archived.", repository_id=42))
    store.release(claim)
    host = SlowHost(ZeroDivisionError("a bug"), renewed=store.renewed)
    Executor(store, empty_workshop(), host, lease_seconds=1)(claim.run.id)
    assert host.was_renewed
    assert len(host.published) == 1


@dataclass
class ComingBack(SpeechlessHost):
    """A run meets each of `first` before it meets `error`."""

    first: list[Exception] = field(default_factory=list)

    def admit(self, run: RunRequest) -> None:
        if self.first:
            raise self.first.pop(0)
        super().admit(run)


def model_away() -> Exception:
    return at_once(ModelUnavailableError("529 overloaded"))


def test_the_last_attempt_waits_for_the_model_as_for_github(store: RunStore) -> None:
    first = [limited(), model_away(), limited(), model_away()]
    host = ComingBack(at_once(SandboxUnavailableError("away")), speechless=[limited()], first=first)
    run_id = at_attempt(store, MAX_ATTEMPTS)
    waiting = executed(store, host, run_id, times=5)
    assert (waiting.status, waiting.attempts, waiting.waits) == (RunStatus.QUEUED, MAX_ATTEMPTS - 1, 5)
    assert host.published == []
    ended = executed(store, host, run_id)
    assert (ended.outcome, ended.reason) == (OutcomeKind.ESCALATION, Reason.SANDBOX)
    assert len(host.published) == 1


def test_a_model_that_stays_away_ends_the_last_attempt_after_the_last_wait(store: RunStore) -> None:
    run_id = at_attempt(store, MAX_ATTEMPTS)
    for _ in range(MAX_WAITS):
        store.release(a_claim(store, run_id), counted=False, waiting="Waits.")
    host = FailingHost(model_away())
    ended = executed(store, host, run_id)
    assert (ended.outcome, ended.reason, len(host.published)) == (OutcomeKind.ESCALATION, Reason.MODEL, 1)


def test_on_github_there_is_one_comment_at_last(store: RunStore, tmp_path: Path) -> None:
    with GitHubStandIn() as github:
        scene = make_scene(github, tmp_path)
        run_id = stored_run(store, scene.run).id
        for _ in range(MAX_ATTEMPTS):
            store.release(a_claim(store, run_id))
        github.faults.add(Fault(FaultKind.SERVER_ERROR, "POST", "/comments$"))
        executor = Executor(store, empty_workshop(), scene.host, lease_seconds=60, retry_seconds=0.0)
        executor(run_id)
        waiting = run_of(store, run_id)
        assert (waiting.status, waiting.waits, github.comments(REPOSITORY, 1)) == (RunStatus.QUEUED, 1, [])
        executor(run_id)
        (comment,) = github.comments(REPOSITORY, 1)
        ended = run_of(store, run_id)
        assert (ended.outcome, ended.reason) == (OutcomeKind.ESCALATION, Reason.ATTEMPTS)
        assert (ended.url or "").endswith(f"issuecomment-{comment.id}")
