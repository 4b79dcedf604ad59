"""Statements that are compiled once: SQLAlchemy's own way costs more than the database does, for each delivery."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import ClauseElement, Dialect


class Cursor(Protocol):
    """What is used of a driver's cursor (PEP 249)."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...


class DriverConnection(Protocol):
    """What is used of a driver's connection; both drivers have it beyond PEP 249."""

    def execute(self, sql: Any, parameters: Any = ..., /) -> Cursor: ...


@dataclass(frozen=True)
class Prepared:
    """SQL of one dialect. `order` is that of parameters which go by position; `fixed` are values of its own."""

    sql: str
    order: tuple[str, ...] | None
    fixed: Mapping[str, Any]

    def execute(self, driver: DriverConnection, values: Mapping[str, Any]) -> Cursor:
        named = {**self.fixed, **values}
        return driver.execute(self.sql, named if self.order is None else tuple([named[name] for name in self.order]))


def prepare(statement: ClauseElement, dialect: Dialect) -> Prepared:
    """`statement`, whose values are such as drivers take and give without conversion."""
    compiled = statement.compile(dialect=dialect)
    order = getattr(compiled, "positiontup", None)
    return Prepared(str(compiled), tuple(order) if order else None, dict(compiled.params))
