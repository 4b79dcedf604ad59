"""Runs that ended long ago, with their journals, and deliveries as old: deleted for good, some at a time."""

import time
from collections.abc import Callable

from sqlalchemy import Connection, Engine, delete, exists, select

from workers.store.clock import now
from workers.store.database import writing
from workers.store.schema import deliveries, runs, steps

LEAST_SECONDS = 8 * 86_400.0
"""For a week the patrol starts a run for each labelling that has none (`workers.patrol.OLDEST`)."""
DELIVERIES_AT_ONCE = 2_000
PAUSE_SECONDS = 0.1
"""As long as SQLite waits at most before it tries again for the lock: else nobody else would come by it."""


def forget(engine: Engine, older_than_seconds: float, runs_at_once: int) -> int:
    """How many runs were deleted."""
    forgotten = _all(engine, forget_runs, older_than_seconds, runs_at_once)
    _all(engine, forget_deliveries, older_than_seconds, DELIVERIES_AT_ONCE)
    return forgotten


def _all(engine: Engine, some: Callable[[Connection, float, int], int], older_than_seconds: float, limit: int) -> int:
    forgotten = 0
    while True:
        with writing(engine) as connection:
            count = some(connection, older_than_seconds, limit)
        forgotten += count
        if count < limit:
            return forgotten
        time.sleep(PAUSE_SECONDS)


def forget_runs(connection: Connection, older_than_seconds: float, limit: int) -> int:
    """One that goes on has no time of its end."""
    query = select(runs.c.id).where(runs.c.ended_at < now() - older_than_seconds).limit(limit)
    old = list(connection.execute(query).scalars())
    connection.execute(delete(steps).where(steps.c.run_id.in_(old)))
    connection.execute(delete(runs).where(runs.c.id.in_(old)))
    return len(old)


def forget_deliveries(connection: Connection, older_than_seconds: float, limit: int) -> int:
    """Those whose run is gone, or that never had one."""
    has_run = exists().where(runs.c.id == deliveries.c.run_id)
    old = deliveries.c.received_at < now() - older_than_seconds
    ids = list(connection.execute(select(deliveries.c.id).where(old, ~has_run).limit(limit)).scalars())
    connection.execute(delete(deliveries).where(deliveries.c.id.in_(ids)))
    return len(ids)
