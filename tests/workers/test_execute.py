"""The task's edge: whatever a run raises, its row says what became of it."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass

import pytest

from repo_tools.errors import SandboxUnavailableError
from tests.support.cases import executed
from tests.support.hosts import FailingHost, empty_workshop
from tests.support.issues import a_claim, a_run
from tests.support.journals import SPEND
from workers.execute import Executor
from workers.github.errors import ForbiddenError, GitHubUnavailableError
from workers.host import RunCancelledError, RunRefusedError, RunRequest
from workers.outcomes import Outcome, OutcomeKind, Reason, RunStatus
from workers.store import MAX_ATTEMPTS, Claim, IssueSnapshot, RunStore


def test_what_may_pass_puts_the_run_back_to_be_tried_not_at_once(store: RunStore) -> None:
    run = executed(store, FailingHost(SandboxUnavailableError("the engine is away")))
    assert run.status is RunStatus.QUEUED
    assert store.claim(run.id, "another", 60) is None


def test_an_operator_sees_in_the_log_that_a_run_has_begun(store: RunStore, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    run = executed(store, FailingHost(RunCancelledError("the label is off")))
    assert f"run {run.id}: attempt 1 at {run.repository}#{run.issue_number}" in caplog.text


def test_github_says_when_to_come_back(store: RunStore) -> None:
    limited = GitHubUnavailableError("ask", 403, "secondary rate limit")
    limited.retry_after_seconds = 0.0
    run = executed(store, FailingHost(limited))
    assert store.claim(run.id, "another", 60) is not None


def test_what_may_pass_but_does_not_is_handed_over_at_the_last_attempt(store: RunStore) -> None:
    gone = SandboxUnavailableError("away")
    gone.retry_after_seconds = 0.0
    host = FailingHost(gone)
    ended = executed(store, host, times=MAX_ATTEMPTS)
    assert (ended.outcome, ended.reason, ended.attempts) == (OutcomeKind.ESCALATION, Reason.SANDBOX, MAX_ATTEMPTS)
    assert len(host.published) == 1


@pytest.mark.parametrize(
    ("error", "outcome", "reason"),
    [
        (RunRefusedError(Reason.PERMISSION, "may only read"), OutcomeKind.REFUSED, Reason.PERMISSION),
        (RunCancelledError("the label is off"), OutcomeKind.CANCELLED, Reason.UNWANTED),
        (ForbiddenError("ask", 403, "no access"), OutcomeKind.ESCALATION, Reason.GITHUB),
        (ZeroDivisionError("a bug"), OutcomeKind.ESCALATION, Reason.INTERNAL),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_way_to_fail_ends_the_run_with_its_reason(
    store: RunStore, error: Exception, outcome: OutcomeKind, reason: Reason
) -> None:
    run = executed(store, FailingHost(error))
    assert (run.status, run.outcome, run.reason) == (RunStatus.ENDED, outcome, reason)


def test_an_internal_error_is_told_without_its_text(store: RunStore) -> None:
    host = FailingHost(ZeroDivisionError("secret-of-the-host"))
    executed(store, host)
    assert "secret-of-the-host" not in host.published[0].detail


def test_a_run_that_is_handed_over_tells_what_it_had_spent(store: RunStore) -> None:
    claim, host = a_claim(store), FailingHost(ZeroDivisionError("a bug"))
    store.set_progress(claim, spend=SPEND)
    store.release(claim)
    Executor(store, empty_workshop(), host, lease_seconds=60)(claim.run.id)
    assert host.published[0].spend == SPEND


def test_a_worker_that_is_told_to_stop_gives_the_run_back_at_once(store: RunStore) -> None:
    run_id = a_run(store)
    with pytest.raises(SystemExit):
        Executor(store, empty_workshop(), FailingHost(SystemExit()), lease_seconds=60)(run_id)  # type: ignore[arg-type]
    claim = store.claim(run_id, "another", 60)
    assert claim is not None
    assert claim.run.attempts == 1


def test_a_run_that_is_given_back_is_rung_for_at_once(store: RunStore) -> None:
    """Another worker goes on without waiting for the reconciler, which rings again where the message is lost."""
    run_id, rung = a_run(store), list[str]()
    stopped = FailingHost(SystemExit())  # type: ignore[arg-type]
    with pytest.raises(SystemExit):
        Executor(store, empty_workshop(), stopped, lease_seconds=60, ring=rung.append)(run_id)
    assert rung == [run_id]
    assert store.due_for_ring(0.0) == [run_id]


def test_a_local_run_that_its_command_left_behind_is_ended_not_worked_on(store: RunStore) -> None:
    local = IssueSnapshot(0, -5, "calc", 0, "It breaks", "", "me", None)
    run = executed(store, FailingHost(AssertionError("not to be asked")), a_run(store, local))
    assert (run.outcome, run.reason) == (OutcomeKind.CANCELLED, Reason.UNWANTED)


def test_an_id_that_nobody_knows_is_passed_over(store: RunStore) -> None:
    host = FailingHost(AssertionError("not to be asked"))
    Executor(store, empty_workshop(), host, lease_seconds=60)("nosuchrun00")
    assert host.published == []


def test_what_an_attempt_spent_before_a_bug_ended_it_stays_in_the_row(store: RunStore) -> None:
    spend = {"usd": {"used": 2.5, "limit": 3.0}}

    class SpendsFirst(FailingHost):
        def admit(self, run: RunRequest) -> None:
            claim = Claim(store.get(run.run_id), 1)  # type: ignore[arg-type]
            store.set_progress(claim, spend=spend)
            super().admit(run)

    host = SpendsFirst(ZeroDivisionError("a bug"))
    run = executed(store, host)
    assert run.spend == spend
    assert host.published[0].spend == spend


@dataclass
class Overtaken(FailingHost):
    """While it admits the run, another worker takes that over, and ends it or not."""

    store: RunStore | None = None
    outcome: Outcome | None = None

    def admit(self, run: RunRequest) -> None:
        assert self.store is not None
        with closing(sqlite3.connect(str(self.store._engine.url.database))) as database, database:
            database.execute("update runs set lease_until = 0")
        other = a_claim(self.store, run.run_id)
        if self.outcome is not None:
            self.store.finish(other, self.outcome, {})
        run.intents.intend("reaction eyes")


@pytest.mark.parametrize("outcome", [Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, "Off."), None])
def test_a_worker_that_lost_its_run_tidies_up_behind_it_once_that_has_ended(
    store: RunStore, outcome: Outcome | None
) -> None:
    tidied: list[tuple[str, Outcome]] = []
    run_id = a_run(store)
    host = Overtaken(ZeroDivisionError(), store=store, outcome=outcome)
    Executor(
        store, empty_workshop(), host, 60, remove_late=lambda run, ended: tidied.append((run.run_id, ended))
    )(run_id)  # fmt: skip
    assert tidied == ([(run_id, outcome)] if outcome else [])
