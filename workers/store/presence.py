"""Which workers are alive: each writes its row every few seconds."""

from sqlalchemy import Connection, delete, func, insert, select, update

from workers.store.clock import now
from workers.store.schema import workers

_FORGOTTEN_AFTER_SECONDS = 86_400


def worker_seen(connection: Connection, name: str) -> None:
    this = workers.c.name == name
    if connection.execute(update(workers).where(this).values(seen_at=now())).rowcount == 0:
        connection.execute(insert(workers).values(name=name, seen_at=now()))
        connection.execute(delete(workers).where(workers.c.seen_at < now() - _FORGOTTEN_AFTER_SECONDS))


def worker_gone(connection: Connection, name: str) -> None:
    connection.execute(delete(workers).where(workers.c.name == name))


def workers_alive(connection: Connection, within_seconds: float, name_prefix: str = "") -> int:
    lately = workers.c.seen_at > now() - within_seconds
    ours = workers.c.name.startswith(name_prefix, autoescape=True)
    query = select(func.count()).select_from(workers).where(lately, ours)
    return int(connection.execute(query).scalar_one())
