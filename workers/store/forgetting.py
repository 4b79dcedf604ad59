"""Runs that ended long ago, with their journals and deliveries: deleted for good, some at a time."""

from sqlalchemy import Connection, delete, select

from workers.outcomes import RunStatus
from workers.store.clock import now
from workers.store.schema import deliveries, runs, steps

LEAST_SECONDS = 8 * 86_400.0
"""For a week the patrol starts a run for each labelling that has none (`workers.patrol.OLDEST`)."""


def forget_some(connection: Connection, older_than_seconds: float, limit: int) -> tuple[int, int]:
    """How many runs, and how many deliveries that belong to none, were deleted: at most `limit` of each."""
    before = now() - older_than_seconds
    ended = runs.c.status == RunStatus.ENDED.value
    old = list(connection.execute(select(runs.c.id).where(ended, runs.c.ended_at < before).limit(limit)).scalars())
    connection.execute(delete(steps).where(steps.c.run_id.in_(old)))
    connection.execute(delete(deliveries).where(deliveries.c.run_id.in_(old)))
    connection.execute(delete(runs).where(runs.c.id.in_(old)))
    of_none = (
        select(deliveries.c.id).where(deliveries.c.run_id.is_(None), deliveries.c.received_at < before).limit(limit)
    )
    idle = list(connection.execute(of_none).scalars())
    connection.execute(delete(deliveries).where(deliveries.c.id.in_(idle)))
    return len(old), len(idle)
