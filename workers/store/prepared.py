"""Statements that are compiled once: SQLAlchemy's own way costs more than the database does, for each delivery."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ClauseElement, Connection, Dialect


@dataclass(frozen=True)
class Prepared:
    """SQL of one dialect. `order` is that of parameters which go by position; `fixed` are values of its own."""

    sql: str
    order: tuple[str, ...] | None
    fixed: Mapping[str, Any]

    def write(self, connection: Connection, values: Mapping[str, Any]) -> bool:
        """Execute an insert; whether a row was written."""
        named = {**self.fixed, **values}
        parameters = named if self.order is None else tuple(named[name] for name in self.order)
        result = connection.exec_driver_sql(self.sql, parameters, execution_options={"preserve_rowcount": True})
        return result.rowcount == 1


def prepare(statement: ClauseElement, dialect: Dialect) -> Prepared:
    """`statement`, whose values are such as drivers take without conversion."""
    compiled = statement.compile(dialect=dialect)
    order = getattr(compiled, "positiontup", None)
    return Prepared(str(compiled), tuple(order) if order else None, dict(compiled.params))
