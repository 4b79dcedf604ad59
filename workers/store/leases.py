"""Who holds a run: claimed with one conditional update, kept by renewal, fenced by the epoch.

A worker that was paused past its lease still believes that it holds the run; each of its writes carries the epoch of
its claim and is refused once another worker's claim has raised it.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, exists, func, or_, select, update

from workers.outcomes import Outcome, OutcomeKind, Reason, RunStatus
from workers.store.clock import now
from workers.store.errors import LeaseLostError
from workers.store.pauses import paused
from workers.store.rows import run_from
from workers.store.schema import ACTIVE, active, runs
from workers.store.text import dump_json, storable, storable_or_none
from workers.store.values import Claim, Run

MAX_ATTEMPTS = 4  # attempts at the work itself
HAND_OFF_ATTEMPTS = 2  # claims after these, only to tell people
TASK = "solve"
"""What stands where other runs name their repository."""
RESUMABLE_SECONDS = 86_400.0
_MAX_CLAIMS = MAX_ATTEMPTS + HAND_OFF_ATTEMPTS
_QUEUED = runs.c.status == RunStatus.QUEUED.value
_RUNNING = runs.c.status == RunStatus.RUNNING.value


def attempts_exhausted(run: Run) -> bool:
    """The work was begun as often as it may be: whoever holds `run` now ends it with `Reason.ATTEMPTS`."""
    return run.attempts > MAX_ATTEMPTS


def waiting() -> ColumnElement[bool]:
    """It waits for whichever worker is free."""
    return and_(ACTIVE, _claimable(), ~_left_to_resume())


def _claimable() -> ColumnElement[bool]:
    ready = or_(and_(_QUEUED, runs.c.due_at <= now()), and_(_RUNNING, runs.c.lease_until < now()))
    attempts_left = runs.c.attempts < _MAX_CLAIMS
    return and_(attempts_left, ready, ~_waits_for_another(), ~paused(runs.c.installation_id))


def _left_to_resume() -> ColumnElement[bool]:
    """A task whose process died: for a day nobody but who asked for it goes on with it, or ends it."""
    fresh = runs.c.lease_until > now() - RESUMABLE_SECONDS
    return and_(runs.c.installation_id == 0, runs.c.repository == TASK, _RUNNING, fresh)


def _waits_for_another() -> ColumnElement[bool]:
    """A run of the same issue has to be ended first: the label was taken off it and put on again. One that is being
    ended waits for none, so that no two wait for each other; and of the others an issue has one (`ONE_ACTIVE`). Their
    ids tell no order: they come of the clocks of several hosts."""
    other = runs.alias("other")
    same_issue = and_(other.c.repository_id == runs.c.repository_id, other.c.issue_number == runs.c.issue_number)
    return and_(
        runs.c.installation_id != 0,
        runs.c.cancel.is_(None),
        exists().where(active(other), same_issue, other.c.cancel.is_not(None)),
    )


def claim(connection: Connection, run_id: str, worker: str, lease_seconds: float) -> Claim | None:
    statement = (
        update(runs)
        .where(runs.c.id == run_id, _claimable())
        .values(
            status=RunStatus.RUNNING.value,
            epoch=runs.c.epoch + 1,
            attempts=runs.c.attempts + 1,
            worker=worker,
            lease_until=now() + lease_seconds,
            started_at=func.coalesce(runs.c.started_at, now()),
            waiting=None,
        )
        .returning(*runs.c)
    )
    row = connection.execute(statement).one_or_none()
    return None if row is None else Claim(run_from(row), row.epoch)


def renew(connection: Connection, held: Claim, lease_seconds: float) -> bool:
    return _write(connection, held, {"lease_until": now() + lease_seconds})


def why_unwanted(connection: Connection, run_id: str) -> str | None:
    return connection.execute(select(runs.c.cancel).where(runs.c.id == run_id)).scalar_one_or_none()


def release(connection: Connection, held: Claim, delay_seconds: float, counted: bool, waiting: str | None) -> None:
    attempts = runs.c.attempts if counted else case((runs.c.attempts > 0, runs.c.attempts - 1), else_=0)
    due_at = now() + delay_seconds
    if held.run.cancel is None:  # the end of one that was unwanted already is not tried over and over
        due_at = case((runs.c.cancel.is_(None), due_at), else_=now())
    values = {
        "status": RunStatus.QUEUED.value,
        "attempts": attempts,
        "due_at": due_at,
        "rung_at": None,
        "worker": None,
        "lease_until": None,
        "waiting": storable_or_none(waiting),
        "waits": runs.c.waits if waiting is None else runs.c.waits + 1,
    }
    write_or_lose(connection, held, values)


def finish(connection: Connection, held: Claim, outcome: Outcome, spend: Mapping[str, Any]) -> None:
    values = {**_ended(outcome), "spend": dump_json(spend)}
    if not _write(connection, held, values) and not _ended_under(connection, held):
        raise LeaseLostError(held.run.id, held.epoch)


def end_hopeless(connection: Connection) -> list[str]:
    """End the runs that nobody could hand off: their workers died even then, or had to put them back. Returns their
    ids."""
    hopeless = and_(ACTIVE, or_(_QUEUED, runs.c.lease_until < now()))
    detail = f"The run was started {_MAX_CLAIMS} times and never came to an end; nobody could be told on GitHub."
    outcome = Outcome(OutcomeKind.ESCALATION, Reason.ATTEMPTS, detail)
    statement = (
        update(runs)
        .where(hopeless, runs.c.attempts >= _MAX_CLAIMS)
        .values(**_ended(outcome), epoch=runs.c.epoch + 1)
        .returning(runs.c.id)
    )
    return list(connection.execute(statement).scalars())


def write_or_lose(connection: Connection, held: Claim, values: Mapping[str, Any]) -> None:
    """Write `values` to the run, if it is still `held`; else LeaseLostError."""
    if not _write(connection, held, values):
        raise LeaseLostError(held.run.id, held.epoch)


def is_held(held: Claim) -> ColumnElement[bool]:
    return and_(runs.c.id == held.run.id, runs.c.epoch == held.epoch, _RUNNING)


def _write(connection: Connection, held: Claim, values: Mapping[str, Any]) -> bool:
    return connection.execute(update(runs).where(is_held(held)).values(**values)).rowcount == 1


def _ended_under(connection: Connection, held: Claim) -> bool:
    """This claim ended the run already: the answer to an earlier commit was lost on its way."""
    query = select(runs.c.status).where(runs.c.id == held.run.id, runs.c.epoch == held.epoch)
    return connection.execute(query).scalar_one_or_none() == RunStatus.ENDED.value


def _ended(outcome: Outcome) -> dict[str, Any]:
    return {
        "status": RunStatus.ENDED.value,
        "outcome": outcome.kind.value,
        "reason": outcome.reason.value,
        "detail": storable(outcome.detail),
        "url": storable_or_none(outcome.url),
        "pull_request_url": storable_or_none(outcome.pull_request_url),
        "ended_at": now(),
        "worker": None,
        "lease_until": None,
    }
