"""Runs as people and the patrol look them up. Ids may come from an address or a command line, and hold anything."""

from datetime import datetime

from sqlalchemy import Connection, select

from workers.store.rows import run_from
from workers.store.schema import runs
from workers.store.text import storable
from workers.store.values import Run


def get_run(connection: Connection, run_id: str) -> Run | None:
    row = connection.execute(select(runs).where(runs.c.id == storable(run_id))).one_or_none()
    return None if row is None else run_from(row)


def list_runs(connection: Connection, limit: int, before: str | None) -> list[Run]:
    query = select(runs).order_by(runs.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(runs.c.id < storable(before))
    return [run_from(row) for row in connection.execute(query)]


def changed_hands_since(connection: Connection, since: datetime) -> list[str]:
    query = (
        select(runs.c.id)
        .where(runs.c.ended_at >= since.timestamp(), runs.c.epoch > 1, runs.c.installation_id != 0)
        .order_by(runs.c.ended_at.desc(), runs.c.id.desc())
    )
    return list(connection.execute(query).scalars())
