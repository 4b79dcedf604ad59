"""Q16. The connection to the database is cut in the middle of a COMMIT: the writer cannot know whether it took effect,
and must be right either way."""

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from app.standins.github import GitHubStandIn
from tests.support.commit_relay import CommitRelay, Lost, commit_relay
from tests.support.databases import PostgreSQLServer
from tests.support.github import make_scene
from tests.support.hosts import FailingHost, empty_workshop
from tests.support.issues import a_claim, a_delivery, a_run, an_issue, run_of
from tests.support.long import first_of
from tests.support.small_worker import CountingModel, Small
from workers.execute import Executor
from workers.host import RunCancelledError, RunRequest
from workers.outcomes import RunStatus
from workers.store import RunStore, StoreUnavailableError, open_store

MANY = 100
"""More commits than a run has."""
each_loss = pytest.mark.parametrize("lost", list(Lost), ids=[f"{lost}-lost" for lost in Lost])


@dataclass
class Database:
    """One database, and the way to it by which this store goes."""

    direct_url: str
    relay: CommitRelay
    store: RunStore

    def is_over(self) -> bool:
        """There is a run, and it has ended."""
        with psycopg.connect(self.direct_url) as connection:
            return connection.execute("select status from runs").fetchall() == [("ended",)]

    def empty(self) -> None:
        with psycopg.connect(self.direct_url) as connection:
            connection.execute("truncate runs, deliveries, steps, workers, chores, pauses")


@pytest.fixture
def database(postgresql: PostgreSQLServer) -> Iterator[Database]:
    name = postgresql.new_database()
    with (
        commit_relay(postgresql.socket_folder) as relay,
        closing(open_store(postgresql.url(name, relay.folder))) as store,
    ):
        yield Database(postgresql.url(name), relay, store)
    postgresql.drop_database(name)


@each_loss
def test_a_journal_write_is_unavailable_and_whole_or_not_there(database: Database, lost: Lost) -> None:
    claim = a_claim(database.store)
    database.relay.lose(lost)
    with pytest.raises(StoreUnavailableError):
        database.store.append_step(claim, "note", {})
    there = lost is Lost.ANSWER
    assert len(database.store.steps(claim.run.id)) == there
    assert database.store.append_step(claim, "note", {}) == there + 1


@each_loss
def test_a_delivery_that_is_sent_again_makes_one_run(database: Database, lost: Lost) -> None:
    delivery, issue = a_delivery(), an_issue()
    database.relay.lose(lost)
    with pytest.raises(StoreUnavailableError):
        database.store.create_run_once(delivery, issue)
    again = database.store.create_run_once(delivery, issue)
    assert again.created is (lost is Lost.QUESTION)
    assert [run.id for run in database.store.list_runs()] == [again.run_id]


@each_loss
def test_a_run_whose_end_is_not_known_to_be_written_is_over_or_waits_for_the_database(
    database: Database, lost: Lost
) -> None:
    run_id = a_run(database.store)

    class LosesItsEnd(FailingHost):
        def admit(self, run: RunRequest) -> None:
            database.relay.lose(lost)
            super().admit(run)

    host = LosesItsEnd(RunCancelledError("Closed."))
    Executor(database.store, empty_workshop(), host, lease_seconds=60)(run_id)
    run = run_of(database.store, run_id)
    assert not database.relay.waits
    if lost is Lost.ANSWER:
        assert (run.status, run.detail) == (RunStatus.ENDED, "Closed.")
    else:
        assert (run.status, run.outcome, run.attempts) == (RunStatus.QUEUED, None, 0)
        assert (run.waiting or "").startswith("Waits for the database")


@pytest.mark.timeout(900)  # a life of a run for each of its commits
@pytest.mark.parametrize("lost", first_of(Lost))
def test_whichever_commit_is_cut_the_run_ends_once_and_nothing_is_doubled(
    database: Database, tmp_path: Path, lost: Lost
) -> None:
    found = {}
    for number in range(1, MANY):
        database.empty()
        with GitHubStandIn() as github:
            small = Small(make_scene(github, tmp_path / str(number)), database.store, CountingModel())
            database.relay.lose(lost, number)
            work_to_the_end(small, database)
            if database.relay.waits:
                break
            found[number] = small.damage()
    assert len(found) > 10  # delivery, claim, stage, two for each turn and each tool, intent, end
    assert {number: damage for number, damage in found.items() if damage} == {}


def work_to_the_end(small: Small, database: Database) -> None:
    """As GitHub, which delivers again, and workers, which come again."""
    while not database.is_over():
        with suppress(StoreUnavailableError):
            small.work(small.label())
