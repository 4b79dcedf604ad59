"""What the system did in a run, step by step, and how far it is; written only by who holds the run."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, insert, select, update

from workers.outcomes import RunStatus
from workers.store.clock import now
from workers.store.errors import LeaseLostError
from workers.store.leases import is_held, write_or_lose
from workers.store.rows import step_from
from workers.store.schema import runs, steps
from workers.store.text import dump_json, storable
from workers.store.values import Claim, Step

FORMAT = 2
"""Of the entries that this release writes; raised with each change after which another release could not go on from
them byte for byte. 1 did not say what the harness had told the model beside the results of its calls."""
READABLE = frozenset({FORMAT})
"""Formats that a run resumes from. A journal of any other one, or of entries that name none, starts its run again."""


def append_step(connection: Connection, held: Claim, kind: str, data: Mapping[str, Any]) -> int:
    number = _append(connection, held.run.id, is_held(held), kind, data)
    if number is None:
        raise LeaseLostError(held.run.id, held.epoch)
    return number


def append_after_end(connection: Connection, run_id: str, kind: str, data: Mapping[str, Any]) -> int:
    ended = and_(runs.c.id == run_id, runs.c.status == RunStatus.ENDED.value)
    number = _append(connection, run_id, ended, kind, data)
    if number is None:
        raise ValueError(f"run {run_id} has not ended")
    return number


def _append(
    connection: Connection, run_id: str, condition: ColumnElement[bool], kind: str, data: Mapping[str, Any]
) -> int | None:
    count = update(runs).where(condition).values(step_count=runs.c.step_count + 1).returning(runs.c.step_count)
    number: int | None = connection.execute(count).scalar_one_or_none()
    if number is not None:
        written = dump_json({**data, "format": FORMAT})
        values = {"run_id": run_id, "number": number, "kind": kind, "data": written, "at": now()}
        connection.execute(insert(steps).values(**values))
    return number


def set_progress(
    connection: Connection, held: Claim, words: Mapping[str, str | None], spend: Mapping[str, Any] | None
) -> None:
    """`words` are text columns; None leaves a column as it is."""
    values = {name: storable(word) for name, word in words.items() if word is not None}
    if spend is not None:
        values["spend"] = dump_json(spend)
    if values:
        write_or_lose(connection, held, values)


def read_steps(connection: Connection, run_id: str, after: int, limit: int) -> list[Step]:
    query = select(steps).where(steps.c.run_id == run_id, steps.c.number > after).order_by(steps.c.number).limit(limit)
    return [step_from(row) for row in connection.execute(query)]
