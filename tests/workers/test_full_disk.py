"""The database's disk is full in the middle of a run: the run waits, its operator is told, and it goes on when there is
room."""

import logging
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from tests.support.hosts import FailingHost, empty_workshop
from tests.support.issues import a_claim, a_run, run_of
from tests.support.threads import LASTING, wait_for_threads
from workers.execute import Executor
from workers.host import RunCancelledError, RunRequest
from workers.outcomes import OutcomeKind, RunStatus
from workers.store import MAX_ATTEMPTS, RunStore, StoreUnavailableError


@contextmanager
def no_room(folder: Path) -> Iterator[None]:
    """The write-ahead log of the database in `folder` cannot grow: SQLite hears of it as of a full disk."""
    wait_for_threads(*LASTING)  # of earlier tests: the limit would be theirs too
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((folder / "store.db-wal").stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_no_journal_write_is_half_done(sqlite_store: RunStore, tmp_path: Path) -> None:
    claim = a_claim(sqlite_store)
    with no_room(tmp_path), pytest.raises(StoreUnavailableError):
        sqlite_store.append_step(claim, "note", {"text": "x" * 10_000})
    assert sqlite_store.steps(claim.run.id) == []
    assert sqlite_store.append_step(claim, "note", {}) == 1


def test_the_run_waits_its_operator_is_told_and_it_goes_on(
    sqlite_store: RunStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run_id = a_run(sqlite_store)
    looks: list[float] = []

    def look_again(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 2 * MAX_ATTEMPTS:
            stack.close()  # there is room again

    class FullFromHereOn(FailingHost):
        def admit(self, run: RunRequest) -> None:
            stack.enter_context(no_room(tmp_path))

    with ExitStack() as stack, caplog.at_level(logging.ERROR):
        host = FullFromHereOn(AssertionError())
        Executor(sqlite_store, empty_workshop(), host, lease_seconds=60, sleep=look_again)(run_id)
    assert f"run {run_id}: the database cannot be written" in caplog.text
    assert "has room" in caplog.text
    waiting = run_of(sqlite_store, run_id)
    assert (waiting.status, waiting.outcome, waiting.attempts) == (RunStatus.QUEUED, None, 0)
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
        connection.execute("update runs set due_at = 0")  # its wait is over
    Executor(sqlite_store, empty_workshop(), FailingHost(RunCancelledError("Closed.")), lease_seconds=60)(run_id)
    assert run_of(sqlite_store, run_id).outcome is OutcomeKind.CANCELLED
