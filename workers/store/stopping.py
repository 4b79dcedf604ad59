"""Runs that are no longer wanted: one that nobody began ends at once, one that was begun at its next step.

Whoever holds a run learns of it with its next renewal; one that waits is handed to a worker, which says what it cost.
"""

from typing import Any

from sqlalchemy import ColumnElement, Dialect, Double, and_, bindparam, cast, func, literal_column, update

from workers.outcomes import OutcomeKind, Reason, RunStatus
from workers.store.clock import now, to_seconds
from workers.store.prepared import DriverConnection, prepare
from workers.store.schema import ACTIVE, runs
from workers.store.text import storable
from workers.store.values import StopOrder, StopScope

_WITHOUT_TIME = 1e18  # later than every label


class Stop:
    """The statements for one scope, for drivers as `workers.store.prepared` has them."""

    def __init__(self, scope: StopScope, dialect: Dialect) -> None:
        meant = and_(_IN_SCOPE[scope], func.coalesce(runs.c.labelled_at, 0.0) <= cast(bindparam("at"), Double))
        unbegun = and_(runs.c.status == RunStatus.QUEUED.value, runs.c.started_at.is_(None))
        self._take_off = prepare(update(runs).where(meant).values(label_off=literal_column("1")), dialect)
        self._end = prepare(update(runs).where(meant, ACTIVE, unbegun).values(**_ENDED), dialect)
        wanted = runs.c.cancel.is_(None)
        self._mark = prepare(update(runs).where(meant, ACTIVE, wanted).values(**_MARKED), dialect)

    def execute(self, driver: DriverConnection, order: StopOrder) -> int:
        """How many runs were ended or marked."""
        at = to_seconds(order.at)
        values: dict[str, Any] = {
            "installation": order.installation_id,
            "repository": order.repository_id,
            "number": order.issue_number,
            "at": _WITHOUT_TIME if at is None else at,
            "why": storable(order.why),
        }
        if order.label_off:
            self._take_off.execute(driver, values)
        return self._end.execute(driver, values).rowcount + self._mark.execute(driver, values).rowcount


def _equals(column: ColumnElement[int], name: str) -> ColumnElement[bool]:
    return column == bindparam(name)


_IN_SCOPE: dict[StopScope, ColumnElement[bool]] = {
    StopScope.ISSUE: and_(_equals(runs.c.repository_id, "repository"), _equals(runs.c.issue_number, "number")),
    StopScope.REPOSITORY: _equals(runs.c.repository_id, "repository"),
    StopScope.INSTALLATION: _equals(runs.c.installation_id, "installation"),
}
_ENDED: dict[str, Any] = {
    "status": RunStatus.ENDED.value,
    "outcome": OutcomeKind.CANCELLED.value,
    "reason": Reason.UNWANTED.value,
    "detail": bindparam("why"),
    "ended_at": now(),
}
_MARKED: dict[str, Any] = {"cancel": bindparam("why"), "due_at": now(), "rung_at": None}
