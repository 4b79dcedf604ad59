"""Work that one worker at a time does for all of them, now and then: a row that is taken, held and given back."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from sqlalchemy import Connection, and_, select, update

from workers.store.clock import now
from workers.store.schema import chores
from workers.store.text import dump_json, load_json
from workers.store.values import Chore

PATROL = "patrol"  # asking GitHub for what was missed
_FREE = and_(chores.c.due_at <= now(), chores.c.held_until < now())


def is_due(connection: Connection, name: str) -> bool:
    """Nobody does it just now, and it is time."""
    row = connection.execute(select(_FREE).where(chores.c.name == name)).one_or_none()
    return row is None or bool(row[0])


def take(connection: Connection, name: str, holder: str, hold_seconds: float) -> Chore | None:
    insert = import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert
    first = insert(chores).values(name=name, holder="", held_until=0.0, due_at=0.0, mark="{}")
    connection.execute(first.on_conflict_do_nothing())
    free = update(chores).where(chores.c.name == name, _FREE)
    row = connection.execute(
        free.values(holder=holder, held_until=now() + hold_seconds).returning(chores.c.mark)
    ).one_or_none()
    return None if row is None else Chore(name, holder, load_json(row.mark))


def hold(connection: Connection, chore: Chore, seconds: float) -> bool:
    return _write(connection, chore, {"held_until": now() + seconds})


def give_back(connection: Connection, chore: Chore, mark: Mapping[str, Any], due_in_seconds: float) -> bool:
    values = {"holder": "", "held_until": 0.0, "due_at": now() + due_in_seconds, "mark": dump_json(mark)}
    return _write(connection, chore, values)


def _write(connection: Connection, chore: Chore, values: Mapping[str, Any]) -> bool:
    held = and_(chores.c.name == chore.name, chores.c.holder == chore.holder)
    return connection.execute(update(chores).where(held).values(**values)).rowcount == 1
