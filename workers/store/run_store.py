"""The run store: every read and write that the product makes, each in one transaction.

All methods may raise `StoreUnavailableError`. Those that take a claim raise `LeaseLostError`, writing nothing, once
another worker holds the run or it has ended.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import import_module
from typing import Any

from sqlalchemy import Engine

from workers.outcomes import Outcome
from workers.store import chores, doorbell, fairness, journal, labellings, leases, pauses, presence, reads
from workers.store.at_once import IntakeAtOnce
from workers.store.clock import read_time
from workers.store.database import make_engine, reading, writing, writing_past_sqlalchemy
from workers.store.errors import StoreUnavailableError
from workers.store.forgetting import LEAST_SECONDS, forget
from workers.store.intake import Intake
from workers.store.values import (
    Chore,
    Claim,
    CreatedRun,
    IssueSnapshot,
    Limits,
    NewDelivery,
    Run,
    Step,
    StopOrder,
)
from workers.store.version import has_newest_schema


class RunStore:
    """Safe to share between threads, never across a fork."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._intake = Intake(engine.dialect)
        self._at_once: IntakeAtOnce | None = None

    def close(self) -> None:
        if self._at_once is not None:
            self._at_once.close()
        self._engine.dispose()

    # Intake: the webhook, the command line

    def create_run_once(self, delivery: NewDelivery, issue: IssueSnapshot, labelling: int | None = None) -> CreatedRun:
        """Delivery and run in one transaction. `labelling` is the id of the `labeled` event, for whoever knows it.

        A delivery that was processed before, another one of the same labelling, or another labelling of an issue that
        has a run under way which is wanted, gives the run that exists.
        """
        with writing_past_sqlalchemy(self._engine) as driver:
            return self._intake.create_run_once(driver, delivery, issue, labelling)

    def stop_runs(self, delivery: NewDelivery, *orders: StopOrder) -> int:
        """Write delivery and orders in one transaction; the number of runs that are to stop. One that nobody began ends
        here and now."""
        with writing_past_sqlalchemy(self._engine) as driver:
            return self._intake.stop_runs(driver, delivery, orders)

    def record_ignored(self, delivery: NewDelivery, reason: str) -> None:
        """Write a delivery that makes no run."""
        with writing_past_sqlalchemy(self._engine) as driver:
            self._intake.record_ignored(driver, delivery, reason)

    def at_once(self) -> IntakeAtOnce | None:
        """The three methods above for a caller that must not wait (SQLite; one object for all calls); None for a
        database that is reached over a network."""
        if self._at_once is None and self._engine.dialect.name == "sqlite":
            self._at_once = IntakeAtOnce(str(self._engine.url.database), self._intake)
        return self._at_once

    # Leases: the worker

    def claim(self, run_id: str, worker: str, lease_seconds: float) -> Claim | None:
        """The run, if it waits or its holder fell silent; None for one that is held, ended, not yet due, or unknown.

        A claim whose run is `attempts_exhausted` is for handing off, not for trying again.
        """
        with writing(self._engine) as connection:
            return leases.claim(connection, run_id, worker, lease_seconds)

    def claim_next(self, worker: str, lease_seconds: float, limits: Limits, rung: str | None = None) -> Claim | None:
        """The fairest of the runs that could be claimed within `limits`; None where there is none. A local run is left
        to its command, unless that died or it is the one that was `rung` for."""
        with writing(self._engine) as connection:
            return fairness.claim_next(connection, worker, lease_seconds, limits, rung)

    def settle_labelling(self, claim: Claim, labelling: int) -> str | None:
        """Write down which labelling the run is of, and give None; or the id of another run that is of it already, and
        then write nothing."""
        with writing(self._engine) as connection:
            return labellings.settle(connection, claim, labelling)

    def renew(self, claim: Claim, lease_seconds: float) -> bool:
        """Hold the run for so long from now; False once the lease is lost."""
        with writing(self._engine) as connection:
            return leases.renew(connection, claim, lease_seconds)

    def why_unwanted(self, run_id: str) -> str | None:
        """Why the run is to end at its next step; None while it is wanted."""
        with reading(self._engine) as connection:
            return leases.why_unwanted(connection, run_id)

    def release(
        self, claim: Claim, *, delay_seconds: float = 0.0, counted: bool = True, waiting: str | None = None
    ) -> None:
        """Put the run back into the queue, not to be claimed before the delay. `counted`: as one of its attempts, which
        it is not where we cut it short or where it waits; `waiting` tells people for what."""
        with writing(self._engine) as connection:
            leases.release(connection, claim, delay_seconds, counted, waiting)

    def pause_installation(self, installation_id: int, seconds: float) -> None:
        """Let none of its runs be claimed for so long from now, because GitHub limits it."""
        with writing(self._engine) as connection:
            pauses.pause(connection, installation_id, seconds)

    def is_paused(self, installation_id: int) -> bool:
        """Whether GitHub limits the installation just now."""
        with reading(self._engine) as connection:
            return pauses.is_paused(connection, installation_id)

    def finish(self, claim: Claim, outcome: Outcome, spend: Mapping[str, Any]) -> None:
        """End the run. Harmless when repeated under the same claim."""
        with writing(self._engine) as connection:
            leases.finish(connection, claim, outcome, spend)

    def end_hopeless(self) -> list[str]:
        """End the runs that may not be claimed any more (`Reason.ATTEMPTS`); their ids."""
        with writing(self._engine) as connection:
            return leases.end_hopeless(connection)

    # Journal and progress: the worker

    def append_step(self, claim: Claim, kind: str, data: Mapping[str, Any]) -> int:
        """Journal one step, whose data is JSON; its number, from 1."""
        with writing(self._engine) as connection:
            return journal.append_step(connection, claim, kind, data)

    def append_after_end(self, run_id: str, kind: str, data: Mapping[str, Any]) -> int:
        """Journal what is done on GitHub after the run has ended; the step's number. ValueError, writing nothing, where
        it has not ended."""
        with writing(self._engine) as connection:
            return journal.append_after_end(connection, run_id, kind, data)

    def set_progress(
        self,
        claim: Claim,
        *,
        stage: str | None = None,
        spend: Mapping[str, Any] | None = None,
        base_commit: str | None = None,
        model: str | None = None,
    ) -> None:
        """Write what is given; None leaves a value as it is."""
        words = {"stage": stage, "base_commit": base_commit, "model": model}
        with writing(self._engine) as connection:
            journal.set_progress(connection, claim, words, spend)

    # Reads

    def get(self, run_id: str) -> Run | None:
        with reading(self._engine) as connection:
            return reads.get_run(connection, run_id)

    def list_runs(self, limit: int = 50, before: str | None = None) -> list[Run]:
        """Newest first; `before` is the last id of the page before."""
        with reading(self._engine) as connection:
            return reads.list_runs(connection, limit, before)

    def steps(self, run_id: str, after: int = 0, limit: int = 200) -> list[Step]:
        """Up to `limit` steps whose numbers are greater than `after`, in order."""
        with reading(self._engine) as connection:
            return journal.read_steps(connection, run_id, after, limit)

    def healthy(self) -> bool:
        """Whether the database answers and has the tables."""
        try:
            self.list_runs(limit=1)
        except StoreUnavailableError:
            return False
        return True

    # The doorbell: web and reconciler

    def due_for_ring(self, older_than_seconds: float, limit: int = 100) -> list[str]:
        """Ids of runs that a worker could claim now, and of which no message was sent for so long."""
        with reading(self._engine) as connection:
            return doorbell.due_for_ring(connection, older_than_seconds, limit)

    def mark_rung(self, run_id: str) -> None:
        """Write down that a message was sent for the run."""
        with writing(self._engine) as connection:
            doorbell.mark_rung(connection, run_id)

    def next_waiting(self, limits: Limits) -> str | None:
        """The id of the run that `claim_next` would take."""
        with reading(self._engine) as connection:
            return fairness.next_waiting(connection, limits)

    def left_waiting(self, limits: Limits, node: str) -> str | None:
        """The same, but None while a worker whose name begins with `node` holds a run: one that idle workers of this
        node have not taken."""
        with reading(self._engine) as connection:
            return fairness.left_waiting(connection, limits, node)

    def queue_depth(self) -> int:
        """How many runs wait for a worker now, those of silent workers included."""
        with reading(self._engine) as connection:
            return doorbell.queue_depth(connection)

    # What GitHub told in vain: the patrol

    def had_run(self, repository_id: int, issue_number: int, labelling: int, at: datetime) -> bool:
        """Whether this labelling, of the time `at`, had its run, or a worker began one that can be of no other."""
        with reading(self._engine) as connection:
            return labellings.had_run(connection, repository_id, issue_number, labelling, at)

    def is_under_way(self, repository_id: int, issue_number: int) -> bool:
        """Whether the issue has a run that waits or goes on, and is wanted."""
        with reading(self._engine) as connection:
            return labellings.is_under_way(connection, repository_id, issue_number)

    def processed(self, delivery_ids: Sequence[str]) -> frozenset[str]:
        """Those of the deliveries that were received and acted on."""
        with reading(self._engine) as connection:
            return labellings.processed(connection, delivery_ids)

    def changed_hands_since(self, since: datetime) -> list[str]:
        """Ids of the runs on GitHub that ended then or later, by the database's clock, and that were claimed more than
        once; the last to end first."""
        with reading(self._engine) as connection:
            return reads.changed_hands_since(connection, since)

    def time(self) -> datetime:
        """Now, by the database's clock, as all times of runs are."""
        with reading(self._engine) as connection:
            return read_time(connection)

    def chore_due(self, name: str) -> bool:
        """Whether it is time for the chore, and nobody does it just now."""
        with reading(self._engine) as connection:
            return chores.is_due(connection, name)

    def take_chore(self, name: str, holder: str, hold_seconds: float) -> Chore | None:
        """The right to do the chore for so long; None where it is not time, or another holder does it."""
        with writing(self._engine) as connection:
            return chores.take(connection, name, holder, hold_seconds)

    def hold_chore(self, chore: Chore, seconds: float) -> bool:
        """Keep the chore for so long from now; False where another holder has it."""
        with writing(self._engine) as connection:
            return chores.hold(connection, chore, seconds)

    def give_back_chore(self, chore: Chore, mark: Mapping[str, Any], due_in_seconds: float) -> bool:
        """The chore is done, and due again in so long; False, writing nothing, where another holder has it."""
        with writing(self._engine) as connection:
            return chores.give_back(connection, chore, mark, due_in_seconds)

    def forget(self, older_than_seconds: float, at_once: int = 20) -> int:
        """Delete the runs that ended so long ago, and deliveries as old; how many runs. Others may write in between.
        ValueError for less than a week and a day, within which they keep labellings from a second run."""
        if older_than_seconds < LEAST_SECONDS:
            raise ValueError("what ended within a week and a day is still needed")
        return forget(self._engine, older_than_seconds, at_once)

    # Presence of workers

    def worker_seen(self, name: str) -> None:
        with writing(self._engine) as connection:
            presence.worker_seen(connection, name)

    def worker_gone(self, name: str) -> None:
        with writing(self._engine) as connection:
            presence.worker_gone(connection, name)

    def workers_alive(self, within_seconds: float) -> int:
        """How many workers were seen so lately."""
        with reading(self._engine) as connection:
            return presence.workers_alive(connection, within_seconds)

    def node_lives(self, within_seconds: float, node: str) -> bool:
        """Whether a worker whose name begins with `node` was seen so lately, or holds a run."""
        with reading(self._engine) as connection:
            return presence.node_lives(connection, within_seconds, node)


def open_store(url: str) -> RunStore:
    """The store behind a SQLAlchemy URL, its schema brought up to date. ConfigError, StoreUnavailableError."""
    engine = make_engine(url)
    if not has_newest_schema(engine):
        import_module("workers.store.migrate").migrate(engine)  # 10 MB that a process keeps, for once in a release
    return RunStore(engine)
