"""Which runs need a message. The rows are the queue; messages are only doorbells, and may be lost."""

from sqlalchemy import Connection, func, or_, select, update

from workers.store.clock import now
from workers.store.leases import waiting
from workers.store.schema import runs


def due_for_ring(connection: Connection, older_than_seconds: float, limit: int) -> list[str]:
    """Runs that a worker could claim and that were not rung for so long; those never rung first, then the oldest.

    A run that was just written is left to the process that wrote it for the same time. What was rung before a lease ran
    out was heard by whoever held that lease.
    """
    lately = func.coalesce(runs.c.rung_at, runs.c.created_at)
    query = (
        select(runs.c.id)
        .where(waiting(), or_(lately <= now() - older_than_seconds, lately < runs.c.lease_until))
        .order_by(runs.c.rung_at.is_not(None), runs.c.rung_at, runs.c.due_at, runs.c.id)
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def mark_rung(connection: Connection, run_id: str) -> None:
    connection.execute(update(runs).where(runs.c.id == run_id).values(rung_at=now()))


def queue_depth(connection: Connection) -> int:
    """Runs that wait for a worker now."""
    query = select(func.count()).select_from(runs).where(waiting())
    return int(connection.execute(query).scalar_one())
