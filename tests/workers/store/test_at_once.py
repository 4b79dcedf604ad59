"""Writing without waiting."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.databases import PostgreSQLServer
from tests.support.issues import a_delivery, an_issue, run_of
from workers.store import CreatedRun, RunStore, WouldWaitError, open_store


@pytest.fixture
def on_sqlite(tmp_path: Path) -> Iterator[RunStore]:
    store = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    yield store
    store.close()


def test_both_ways_write_the_same(on_sqlite: RunStore) -> None:
    at_once, delivery, issue = on_sqlite.at_once(), a_delivery(), an_issue()
    assert at_once is not None
    created = at_once.create_run_once(delivery, issue)
    assert created.created
    assert on_sqlite.create_run_once(delivery, issue) == CreatedRun(created.run_id, created=False)
    assert on_sqlite.create_run_once(a_delivery(), issue) == CreatedRun(created.run_id, created=False)
    run = run_of(on_sqlite, created.run_id)
    assert (run.repository, run.issue_number, run.title) == (issue.repository, issue.issue_number, issue.title)


def test_what_was_written_at_once_is_there_for_a_process_that_opens_the_file_afterwards(
    on_sqlite: RunStore, tmp_path: Path
) -> None:
    at_once = on_sqlite.at_once()
    assert at_once is not None
    created = at_once.create_run_once(a_delivery(), an_issue())
    at_once.record_ignored(a_delivery(), "another label")
    with closing(sqlite3.connect(tmp_path / "store.db")) as other:
        assert other.execute("select id from runs").fetchall() == [(created.run_id,)]
        assert other.execute("select count(*) from deliveries").fetchone() == (2,)


def test_while_another_writes_nothing_is_written_and_nobody_waits(on_sqlite: RunStore, tmp_path: Path) -> None:
    at_once = on_sqlite.at_once()
    assert at_once is not None
    with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(WouldWaitError):
            at_once.create_run_once(a_delivery(), an_issue())
        other.execute("ROLLBACK")
    assert on_sqlite.list_runs() == []
    assert at_once.create_run_once(a_delivery(), an_issue()).created


def test_what_fails_half_way_is_undone(on_sqlite: RunStore, tmp_path: Path) -> None:
    at_once = on_sqlite.at_once()
    assert at_once is not None
    with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as other:
        other.execute("alter table runs rename to elsewhere")
        with pytest.raises(WouldWaitError):
            at_once.create_run_once(a_delivery(), an_issue())
        assert other.execute("select count(*) from deliveries").fetchone() == (0,)


def test_over_a_network_nothing_is_at_once(postgresql: PostgreSQLServer) -> None:
    name = postgresql.new_database()
    store = open_store(postgresql.url(name))
    assert store.at_once() is None
    store.close()
    postgresql.drop_database(name)
