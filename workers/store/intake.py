"""From a delivery to a run: once, whatever is repeated or races."""

from collections.abc import Sequence
from dataclasses import fields
from importlib import import_module
from typing import Any

from sqlalchemy import BigInteger, Dialect, Double, and_, bindparam, cast, literal_column, or_, select, update

from repo_tools.counted import counted
from workers.outcomes import RunStatus
from workers.store.clock import now, to_seconds
from workers.store.prepared import DriverConnection, prepare
from workers.store.run_ids import new_run_id
from workers.store.schema import ONE_ACTIVE, deliveries, runs
from workers.store.stopping import Stop
from workers.store.text import storable, storable_or_none
from workers.store.values import CreatedRun, IssueSnapshot, NewDelivery, StopOrder, StopScope

_STOPS = "stops "
_TRIES = 5  # the run that was in the way may end between two statements


class Intake:
    """The webhook's writes in one kind of database, each within a transaction of the caller's."""

    def __init__(self, dialect: Dialect) -> None:
        # Both dialects have the same words. Only the one that is used is imported: the other takes megabytes.
        insert = import_module(f"sqlalchemy.dialects.{dialect.name}").insert
        self._insert_delivery = prepare(_insert_delivery(insert(deliveries)), dialect)
        self._insert_run = prepare(_insert_run(insert(runs)), dialect)
        self._run_of_delivery = prepare(_run_of_delivery(), dialect)
        self._why_ignored = prepare(_why_ignored(), dialect)
        self._run_of_labelling = prepare(_run_of_labelling(), dialect)
        self._active_run = prepare(_active_run(), dialect)
        self._point_delivery = prepare(_point_delivery(), dialect)
        self._stop = {scope: Stop(scope, dialect) for scope in StopScope}

    def create_run_once(
        self, driver: DriverConnection, delivery: NewDelivery, issue: IssueSnapshot, labelling: int | None = None
    ) -> CreatedRun:
        run_id = new_run_id()
        if not self._write_delivery(driver, delivery, run_id=run_id):
            known = self._run_of_delivery.execute(driver, {"this": storable(delivery.id)}).fetchone()
            return CreatedRun(known[0], created=False)
        values = _run_values(run_id, issue, labelling)
        place = {"repository": issue.repository_id, "number": issue.issue_number}
        labelled = {**place, "labelling": labelling, "labelled_at": values["labelled_at"]}
        for _ in range(_TRIES):
            known = self._run_of_labelling.execute(driver, labelled).fetchone()
            if not known and self._insert_run.execute(driver, values).rowcount == 1:
                return CreatedRun(run_id, created=True)
            known = known or self._active_run.execute(driver, place).fetchone()
            if known:
                self._point_delivery.execute(driver, {"this": storable(delivery.id), "run": known[0]})
                return CreatedRun(known[0], created=False)
        raise RuntimeError(f"no run could be written for issue {issue.issue_number} of {issue.repository_id}")

    def record_ignored(self, driver: DriverConnection, delivery: NewDelivery, reason: str) -> None:
        """A delivery that made a run stays as it is."""
        self._write_delivery(driver, delivery, ignored=storable(reason))

    def stop_runs(self, driver: DriverConnection, delivery: NewDelivery, orders: Sequence[StopOrder]) -> int:
        """How many runs the orders reached. A delivery that was acted on before reaches nothing: what it told of may
        have been taken back since."""
        known = self._why_ignored.execute(driver, {"this": storable(delivery.id)}).fetchone()
        if known and (known[0] or "").startswith(_STOPS):
            return 0
        reached = sum(self._stop[order.scope].execute(driver, order) for order in orders)
        why = orders[0].why if orders else "nothing was meant"
        self._write_delivery(driver, delivery, ignored=storable(f"{_STOPS}{counted(reached, 'run')}: {why}"))
        return reached

    def _write_delivery(
        self, driver: DriverConnection, delivery: NewDelivery, *, run_id: str | None = None, ignored: str | None = None
    ) -> bool:
        """False where the delivery has a run already. One that was ignored before is decided anew."""
        values = {
            "id": storable(delivery.id),
            "event": storable(delivery.event),
            "action": storable_or_none(delivery.action),
            "run_id": run_id,
            "ignored": ignored,
        }
        return self._insert_delivery.execute(driver, values).rowcount == 1


def _run_values(run_id: str, issue: IssueSnapshot, labelling: int | None) -> dict[str, Any]:
    return {
        "id": run_id,
        "installation_id": issue.installation_id,
        "repository_id": issue.repository_id,
        "repository": storable(issue.repository),
        "issue_number": issue.issue_number,
        "title": storable(issue.title),
        "body": storable(issue.body),
        "sender": storable(issue.sender),
        "labelled_at": to_seconds(issue.labelled_at),
        "labelling": labelling,
    }


def _why_ignored() -> Any:
    return select(deliveries.c.ignored).where(deliveries.c.id == bindparam("this"))


def _insert_delivery(insert: Any) -> Any:
    values = _bound("id", "event", "action", "run_id", "ignored")
    insert = insert.values(**values, received_at=now())
    return insert.on_conflict_do_update(
        index_elements=[deliveries.c.id],
        set_={"run_id": insert.excluded.run_id, "ignored": insert.excluded.ignored},
        where=deliveries.c.run_id.is_(None),
    )


def _insert_run(insert: Any) -> Any:
    """Nothing where the issue has an active run, or the labelling any."""
    snapshot = _bound("id", "labelling", *(field.name for field in fields(IssueSnapshot)))
    untouched = {"attempts": 0, "epoch": 0, "step_count": 0, "stage": "", "spend": "{}"}
    values = {**snapshot, **untouched, "status": RunStatus.QUEUED.value, "created_at": now(), "due_at": now()}
    return insert.values(**values).on_conflict_do_nothing()


def _run_of_delivery() -> Any:
    return select(deliveries.c.run_id).where(deliveries.c.id == bindparam("this"))


def _run_of_labelling() -> Any:
    """By the event's id, where both sides know it; else by the time that GitHub gives the issue with the event, unless
    the label went off since."""
    labelling = cast(bindparam("labelling"), BigInteger)
    by_time = and_(
        runs.c.labelled_at == cast(bindparam("labelled_at"), Double),
        runs.c.label_off == literal_column("0"),
        or_(runs.c.labelling.is_(None), labelling.is_(None)),
    )
    ours = and_(runs.c.repository_id == bindparam("repository"), runs.c.issue_number == bindparam("number"))
    return select(runs.c.id).where(ours, or_(runs.c.labelling == labelling, by_time)).order_by(runs.c.id).limit(1)


def _active_run() -> Any:
    return select(runs.c.id).where(
        runs.c.repository_id == bindparam("repository"), runs.c.issue_number == bindparam("number"), ONE_ACTIVE
    )


def _point_delivery() -> Any:
    return update(deliveries).where(deliveries.c.id == bindparam("this")).values(run_id=bindparam("run"))


def _bound(*names: str) -> dict[str, Any]:
    return {name: bindparam(name) for name in names}
