"""What ended long ago is deleted where the operator asks for it, and nothing else."""

import pytest
from sqlalchemy import func, select

from tests.support.databases import set_back
from tests.support.issues import ENDED, a_claim, a_delivery, a_run, an_issue, run_of
from workers.store import RunStore
from workers.store.database import make_engine, reading
from workers.store.forgetting import PAUSE_SECONDS
from workers.store.schema import deliveries, runs, steps

DAY = 86_400.0


def ended(store: RunStore) -> str:
    claim = a_claim(store)
    store.append_step(claim, "stage", {"name": "admit"})
    store.finish(claim, ENDED, {})
    return claim.run.id


def rows(url: str) -> list[int]:
    engine = make_engine(url)
    with reading(engine) as connection:
        counts = [
            connection.execute(select(func.count()).select_from(t)).scalar_one() for t in (runs, steps, deliveries)
        ]
    engine.dispose()
    return counts


def test_old_runs_go_with_their_steps_and_deliveries_and_younger_ones_stay(store: RunStore, database_url: str) -> None:
    old = [ended(store) for _ in range(5)]
    under_way = a_claim(store).run.id
    store.record_ignored(a_delivery(), "another label")
    for column in (runs.c.ended_at, runs.c.created_at, deliveries.c.received_at):
        set_back(database_url, column, 40 * DAY)
    young, waiting = ended(store), a_run(store)
    assert store.forget(30 * DAY, at_once=2) == 5
    assert [store.get(run_id) for run_id in old] == [None] * 5
    assert {run_of(store, run_id).id for run_id in (under_way, young, waiting)} == {under_way, young, waiting}
    assert rows(database_url) == [3, 1, 3]
    assert store.forget(30 * DAY) == 0


@pytest.mark.parametrize("seconds", [0.0, 7 * DAY])
def test_what_still_keeps_a_labelling_from_a_second_run_is_not_forgotten(store: RunStore, seconds: float) -> None:
    with pytest.raises(ValueError, match="a week"):
        store.forget(seconds)


def test_others_have_their_turn_in_between(store: RunStore, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's lock goes to whoever asks at the right moment: between two of ours there has to be one."""
    for _ in range(5):
        ended(store)
    set_back(database_url, runs.c.ended_at, 40 * DAY)
    written: list[float] = []

    def others(seconds: float) -> None:
        store.record_ignored(a_delivery(), "another label")
        written.append(seconds)

    monkeypatch.setattr("workers.store.forgetting.time.sleep", others)
    assert store.forget(30 * DAY, at_once=2) == 5
    assert written == [PAUSE_SECONDS] * 2


def test_a_younger_delivery_of_a_run_that_is_forgotten_starts_no_second_one(store: RunStore, database_url: str) -> None:
    delivery, issue = a_delivery(), an_issue()
    claim = a_claim(store, store.create_run_once(delivery, issue).run_id)
    store.finish(claim, ENDED, {})
    set_back(database_url, runs.c.ended_at, 40 * DAY)
    assert store.forget(30 * DAY) == 1
    assert not store.create_run_once(delivery, issue).created
    set_back(database_url, deliveries.c.received_at, 40 * DAY)
    assert store.forget(30 * DAY) == 0
    assert rows(database_url) == [0, 0, 0]
