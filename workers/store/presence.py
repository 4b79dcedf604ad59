"""Which workers are alive: each writes its row every few seconds. And which are at work: they hold runs."""

from sqlalchemy import ColumnElement, Connection, delete, exists, func, insert, or_, select, update

from workers.outcomes import RunStatus
from workers.store.clock import now
from workers.store.schema import active, runs, workers

_FORGOTTEN_AFTER_SECONDS = 86_400


def worker_seen(connection: Connection, name: str) -> None:
    this = workers.c.name == name
    if connection.execute(update(workers).where(this).values(seen_at=now())).rowcount == 0:
        connection.execute(insert(workers).values(name=name, seen_at=now()))
        connection.execute(delete(workers).where(workers.c.seen_at < now() - _FORGOTTEN_AFTER_SECONDS))


def worker_gone(connection: Connection, name: str) -> None:
    connection.execute(delete(workers).where(workers.c.name == name))


def workers_alive(connection: Connection, within_seconds: float) -> int:
    query = select(func.count()).select_from(workers).where(_seen(within_seconds))
    return int(connection.execute(query).scalar_one())


def node_lives(connection: Connection, within_seconds: float, node: str) -> bool:
    ours = workers.c.name.startswith(node, autoescape=True)
    seen = exists().where(_seen(within_seconds), ours)
    return bool(connection.execute(select(or_(seen, at_work(node)))).scalar_one())


def at_work(node: str) -> ColumnElement[bool]:
    """A worker whose name begins so holds a run."""
    held = runs.alias("held")
    running = held.c.status == RunStatus.RUNNING.value
    ours = held.c.worker.startswith(node, autoescape=True)
    return exists().where(active(held), running, held.c.lease_until >= now(), ours)


def _seen(within_seconds: float) -> ColumnElement[bool]:
    return workers.c.seen_at > now() - within_seconds
