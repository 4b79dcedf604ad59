"""Migrations, errors at the border, and what the planner makes of the queries."""

import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine, exc, text

from repo_tools.errors import ConfigError, TransientError
from tests.support.commit_relay import SOCKET
from tests.support.databases import PostgreSQLServer
from tests.support.issues import a_claim, a_delivery, a_run, an_issue
from tests.support.relay import relay_port
from workers.settings import WorkerSettings
from workers.store import Limits, RunStore, StopOrder, StopScope, StoreUnavailableError, open_store
from workers.store.database import UNAVAILABLE, make_engine, reading, writing, writing_past_sqlalchemy
from workers.store.indexes import tables_and_indexes
from workers.store.intake import Intake
from workers.store.migrate import LOCK_KEY, migrate
from workers.store.version import has_newest_schema


def test_the_migrations_make_the_tables_that_the_code_expects(empty_database_url: str) -> None:
    engine = make_engine(empty_database_url)
    migrate(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables_and_indexes) == []
    engine.dispose()


def test_the_code_knows_the_last_migration(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'store.db'}")
    assert not has_newest_schema(engine)
    migrate(engine)
    assert has_newest_schema(engine)
    engine.dispose()


def test_a_process_that_finds_its_database_ready_does_without_alembic(database_url: str) -> None:
    program = "import sys; from workers import store; store.open_store(sys.argv[1]); sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program, database_url], check=False).returncode == 0


def test_migrating_again_changes_nothing(database_url: str) -> None:
    store = open_store(database_url)
    run_id = a_run(store)
    store.close()
    again = open_store(database_url)
    assert again.get(run_id) is not None
    again.close()


def test_processes_that_start_at_once_migrate_once(empty_database_url: str) -> None:
    program = "import sys; from workers.store import open_store; open_store(sys.argv[1]).close()"
    processes = [subprocess.Popen([sys.executable, "-c", program, empty_database_url]) for _ in range(4)]
    assert [process.wait() for process in processes] == [0, 0, 0, 0]
    store = open_store(empty_database_url)
    assert store.healthy()
    store.close()


@contextmanager
def as_one_that_migrates(engine: Engine) -> Iterator[None]:
    with writing(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
        yield


@pytest.mark.parametrize("tables", [False, True], ids=["no-tables", "tables"])
def test_a_migration_under_way_is_waited_for_longer_than_a_webhook_waits(empty_database_url: str, tables: bool) -> None:
    engine = make_engine(empty_database_url, lock_seconds=0.1)
    if tables:
        migrate(engine)
    with ThreadPoolExecutor(1) as pool:
        with as_one_that_migrates(engine):
            waiting = pool.submit(migrate, engine)
            with pytest.raises(StoreUnavailableError), as_one_that_migrates(engine):
                pass
            assert wait([waiting], 1).not_done
        waiting.result(120)
    assert has_newest_schema(engine)
    engine.dispose()


def test_a_file_that_another_process_holds_is_unavailable_and_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    engine = make_engine(f"sqlite:///{path}")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(
            StoreUnavailableError,
            match=r"store\.db got no write-ahead log within 0 s \(database is locked\)\. Stop the other",
        ):
            migrate(engine, wait_seconds=0)
    migrate(engine)
    assert has_newest_schema(engine)
    engine.dispose()


def test_a_file_that_cannot_be_written_is_a_configuration_error(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table any_table (any_column)")
    with path.open("r+b") as file:
        file.seek(18)  # a write version that SQLite does not know is read only, for root too
        file.write(b"\x03")
    engine = make_engine(f"sqlite:///{path}")
    with pytest.raises(ConfigError, match=r"store\.db is read-only\. Let this user write"):
        migrate(engine)
    engine.dispose()


def test_a_folder_that_cannot_be_made_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"AGENT_FIX_DATABASE_URL: its folder .*/below cannot be made \(Not a dir"):
        make_engine(f"sqlite:///{tmp_path}/file/below/store.db")


def test_a_database_of_a_newer_release_is_refused(empty_database_url: str) -> None:
    engine = make_engine(empty_database_url)
    migrate(engine)
    with writing(engine) as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(ConfigError, match="newer"):
        migrate(engine)
    engine.dispose()


@pytest.mark.parametrize("url", ["mysql://h/d", "nonsense", "sqlite://", "sqlite:///:memory:", "foo://x", ""])
def test_a_database_that_is_not_supported_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigError, match="AGENT_FIX_DATABASE_URL"):
        make_engine(url)


