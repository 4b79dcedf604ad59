"""Ids of runs sort as they were made, however many of them a millisecond sees."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.issues import a_run
from workers.store import RunStore
from workers.store.run_ids import new_run_id


def test_ids_made_within_one_millisecond_sort_as_they_were_made() -> None:
    ids = [new_run_id() for _ in range(2_000)]
    assert ids == sorted(set(ids))


def test_threads_never_share_the_part_that_is_time() -> None:
    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(lambda _: new_run_id(), range(2_000)))
    assert len({run_id[:8] for run_id in ids}) == 2_000
    assert all(re.fullmatch("[0-9a-z]{14}", run_id) for run_id in ids)


@pytest.mark.parametrize("text", ["a\0b", "\udcff"])
def test_text_that_no_database_can_hold_is_no_runs_id(store: RunStore, text: str) -> None:
    """It comes from an address or a command line."""
    a_run(store)
    assert store.get(text) is None
    assert store.list_runs(before=text) is not None
