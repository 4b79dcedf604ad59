"""From a delivery to a run, once."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.issues import ENDED, a_claim, a_delivery, a_run, an_issue, run_of
from workers.outcomes import RunStatus
from workers.store import CreatedRun, RunStore, open_store
from workers.store.database import make_engine, reading
from workers.store.migrate import migrate


def test_a_run_holds_the_issue_as_it_was(store: RunStore) -> None:
    labelled = datetime(2026, 11, 21, 20, 15, 1, 250000, tzinfo=UTC)
    issue = replace(an_issue(), labelled_at=labelled, body="line\r\nline 2 ünï 🧪")
    created = store.create_run_once(a_delivery(), issue)
    run = store.get(created.run_id)
    assert created.created
    assert run is not None
    assert (run.status, run.attempts, run.epoch, run.spend) == (RunStatus.QUEUED, 0, 0, {})
    assert {name: getattr(run, name) for name in vars(issue)} == vars(issue)
    assert abs((run.created_at - datetime.now(UTC)).total_seconds()) < 60


def test_the_same_delivery_gives_the_same_run(store: RunStore) -> None:
    delivery, issue = a_delivery(), an_issue()
    first = store.create_run_once(delivery, issue)
    assert store.create_run_once(delivery, issue) == CreatedRun(first.run_id, created=False)
    assert len(store.list_runs()) == 1


def test_the_same_delivery_gives_the_same_run_after_it_ended(store: RunStore) -> None:
    delivery, issue = a_delivery(), an_issue()
    first = store.create_run_once(delivery, issue)
    store.finish(a_claim(store, first.run_id), ENDED, {})
    assert store.create_run_once(delivery, issue) == CreatedRun(first.run_id, created=False)


def test_another_delivery_for_an_issue_with_an_active_run_gives_that_run(store: RunStore) -> None:
    """W09."""
    issue = an_issue()
    queued = store.create_run_once(a_delivery(), issue)
    assert store.create_run_once(a_delivery(), issue) == CreatedRun(queued.run_id, created=False)
    a_claim(store, queued.run_id)
    assert store.create_run_once(a_delivery(), issue) == CreatedRun(queued.run_id, created=False)


def test_a_delivery_that_joined_a_run_still_gives_it_after_it_ended(store: RunStore) -> None:
    issue, second = an_issue(), a_delivery()
    first = store.create_run_once(a_delivery(), issue)
    store.create_run_once(second, issue)
    store.finish(a_claim(store, first.run_id), ENDED, {})
    assert store.create_run_once(second, issue) == CreatedRun(first.run_id, created=False)


def test_a_new_label_after_the_run_ended_makes_a_new_run(store: RunStore) -> None:
    issue = an_issue()
    first = store.create_run_once(a_delivery(), issue)
    store.finish(a_claim(store, first.run_id), ENDED, {})
    second = store.create_run_once(a_delivery(), issue)
    assert second.created
    assert second.run_id != first.run_id


def test_issues_of_one_number_in_two_repositories_are_two_runs(store: RunStore) -> None:
    assert store.create_run_once(a_delivery(), an_issue(5, repository_id=1)).created
    assert store.create_run_once(a_delivery(), an_issue(5, repository_id=2)).created


def test_local_runs_do_not_stand_in_each_others_way(store: RunStore) -> None:
    local = replace(an_issue(0, repository_id=0), installation_id=0, repository="/home/me/project")
    assert store.create_run_once(a_delivery(), local).created
    assert store.create_run_once(a_delivery(), local).created


def test_an_ignored_delivery_makes_a_run_once_it_is_delivered_again_and_wanted(store: RunStore) -> None:
    delivery, issue = a_delivery(), an_issue()
    store.record_ignored(delivery, "another label")
    store.record_ignored(delivery, "another label")
    created = store.create_run_once(delivery, issue)
    assert created.created
    store.record_ignored(delivery, "another label")
    assert store.create_run_once(delivery, issue) == CreatedRun(created.run_id, created=False)


def at_once(times: int, act: Callable[[int], CreatedRun]) -> list[CreatedRun]:
    barrier = threading.Barrier(times)

    def when_all_are_there(number: int) -> CreatedRun:
        barrier.wait()
        return act(number)

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(when_all_are_there, range(times)))


@pytest.mark.parametrize("same_delivery", [True, False])
def test_eight_deliveries_at_once_make_one_run(database_url: str, same_delivery: bool) -> None:
    """W07, W09."""
    store, other_process = open_store(database_url), open_store(database_url)
    issue, one = an_issue(), a_delivery()
    results = at_once(
        8,
        lambda n: (store, other_process)[n % 2].create_run_once(one if same_delivery else a_delivery(), issue),
    )
    assert len({result.run_id for result in results}) == 1
    assert [result.created for result in results].count(True) == 1
    assert len(store.list_runs()) == 1
    store.close()
    other_process.close()


def test_text_that_databases_refuse_is_replaced_visibly(store: RunStore) -> None:
    """W15."""
    issue = replace(an_issue(title="a\0b \ud83d c"), body="\udc00\0", sender="x\0")
    run = run_of(store, a_run(store, issue))
    assert (run.title, run.body, run.sender) == ("a␀b � c", "�␀", "x␀")


def test_ids_are_short_safe_in_names_and_in_order(store: RunStore) -> None:
    ids = []
    for _ in range(20):
        ids.append(a_run(store))
    assert all(10 <= len(one) <= 16 and one.isascii() and one.isalnum() and one == one.lower() for one in ids)
    assert len(set(ids)) == 20
    assert [one[:8] for one in ids] == sorted(one[:8] for one in ids)


def test_a_delivery_costs_the_same_however_many_came_before(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'store.db'}")
    migrate(engine)
    store, ticks = RunStore(engine), [0]

    def count() -> int:
        ticks[0] += 1
        return 0

    with reading(engine) as connection:
        driver = connection.connection.dbapi_connection
        assert isinstance(driver, sqlite3.Connection)
        driver.set_progress_handler(count, 1)  # each instruction of SQLite's machine

    def instructions_of_one_more() -> int:
        before = ticks[0]
        a_run(store)
        return ticks[0] - before

    a_run(store)
    early = instructions_of_one_more()
    for _ in range(300):
        a_run(store)
    assert early > 0
    assert instructions_of_one_more() <= early * 1.2
    store.close()
