"""Which run is next: of the repository that has the fewest under way, then of such an installation, then the oldest.

So a repository with hundreds of labels gets what others leave, and never more than its share at once.
"""

from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, literal, or_, select

from workers.outcomes import RunStatus
from workers.store.clock import now
from workers.store.leases import claim, waiting
from workers.store.presence import at_work
from workers.store.schema import active, runs
from workers.store.values import Claim, Limits

_LEFT_BEHIND_SECONDS = 60.0
_CLAIM_KEY = 0x636C61696D  # any number that nobody else of this database uses
_other = runs.alias("other")


def claim_next(
    connection: Connection, worker: str, lease_seconds: float, limits: Limits, rung: str | None
) -> Claim | None:
    if connection.dialect.name == "postgresql":  # SQLite has one writer anyway
        connection.execute(select(func.pg_advisory_xact_lock(_CLAIM_KEY)))
    run_id = _first(connection, _next_runs(limits, rung))
    return None if run_id is None else claim(connection, run_id, worker, lease_seconds)


def next_waiting(connection: Connection, limits: Limits) -> str | None:
    return _first(connection, _next_runs(limits))


def left_waiting(connection: Connection, limits: Limits, node: str) -> str | None:
    return _first(connection, _next_runs(limits).where(~at_work(node)))


def _first(connection: Connection, query: Select[str]) -> str | None:
    run_id: str | None = connection.execute(query.limit(1)).scalar_one_or_none()
    return run_id


def _next_runs(limits: Limits, rung: str | None = None) -> Select[str]:
    """Ids of the runs that a worker may claim now, the fairest first. A local run that was `rung` for is left behind:
    the reconciler alone rings for it."""
    in_repository, in_installation = _under_way("repository_id"), _under_way("installation_id")
    loads = func.coalesce(in_repository.c.count, 0), func.coalesce(in_installation.c.count, 0)
    on_github = runs.c.installation_id != 0
    places = runs.outerjoin(in_repository, in_repository.c.place == runs.c.repository_id)
    return (
        select(runs.c.id)
        .select_from(places.outerjoin(in_installation, in_installation.c.place == runs.c.installation_id))
        .where(
            waiting(),
            or_(on_github, _left_behind(), runs.c.id == rung),
            *(
                or_(~on_github, load < limit)
                for load, limit in zip(loads, (limits.repository, limits.installation), strict=True)
                if limit is not None
            ),
        )
        .order_by(*loads, runs.c.due_at, runs.c.id)
    )


def _under_way(column: str) -> Any:
    """How many runs workers hold, by `column`."""
    place = _other.c[column] + 0  # not by the order of an index over all runs, however many have ended
    held = and_(active(_other), _other.c.status == RunStatus.RUNNING.value, _other.c.lease_until >= now())
    counted = select(place.label("place"), func.count(literal(1)).label("count")).where(held).group_by(place)
    return counted.subquery(f"by_{column}")


def _left_behind() -> ColumnElement[bool]:
    """A local run is its command's own, unless that died."""
    return or_(runs.c.status == RunStatus.RUNNING.value, runs.c.created_at < now() - _LEFT_BEHIND_SECONDS)
