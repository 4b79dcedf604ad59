"""What one worker at a time does for all."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from workers.store import Chore, RunStore, open_store


def taken(store: RunStore, holder: str = "one", seconds: float = 60) -> Chore:
    chore = store.take_chore("sweep", holder, seconds)
    assert chore is not None
    return chore


def test_one_holder_at_a_time(store: RunStore) -> None:
    assert store.chore_due("sweep")
    chore = taken(store)
    assert not store.chore_due("sweep")
    assert store.take_chore("sweep", "two", 60) is None
    assert store.take_chore("another", "two", 60) is not None
    assert store.hold_chore(chore, 60)


def test_what_is_given_back_is_due_again_in_its_time_with_its_mark(store: RunStore) -> None:
    assert taken(store).mark == {}
    assert store.give_back_chore(taken_again := Chore("sweep", "one", {}), {"seen": "2026"}, 3600)
    assert store.take_chore("sweep", "two", 60) is None
    assert not store.give_back_chore(taken_again, {}, 0)  # it is nobody's now


def test_it_can_be_taken_when_it_is_due(store: RunStore) -> None:
    store.give_back_chore(taken(store), {"seen": "2026"}, 0)
    assert taken(store, "two").mark == {"seen": "2026"}


def test_a_dead_holder_is_waited_for_no_longer_than_it_held(store: RunStore) -> None:
    first = taken(store, seconds=0.05)
    time.sleep(0.1)
    second = taken(store, "two")
    assert not store.hold_chore(first, 60)
    assert not store.give_back_chore(first, {"seen": "wrong"}, 0)
    assert store.hold_chore(second, 60)


def test_of_many_at_once_one_takes_it(database_url: str) -> None:
    stores = [open_store(database_url) for _ in range(2)]
    barrier = threading.Barrier(8)

    def take(number: int) -> Chore | None:
        barrier.wait()
        return stores[number % 2].take_chore("sweep", str(number), 60)

    with ThreadPoolExecutor(8) as pool:
        assert sum(chore is not None for chore in pool.map(take, range(8))) == 1
    for store in stores:
        store.close()