def test_a_database_that_is_away_is_unavailable_and_says_so_without_the_password(tmp_path: Path) -> None:
    store = RunStore(make_engine(f"postgresql://me:hunter2@/x?host={tmp_path}"))
    with pytest.raises(StoreUnavailableError) as caught:
        store.create_run_once(a_delivery(), an_issue(title="a secret title"))
    assert isinstance(caught.value, TransientError)
    assert "hunter2" not in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "AGENT_FIX_DATABASE_URL" in "".join(caught.value.__notes__)
    assert not store.healthy()


def test_a_database_without_tables_is_not_healthy(tmp_path: Path) -> None:
    store = RunStore(make_engine(f"sqlite:///{tmp_path / 'empty.db'}"))
    assert not store.healthy()
    store.close()


def test_a_database_that_stays_locked_is_unavailable(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    store = open_store(url)
    a_run(store)
    other = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailableError, match="locked"):
        a_run(store)
    assert len(store.list_runs()) == 1  # readers do not wait for a writer
    other.execute("ROLLBACK")
    a_run(store)
    other.close()
    store.close()


def test_a_connection_that_was_cut_is_replaced(postgresql: PostgreSQLServer) -> None:
    name = postgresql.new_database()
    store = open_store(postgresql.url(name))
    claim = a_claim(store)
    postgresql.disconnect_all(name)
    assert store.append_step(claim, "turn", {}) == 1
    store.close()
    postgresql.drop_database(name)


def test_a_connection_cut_in_a_transaction_writes_nothing_and_is_unavailable(postgresql: PostgreSQLServer) -> None:
    name = postgresql.new_database()
    engine = make_engine(postgresql.url(name))
    migrate(engine)

    def write_through_a_failover() -> None:
        with writing(engine) as connection:
            connection.execute(text("insert into workers values ('w', 0)"))
            postgresql.disconnect_all(name)

    with pytest.raises(StoreUnavailableError):
        write_through_a_failover()
    with reading(engine) as connection:
        assert connection.execute(text("select count(*) from workers")).scalar_one() == 0
    engine.dispose()
    postgresql.drop_database(name)


def test_a_primary_that_became_a_standby_is_unavailable_and_left_for_the_new_one(postgresql: PostgreSQLServer) -> None:
    """Q16: its connections live on, and answer whatever is read."""
    name = postgresql.new_database()
    store = open_store(postgresql.url(name))
    claim = a_claim(store)
    postgresql.set_read_only(name, on=True)
    postgresql.disconnect_all(name)
    for write in (lambda: store.append_step(claim, "turn", {}), lambda: store.renew(claim, 60), lambda: a_run(store)):
        with pytest.raises(StoreUnavailableError, match="read-only transaction"):
            write()
    postgresql.set_read_only(name, on=False)
    assert store.renew(claim, 60)
    assert store.append_step(claim, "turn", {}) == 1
    store.close()
    postgresql.drop_database(name)


def test_a_delivery_that_a_standby_refuses_can_be_written_afterwards(postgresql: PostgreSQLServer) -> None:
    """Q16: GitHub's delivery is refused with 5xx, and comes again."""
    name = postgresql.new_database()
    engine = make_engine(postgresql.url(name))
    migrate(engine)
    intake, delivery, issue = Intake(engine.dialect), a_delivery(), an_issue()

    def write() -> bool:
        with writing_past_sqlalchemy(engine) as driver:
            return intake.create_run_once(driver, delivery, issue).created

    postgresql.set_read_only(name, on=True)
    postgresql.disconnect_all(name)
    with pytest.raises(StoreUnavailableError, match="takes no writes"):
        write()
    postgresql.set_read_only(name, on=False)
    assert write()
    engine.dispose()
    postgresql.drop_database(name)


