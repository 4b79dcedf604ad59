"""Installations that GitHub limits: what one run was told holds for all of them, on whichever worker.

https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#handle-rate-limit-errors-appropriately
"""

from importlib import import_module

from sqlalchemy import ColumnElement, Connection, case, exists, select

from workers.store.clock import now
from workers.store.schema import pauses


def pause(connection: Connection, installation_id: int, seconds: float) -> None:
    """From now; a longer pause that is there stays."""
    insert = import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert
    new = insert(pauses).values(installation_id=installation_id, until=now() + seconds)
    later = case((pauses.c.until > new.excluded.until, pauses.c.until), else_=new.excluded.until)
    connection.execute(new.on_conflict_do_update(index_elements=["installation_id"], set_={"until": later}))


def is_paused(connection: Connection, installation_id: int) -> bool:
    return bool(connection.execute(select(paused(installation_id))).scalar_one())


def paused(installation_id: int | ColumnElement[int]) -> ColumnElement[bool]:
    return exists().where(pauses.c.installation_id == installation_id, pauses.c.until > now())
