"""K04: no error of the database holds the parameters of its statement."""

import logging

import pytest
from sqlalchemy import exc, text

from workers.store.database import make_engine, writing

CANARY = "canary-of-a-value"
FAILING = {
    "sqlite": "insert into workers values (:value, null)",
    "postgresql": "insert into no_such_table values (:value)",
}
"""Statements whose failure is a bug of ours, so that SQLAlchemy's own error reaches the log."""


def test_a_failing_statement_says_nothing_of_its_parameters(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    engine = make_engine(database_url)

    def fail() -> None:
        with writing(engine) as connection:
            connection.execute(text(FAILING[engine.dialect.name]), {"value": CANARY})

    with pytest.raises((exc.IntegrityError, exc.ProgrammingError)) as raised:
        fail()
    engine.dispose()
    logging.getLogger("workers").error("it failed", exc_info=raised.value)
    assert "insert into" in caplog.text
    assert CANARY not in caplog.text
    assert CANARY not in f"{raised.value} {raised.value!r}"
