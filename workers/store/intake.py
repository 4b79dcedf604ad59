"""From a delivery to a run: once, whatever is repeated or races."""

import functools
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, Dialect, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite

from workers.outcomes import RunStatus
from workers.store.clock import now, to_seconds
from workers.store.prepared import Prepared, prepare
from workers.store.run_ids import new_run_id
from workers.store.schema import ONE_ACTIVE, deliveries, runs
from workers.store.text import storable, storable_or_none
from workers.store.values import CreatedRun, IssueSnapshot, NewDelivery

_TRIES = 5  # the run that was in the way may end between two statements


def create_run_once(connection: Connection, delivery: NewDelivery, issue: IssueSnapshot) -> CreatedRun:
    run_id = new_run_id()
    if not _write_delivery(connection, delivery, run_id=run_id):
        return CreatedRun(_run_of(connection, delivery), created=False)
    for _ in range(_TRIES):
        if _write_run(connection, run_id, issue):
            return CreatedRun(run_id, created=True)
        active = _active_run(connection, issue)
        if active:
            _point_delivery_to(connection, delivery, active)
            return CreatedRun(active, created=False)
    raise RuntimeError(f"no run could be written for issue {issue.issue_number} of {issue.repository_id}")


def record_ignored(connection: Connection, delivery: NewDelivery, reason: str) -> None:
    """A delivery that made a run stays as it is."""
    _write_delivery(connection, delivery, ignored=storable(reason))


def _write_delivery(
    connection: Connection, delivery: NewDelivery, *, run_id: str | None = None, ignored: str | None = None
) -> bool:
    """False where the delivery has a run already. One that was ignored before is decided anew."""
    values = {
        "id": storable(delivery.id),
        "event": storable(delivery.event),
        "action": storable_or_none(delivery.action),
        "run_id": run_id,
        "ignored": ignored,
    }
    return _statements(connection.dialect).delivery.write(connection, values)


def _write_run(connection: Connection, run_id: str, issue: IssueSnapshot) -> bool:
    """False where the issue has an active run."""
    values = {
        "id": run_id,
        "installation_id": issue.installation_id,
        "repository_id": issue.repository_id,
        "repository": storable(issue.repository),
        "issue_number": issue.issue_number,
        "title": storable(issue.title),
        "body": storable(issue.body),
        "sender": storable(issue.sender),
        "labelled_at": to_seconds(issue.labelled_at),
    }
    return _statements(connection.dialect).run.write(connection, values)


@dataclass(frozen=True)
class _Statements:
    """The two inserts of the webhook's transaction."""

    delivery: Prepared
    run: Prepared


@functools.cache
def _statements(dialect: Dialect) -> _Statements:
    insert = sqlite.insert if dialect.name == "sqlite" else postgresql.insert  # the same words, two classes
    return _Statements(
        prepare(_insert_delivery(insert(deliveries)), dialect), prepare(_insert_run(insert(runs)), dialect)
    )


def _insert_delivery(insert: Any) -> Any:
    values = _bound("id", "event", "action", "run_id", "ignored")
    insert = insert.values(**values, received_at=now())
    return insert.on_conflict_do_update(
        index_elements=[deliveries.c.id],
        set_={"run_id": insert.excluded.run_id, "ignored": insert.excluded.ignored},
        where=deliveries.c.run_id.is_(None),
    )


def _insert_run(insert: Any) -> Any:
    snapshot = _bound("id", *(field.name for field in fields(IssueSnapshot)))
    untouched = {"attempts": 0, "epoch": 0, "step_count": 0, "stage": "", "spend": "{}"}
    values = {**snapshot, **untouched, "status": RunStatus.QUEUED.value, "created_at": now(), "due_at": now()}
    return insert.values(**values).on_conflict_do_nothing(
        index_elements=[runs.c.repository_id, runs.c.issue_number], index_where=ONE_ACTIVE
    )


def _bound(*names: str) -> dict[str, Any]:
    return {name: bindparam(name) for name in names}


def _run_of(connection: Connection, delivery: NewDelivery) -> str:
    query = select(deliveries.c.run_id).where(deliveries.c.id == storable(delivery.id))
    return str(connection.execute(query).scalar_one())


def _active_run(connection: Connection, issue: IssueSnapshot) -> str | None:
    query = select(runs.c.id).where(
        runs.c.repository_id == issue.repository_id, runs.c.issue_number == issue.issue_number, ONE_ACTIVE
    )
    return connection.execute(query).scalar_one_or_none()


def _point_delivery_to(connection: Connection, delivery: NewDelivery, run_id: str) -> None:
    this = deliveries.c.id == storable(delivery.id)
    connection.execute(update(deliveries).where(this).values(run_id=run_id))
