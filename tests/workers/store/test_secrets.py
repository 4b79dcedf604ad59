"""K04: no error of the database holds the parameters of its statement."""

import logging

import pytest
from sqlalchemy import text

from workers.store.database import make_engine, writing
from workers.store.errors import StoreFaultError

CANARY = "canary-of-a-value"
FAILING = "insert into workers values (:value, null)"
"""Its failure is a bug of ours, so it reaches the log. PostgreSQL's own words quote the whole row."""


def test_a_failing_statement_says_nothing_of_its_parameters(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    engine = make_engine(database_url)

    def fail() -> None:
        with writing(engine) as connection:
            connection.execute(text(FAILING), {"value": CANARY})

    with pytest.raises(StoreFaultError) as raised:
        fail()
    engine.dispose()
    logging.getLogger("workers").error("it failed", exc_info=raised.value)
    assert "seen_at" in caplog.text
    assert CANARY not in caplog.text
    assert CANARY not in f"{raised.value} {raised.value!r}"
