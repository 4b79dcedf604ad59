"""What a worker does with a run id: the task's edge."""

import logging
import os
import platform
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from agent.replay import WAITING
from repo_tools.errors import TransientError
from workers.aftermath import evidence_of_row
from workers.bell import open_bell
from workers.build_workshop import build_workshop
from workers.carry_out import carry_out
from workers.github.errors import GitHubError
from workers.github.host import make_github_host
from workers.heartbeat import Heartbeat
from workers.host import Host
from workers.journal import intents_of
from workers.longest_wait import capped
from workers.outcomes import Outcome, OutcomeKind, Reason, RunStatus
from workers.settings import WorkerSettings
from workers.store import (
    MAX_ATTEMPTS,
    Claim,
    LeaseLostError,
    Limits,
    Run,
    RunStore,
    StoreUnavailableError,
    attempts_exhausted,
    open_store,
)
from workers.twins import Remove, remove_behind
from workers.waiting import DATABASE_SECONDS, MAX_WAITS, wait_after
from workers.workshop import Workshop

log = logging.getLogger(__name__)

RETRY_SECONDS = 30.0


class Executor:
    """Called with a run id from a message, which may be late, doubled or unknown: the store decides."""

    def __init__(  # noqa: PLR0913 - the last five have defaults
        self,
        store: RunStore,
        workshop: Workshop,
        host: Host,
        lease_seconds: float,
        *,
        retry_seconds: float = RETRY_SECONDS,
        limits: Limits = Limits(),  # noqa: B008 - immutable
        ring: Callable[[str], None] | None = None,
        remove_late: Remove | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`ring` sends a message for a run; it may raise TransientErrors. Without it the reconciler rings.
        `remove_late` removes what this worker wrote when it had lost the run; without it the patrol does, for a
        while."""
        self._store = store
        self._workshop = workshop
        self._host = host
        self._lease_seconds = lease_seconds
        self._retry_seconds = retry_seconds
        self._limits = limits
        self._ring = ring
        self._remove_late = remove_late
        self._sleep = sleep

    def __call__(self, run_id: str) -> None:
        """Work on the run whose turn it is, which may be another than the one that was rung for. While the database
        takes nothing, nothing is done, and nothing is lost: the reconciler rings again."""
        try:
            self._work_on_next(run_id)
        except StoreUnavailableError as away:
            _tell_operator(run_id, away)

    def _work_on_next(self, run_id: str) -> None:
        worker = f"{platform.node()}-{os.getpid()}"
        claim = self._store.claim_next(worker, self._lease_seconds, self._limits, rung=run_id)
        if claim is None:
            log.info("run %s: nothing to do (unknown, ended, another worker's, or not yet its turn)", run_id)
            return
        run = claim.run
        log.info("run %s: attempt %d at %s#%d", run.id, run.attempts, run.repository, run.issue_number)
        try:
            self._work_on(claim)
        except LeaseLostError as lost:
            log.warning("%s", lost)
            self._tidy_up(claim.run.id)
        self._ring_for_next()

    def _tidy_up(self, run_id: str) -> None:
        """Remove what this worker may have sent after it had lost the run. While the run has not ended, that is left
        to the patrol."""
        run = self._store.get(run_id)
        if self._remove_late is not None and run is not None and run.status is RunStatus.ENDED:
            remove_behind(self._store, run, self._remove_late)

    def _work_on(self, claim: Claim) -> None:
        try:
            self._work_on_or_put_back(claim)
        except SystemExit:  # this worker was told to stop: the run goes on with another one, at once
            with suppress(LeaseLostError, StoreUnavailableError):
                self._store.release(claim, counted=False)
                self._ring_softly(claim.run.id)
            raise

    def _work_on_or_put_back(self, claim: Claim) -> None:
        try:
            self._work_on_or_hand_over(claim)
        except TransientError as error:
            log.warning("run %s: will be tried again: %s", claim.run.id, error)
            self._put_back_once_possible(claim, error)

    def _work_on_or_hand_over(self, claim: Claim) -> None:
        run_id = claim.run.id
        try:
            self._end_or_carry_out(claim)
        except (LeaseLostError, TransientError):
            raise
        except GitHubError as error:  # its permissions, its tokens: the operator acts
            log.error("run %s: %s", run_id, error)  # noqa: TRY400 - it is no bug of ours
            self._hand_over(claim, Reason.GITHUB, "GitHub refuses this App; the operator's log says why.")
        except Exception:  # the task's edge: a bug ends this run, told to people, and not the worker
            log.exception("run %s: internal error", run_id)
            self._hand_over(claim, Reason.INTERNAL, "An internal error ended the run; the operator's log says more.")

    def _put_back_once_possible(self, claim: Claim, error: TransientError) -> None:
        """Try for as long as the database is away: nobody else can claim the run meanwhile, and a lease that runs out
        would cost it an attempt."""
        told = False
        while True:
            try:
                return self._put_back(claim, error)
            except StoreUnavailableError as away:
                if not told:
                    _tell_operator(claim.run.id, away)
                told = True
                self._sleep(DATABASE_SECONDS)

    def _put_back(self, claim: Claim, error: TransientError) -> None:
        """Back to the queue. A run that only waits loses no attempt by it, up to `MAX_WAITS` times."""
        run, asked = claim.run, error.retry_after_seconds
        told = None if asked is None else capped(f"run {run.id}", asked)
        wait = wait_after(error, run.waits, told, self._retry_seconds)
        if wait.whole_installation:
            self._store.pause_installation(run.installation_id, wait.seconds)
        if wait.words is not None and wait.settled:
            self._store.append_step(claim, WAITING, {"detail": wait.words})
        self._store.release(claim, delay_seconds=wait.seconds, counted=wait.words is None, waiting=wait.words)

    def _ring_softly(self, run_id: str) -> None:
        """Tell a free worker of the run. Where this fails the reconciler does it, a little later."""
        if self._ring is not None:
            with suppress(TransientError):
                self._ring(run_id)

    def _ring_for_next(self) -> None:
        """A run that waited for this one's place: its own message may be used up."""
        if self._ring is None:
            return
        try:
            waiting = self._store.next_waiting(self._limits)
            if waiting is not None:
                self._ring(waiting)
                self._store.mark_rung(waiting)
        except TransientError as error:
            log.warning("the reconciler rings for the next run: %s", error)

    def _end_or_carry_out(self, claim: Claim) -> None:
        """As the row says: some runs are only to be ended."""
        if claim.run.installation_id == 0:
            left = Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, "the command that owned this local run has ended")
            self._store.finish(claim, left, claim.run.spend)
        elif claim.run.cancel is not None:
            with self._holding(claim):
                self._stop(claim, claim.run.cancel)
        elif attempts_exhausted(claim.run):
            self._hand_over(claim, Reason.ATTEMPTS, "The run was started again and again and never came to an end.")
        else:
            outcome = carry_out(
                self._store,
                claim,
                self._host,
                self._workshop,
                self._lease_seconds,
                last_attempt=claim.run.attempts >= MAX_ATTEMPTS,
                may_wait=claim.run.waits < MAX_WAITS,
            )
            log.info("run %s: %s (%s)", claim.run.id, outcome.kind, outcome.reason)

    def _stop(self, claim: Claim, why: str) -> None:
        """End a run that is no longer wanted, in the place of the worker that began it."""
        evidence = evidence_of_row(claim.run, self._workshop, Reason.UNWANTED, why)
        request = replace(evidence.run, intents=intents_of(self._store, claim))
        begun = claim.run.base_commit is not None or claim.run.spend
        outcome = Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, why)
        if begun:
            outcome = self._host.publish_cancellation(replace(evidence, run=request))
        self._store.finish(claim, outcome, claim.run.spend)

    def _hand_over(self, claim: Claim, reason: Reason, detail: str) -> None:
        """End the run with an escalation that rests on nothing but the row, as it stands by now. TransientErrors
        propagate: people are told later."""
        row = self._store.get(claim.run.id) or claim.run
        with self._holding(claim):
            self._store.finish(claim, self._escalate(claim, row, reason, detail), row.spend)

    def _escalate(self, claim: Claim, row: Run, reason: Reason, detail: str) -> Outcome:
        try:
            evidence = evidence_of_row(row, self._workshop, reason, detail)
            request = replace(evidence.run, intents=intents_of(self._store, claim))
            return self._host.publish_escalation(replace(evidence, run=request))
        except (LeaseLostError, TransientError):
            raise
        except Exception:  # the same edge: what cannot be said on GitHub stands in the store
            log.exception("run %s: the escalation could not be published", claim.run.id)
            return Outcome(OutcomeKind.ESCALATION, reason, detail)

    def _holding(self, claim: Claim) -> Heartbeat:
        """What is said on GitHub may take longer than a lease."""
        return Heartbeat(self._store, claim, self._lease_seconds)


def _tell_operator(run_id: str, away: StoreUnavailableError) -> None:
    log.error(
        "run %s: the database cannot be written (%s). The run waits: it goes on from its last journaled step "
        "once the database takes writes again. See that it runs, and that its disk has room.",
        run_id,
        away,
    )


def build_executor(settings: WorkerSettings) -> Executor:
    """What one process of the worker's pool works with. ConfigError."""
    store, host = open_store(settings.effective_database_url), make_github_host(settings)
    return Executor(
        store,
        build_workshop(settings),
        host,
        settings.lease_seconds,
        limits=settings.run_limits,
        ring=open_bell(settings.broker_url).ring if settings.broker_url else None,
        remove_late=host.remove_late,
    )
