"""Runs that wait for GitHub or the model, and that are stopped: what their rows say, and what it cost."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from agent.errors import ModelAccessError, ModelError, ModelUnavailableError
from agent.replay import WAITING, call_was_in_flight
from repo_tools.errors import DiskFullError, SandboxUnavailableError, TransientError
from tests.support.cases import executed
from tests.support.hosts import FailingHost, empty_workshop
from tests.support.issues import a_claim, a_delivery, a_run, an_issue
from tests.support.journals import SPEND
from workers.execute import Executor
from workers.github.errors import GitHubUnavailableError, UnauthorizedError
from workers.host import RunCancelledError, RunRequest
from workers.longest_wait import LONGEST_SECONDS as LONGEST_ASKED
from workers.outcomes import OutcomeKind, Reason, RunStatus
from workers.store import (
    MAX_ATTEMPTS,
    Limits,
    RunStore,
    StopOrder,
    StopScope,
    StoreUnavailableError,
)
from workers.waiting import DATABASE_SECONDS, LONGEST_SECONDS, MAX_WAITS, Wait, wait_after, wait_seconds, waiting_words

GONE = StopOrder(StopScope.REPOSITORY, "The repository was archived.", repository_id=42)


def limited(seconds: float | None) -> GitHubUnavailableError:
    error = GitHubUnavailableError("POST /x", 403, "You have exceeded a secondary rate limit")
    error.retry_after_seconds = seconds
    return error


def hours_later(seconds: float) -> ModelUnavailableError:
    error = ModelUnavailableError("529 overloaded")
    error.retry_after_seconds = seconds
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (limited(3600), "Waits for GitHub, which limits this installation and asks for 3600 seconds."),
        (UnauthorizedError("ask for a token", 401), "Waits for the operator: GitHub refuses the App's key"),
        (ModelUnavailableError("529 overloaded"), "Waits for the model's provider, which is overloaded"),
        (
            ModelAccessError("invalid x-api-key", status=401),
            "Waits for the operator: the model's provider refuses the key (401)",
        ),
        (ModelAccessError("too low", status=400), "Waits for the operator: the model's provider has no credit left"),
        (DiskFullError("the disk of /data is full"), "Waits for room on the worker's disk."),
    ],
    ids=["github", "key", "model", "model's key", "credit", "disk"],
)
def test_a_run_waits_in_the_database_without_an_attempt_and_says_so(
    store: RunStore, error: Exception, words: str
) -> None:
    run = executed(store, FailingHost(error))
    assert (run.status, run.attempts, run.waits) == (RunStatus.QUEUED, 0, 1)
    assert (run.waiting or "").startswith(words)
    assert store.claim_next("worker", 60, Limits()) is None  # not before its time
    assert [step.kind for step in store.steps(run.id)] == ["stage", WAITING]


def test_what_github_told_one_run_holds_for_all_of_its_installation(store: RunStore) -> None:
    executed(store, FailingHost(limited(3600)))
    other = a_run(store)
    assert executed(store, FailingHost(AssertionError("GitHub is asked")), other).status is RunStatus.QUEUED
    assert store.is_paused(an_issue().installation_id)


@pytest.mark.parametrize("error", [limited(8640000), hours_later(8640000)], ids=["github", "model"])
def test_nobody_has_a_run_wait_for_months(
    store: RunStore, tmp_path: Path, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    executed(store, FailingHost(error))
    with closing(sqlite3.connect(tmp_path / "store.db")) as database:
        times = database.execute("select due_at from runs union select until from pauses").fetchall()
    assert all(at <= time.time() + LONGEST_ASKED for (at,) in times)
    assert "told to wait for 8640000 seconds" in caplog.text


def test_github_that_only_does_not_answer_holds_up_no_other_run(store: RunStore) -> None:
    executed(store, FailingHost(limited(None)))
    assert not store.is_paused(an_issue().installation_id)


def test_a_run_waits_for_the_database_and_its_last_call_counts_as_one_without_an_answer(store: RunStore) -> None:
    """A reply that could not be journaled was paid for: unlike after other waits, the next attempt charges it."""
    run = executed(store, FailingHost(StoreUnavailableError("database is locked")))
    assert (run.status, run.attempts, run.waits) == (RunStatus.QUEUED, 0, 1)
    assert (run.waiting or "").startswith("Waits for the database")
    assert WAITING not in [step.kind for step in store.steps(run.id)]


def test_a_database_that_takes_little_and_no_reply_is_asked_less_and_less_often(
    store: RunStore, tmp_path: Path
) -> None:
    """Each time another reply is paid for."""
    host = FailingHost(StoreUnavailableError("database or disk is full"))
    claim = a_claim(store)
    for _ in range(5):
        store.release(claim, counted=False, waiting="Waits for the database.")
        claim = a_claim(store, claim.run.id)
    store.release(claim, counted=False)
    before = store.time().timestamp()
    run = executed(store, host, claim.run.id)
    assert run.waits == 6
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        ((due_at,),) = connection.execute("select due_at from runs").fetchall()
    assert due_at >= before + wait_seconds(5, DATABASE_SECONDS)


def test_waiting_never_uses_up_the_attempts(store: RunStore) -> None:
    host = FailingHost(limited(0.0))
    run = executed(store, host, times=2 * MAX_ATTEMPTS)
    assert (run.status, run.attempts, run.waits) == (RunStatus.QUEUED, 0, 2 * MAX_ATTEMPTS)
    assert host.published == []


def test_what_waits_for_ever_is_handed_over(store: RunStore) -> None:
    claim = a_claim(store)
    for _ in range(MAX_WAITS):
        store.release(claim, counted=False, waiting="Waits.")
        claim = a_claim(store, claim.run.id)
    store.release(claim, counted=False)
    run = executed(store, FailingHost(limited(0.0)), claim.run.id, times=MAX_ATTEMPTS + 1)
    assert (run.status, run.outcome, run.reason) == (RunStatus.ENDED, OutcomeKind.ESCALATION, Reason.ATTEMPTS)


@pytest.mark.parametrize(
    ("error", "asked", "seconds", "whole_installation", "settled"),
    [
        (limited(50), 50, 50, True, True),
        (limited(None), None, 60, False, True),
        (ModelUnavailableError("529 overloaded"), 50, 50, False, True),
        (StoreUnavailableError("locked"), None, 2 * DATABASE_SECONDS, False, False),
    ],
    ids=["github asks", "github is silent", "model asks", "database"],
)
def test_how_long_a_run_waits_and_whether_others_wait_with_it(
    error: TransientError, asked: float | None, seconds: float, whole_installation: bool, settled: bool
) -> None:
    wait = wait_after(error, waits=1, asked_seconds=asked, retry_seconds=30)
    assert wait == Wait(seconds, waiting_words(error), whole_installation, settled)


def test_what_waited_too_often_and_what_only_failed_is_a_failed_attempt() -> None:
    assert wait_after(limited(None), MAX_WAITS, None, 30) == Wait(30, None)
    assert wait_after(SandboxUnavailableError("away"), 0, None, 30) == Wait(30, None)


def test_each_wait_is_longer_up_to_a_quarter_of_an_hour() -> None:
    waits = [wait_seconds(number, 30) for number in range(10)]
    assert waits[:3] == [30, 60, 120]
    assert waits == sorted(waits)
    assert wait_seconds(MAX_WAITS, 30) == LONGEST_SECONDS


def test_other_failures_are_attempts() -> None:
    assert waiting_words(SandboxUnavailableError("away")) is None
    assert not isinstance(ModelError("no such model"), ModelUnavailableError)


def stage(name: str) -> tuple[str, dict[str, str]]:
    return "stage", {"name": name}


REPLY: tuple[str, dict[str, object]] = ("reply", {"blocks": []})


@pytest.mark.parametrize(
    ("steps", "in_flight"),
    [
        ([REPLY, stage("admit"), stage("agent")], True),
        ([REPLY, (WAITING, {}), stage("admit"), stage("agent")], False),
        ([REPLY, (WAITING, {}), stage("agent"), stage("admit"), stage("agent")], True),
        ([REPLY, (WAITING, {}), stage("agent"), REPLY, stage("admit"), stage("agent")], True),
        ([REPLY, (WAITING, {}), stage("admit"), (WAITING, {}), stage("admit"), stage("agent")], False),
    ],
)
def test_only_a_call_that_a_kill_may_have_cut_short_is_charged(
    steps: list[tuple[str, object]], in_flight: bool
) -> None:
    assert call_was_in_flight(steps) is in_flight  # type: ignore[arg-type]


def test_a_run_that_is_stopped_before_it_cost_anything_says_nothing(store: RunStore) -> None:
    host = FailingHost(RunCancelledError("The label was taken off."))
    run = executed(store, host)
    assert (run.outcome, run.reason, run.detail) == (
        OutcomeKind.CANCELLED,
        Reason.UNWANTED,
        "The label was taken off.",
    )
    assert host.published == []


def test_a_run_whose_worker_died_while_it_was_stopped_is_ended_by_the_next_and_says_what_was_spent(
    store: RunStore,
) -> None:
    claim = a_claim(store)
    store.set_progress(claim, spend=SPEND, base_commit="0" * 40)
    store.stop_runs(a_delivery(), GONE)
    store.release(claim)
    host = FailingHost(AssertionError("not to be asked"))
    run = executed(store, host, claim.run.id)
    assert (run.status, run.outcome, run.detail) == (RunStatus.ENDED, OutcomeKind.CANCELLED, GONE.why)
    assert [evidence.spend for evidence in host.published] == [SPEND]


def test_a_second_run_of_a_labelling_ends_without_a_word(store: RunStore) -> None:
    issue = an_issue()
    host = FailingHost(RunCancelledError("Closed."), labelled=5)
    first = executed(store, host, a_run(store, issue))
    second = executed(store, host, a_run(store, issue))
    assert (first.labelling, first.reason) == (5, Reason.UNWANTED)
    assert (second.labelling, second.reason) == (None, Reason.DUPLICATE)
    assert second.detail == f"Run {first.id} is of the same labelling."
    assert host.published == []


def test_the_next_run_is_rung_for_when_a_place_is_free(store: RunStore) -> None:
    first, second = a_run(store), a_run(store)
    rung: list[str] = []
    host = FailingHost(RunCancelledError("Closed."))
    Executor(store, empty_workshop(), host, 60, limits=Limits(repository=1), ring=rung.append)(second)
    assert rung == [second]  # the first was first
    assert store.next_waiting(Limits()) == second != first


def test_a_worker_tells_a_run_under_way_that_it_is_unwanted(store: RunStore) -> None:
    """W20: at the step boundary after its heartbeat brought word of it."""

    class StopsItself(FailingHost):
        def admit(self, run: RunRequest) -> None:
            store.stop_runs(a_delivery(), GONE)
            assert store.why_unwanted(run.run_id) == GONE.why
            super().admit(run)

    run = executed(store, StopsItself(limited(0.0)), times=2)
    assert (run.outcome, run.detail) == (OutcomeKind.CANCELLED, GONE.why)