@pytest.mark.parametrize(("query", "expected"), [("", 15_000), ("&tcp_user_timeout=7000", 7_000)])
def test_a_connection_whose_other_end_is_silent_ends_well_before_a_lease(
    postgresql: PostgreSQLServer, query: str, expected: int
) -> None:
    """Q16: a failover that drops packets instead of refusing them. The URL may say another time."""
    with relay_port(postgresql.socket_folder / SOCKET) as port:
        engine = make_engine(f"postgresql://postgres@/postgres?host=127.0.0.1&port={port}{query}")
        with reading(engine) as connection, closing(connected_socket(connection)) as link:
            assert link.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            idle, interval, count = (
                link.getsockopt(socket.IPPROTO_TCP, name)
                for name in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
            )
            assert idle + interval * count <= WorkerSettings().lease_seconds / 2
            assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == expected
        engine.dispose()


def connected_socket(connection: Connection) -> socket.socket:
    driver: Any = connection.connection.driver_connection
    return socket.socket(fileno=os.dup(driver.fileno()))


def test_a_delivery_cut_off_in_its_transaction_is_not_kept_and_can_be_written_afterwards(
    postgresql: PostgreSQLServer,
) -> None:
    name = postgresql.new_database()
    url = postgresql.url(name)
    store, engine = open_store(url), make_engine(url)
    intake, delivery, issue = Intake(engine.dialect), a_delivery(), an_issue()

    def write_through_a_failover() -> None:
        with writing_past_sqlalchemy(engine) as driver:
            intake.create_run_once(driver, delivery, issue)
            postgresql.disconnect_all(name)

    with pytest.raises(StoreUnavailableError):
        write_through_a_failover()
    assert store.list_runs() == []
    with writing_past_sqlalchemy(engine) as driver:
        assert intake.create_run_once(driver, delivery, issue).created
    assert len(store.list_runs()) == 1
    engine.dispose()
    store.close()
    postgresql.drop_database(name)


def test_each_error_of_sqlalchemy_that_time_may_heal_is_mapped() -> None:
    """Classes that SQLAlchemy may add are looked at by somebody before this passes again."""
    drivers = {one for one in vars(exc).values() if isinstance(one, type) and issubclass(one, exc.DBAPIError)}
    bugs = {exc.IntegrityError, exc.ProgrammingError, exc.DataError, exc.NotSupportedError, exc.InternalError}
    bases = {exc.DBAPIError, exc.DatabaseError}
    assert drivers - bugs - bases == {one for one in UNAVAILABLE if issubclass(one, exc.DBAPIError)}


def test_no_query_looks_through_ended_runs(tmp_path: Path) -> None:
    """The cost of one more run must not grow: the queries' own words must match those of the partial index."""
    engine = make_engine(f"sqlite:///{tmp_path / 'store.db'}")
    migrate(engine)
    store, statements = RunStore(engine), traced(engine)
    issue = an_issue()
    claim = a_claim(store, a_run(store, issue))
    a_run(store, issue)  # finds the active one
    store.due_for_ring(10)
    store.queue_depth()
    store.end_hopeless()
    store.next_waiting(Limits(1, 1))
    store.had_run(42, 1, 5, datetime(2026, 1, 1, tzinfo=UTC))
    store.is_under_way(42, 1)
    store.stop_runs(a_delivery(), StopOrder(StopScope.ISSUE, "Closed.", 0, 42, 1, label_off=True))
    store.list_runs(before=claim.run.id)
    store.steps(claim.run.id)
    looked_at = [one for one in statements if " runs" in one and one.startswith(("SELECT", "UPDATE"))]
    plans = [plan(engine, one) for one in looked_at]
    assert len(plans) >= 12
    scans = [line for one in plans for line in one if line.startswith(("SCAN runs", "SCAN other", "SCAN earlier"))]
    assert [line for line in scans if "INDEX ix_runs_active_due" not in line] == []
    assert scans
    store.close()


def traced(engine: Engine) -> list[str]:
    """A list that fills with the statements of the engine's one pooled connection, values put in."""
    statements: list[str] = []
    with reading(engine) as connection:
        driver = connection.connection.dbapi_connection
        assert isinstance(driver, sqlite3.Connection)
        driver.set_trace_callback(statements.append)
    return statements


def plan(engine: Engine, statement: str) -> list[str]:
    with reading(engine) as connection:
        rows = connection.exec_driver_sql(f"explain query plan {statement}".replace("%", "%%"))
        return [row.detail for row in rows]
