"""Steps and progress of a run."""

import math
from concurrent.futures import ThreadPoolExecutor

from tests.support.issues import a_claim, a_run, run_of
from workers.store import RunStore


def test_steps_are_numbered_from_one_and_come_back_as_they_were(store: RunStore) -> None:
    claim = a_claim(store)
    data = {"text": "ünï 🧪\r\n", "nested": {"list": [1, 2.5, None, True]}, "empty": {}}
    assert [store.append_step(claim, "turn", data), store.append_step(claim, "verify", {})] == [1, 2]
    first, second = store.steps(claim.run.id)
    assert (first.number, first.kind, first.data) == (1, "turn", data)
    assert (second.number, second.kind, second.data) == (2, "verify", {})
    assert claim.run.created_at <= first.at <= second.at


def test_steps_are_read_in_pages(store: RunStore) -> None:
    claim, other = a_claim(store), a_claim(store)
    for number in range(5):
        store.append_step(claim, "turn", {"n": number})
        store.append_step(other, "turn", {})
    page = store.steps(claim.run.id, limit=2)
    assert [step.number for step in page] == [1, 2]
    assert [step.number for step in store.steps(claim.run.id, after=2, limit=2)] == [3, 4]
    assert [step.data["n"] for step in store.steps(claim.run.id, after=4)] == [4]
    assert store.steps("aaaaaaaaaaaa") == []


def test_threads_of_one_worker_leave_no_gap_and_no_double(store: RunStore) -> None:
    claim = a_claim(store)
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda n: store.append_step(claim, "turn", {"n": n}), range(24)))
    assert sorted(numbers) == list(range(1, 25))
    assert [step.number for step in store.steps(claim.run.id)] == list(range(1, 25))


def test_what_databases_refuse_in_text_comes_back_as_it_was(store: RunStore) -> None:
    """Nothing that looks like its escape is taken for it."""
    claim = a_claim(store)
    data = {
        "a\0": ["\0", {"b": "\udfff", "c\udc80": "x\ud83d"}],
        "d": ["\\u0000", "\\\0", "\\udfff", "\\\udfff", "␀\ufffd😀"],
    }
    store.append_step(claim, "turn", data)
    assert store.steps(claim.run.id)[0].data == data


def test_numbers_that_json_does_not_have_become_their_names(store: RunStore) -> None:
    claim = a_claim(store)
    store.append_step(claim, "turn", {"n": [math.nan, math.inf]})
    assert store.steps(claim.run.id)[0].data == {"n": ["nan", "inf"]}


def test_a_step_of_many_megabytes_is_kept(store: RunStore) -> None:
    claim = a_claim(store)
    store.append_step(claim, "turn", {"output": "x" * 20_000_000})
    assert len(store.steps(claim.run.id)[0].data["output"]) == 20_000_000


def test_progress_changes_what_is_given_and_nothing_else(store: RunStore) -> None:
    claim = a_claim(store)
    store.set_progress(claim, stage="agent", model="claude")
    store.set_progress(claim, spend={"turns": {"used": 3, "limit": 40}}, base_commit="c" * 40)
    store.set_progress(claim)
    run = run_of(store, claim.run.id)
    assert (run.stage, run.model, run.base_commit) == ("agent", "claude", "c" * 40)
    assert run.spend == {"turns": {"used": 3, "limit": 40}}


def test_runs_are_listed_newest_first_in_pages(store: RunStore) -> None:
    made = [a_run(store) for _ in range(5)]
    newest_first = sorted(made, reverse=True)
    page = store.list_runs(limit=2)
    assert [run.id for run in page] == newest_first[:2]
    assert [run.id for run in store.list_runs(limit=9, before=page[-1].id)] == newest_first[2:]


def test_an_unknown_run_is_none(store: RunStore) -> None:
    assert store.get("aaaaaaaaaaaa") is None
