"""A past run again: offline as a check of its journal, or live from a step, with the very conversation it had."""

import os
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.anthropic_model import AnthropicModel
from app.standins.messages import MessagesServer, turns_of
from repo_tools.errors import RepoError
from repo_tools.mirror import lock_of
from tests.support import calc
from tests.support.engine import require_bubblewrap
from tests.support.hosts import empty_workshop
from tests.support.issues import a_claim, run_of
from tests.support.journals import journal, new_run
from tests.support.laboratory import INDEX_HOSTS, ca_bundle
from tests.support.repositories import make_repository
from workers.local_issue import LocalIssue
from workers.local_run import LocalRun, run_locally
from workers.outcomes import Reason
from workers.replay import PastRun, check_replay, find_past, kept_steps, replay_from
from workers.store import RunStore, open_store
from workers.workshop import Workshop

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry]
THOUGHT = {"type": "thinking", "thinking": "The first one is left out.", "signature": "c2lnbmVk"}
TURNS = ([THOUGHT, *calc.PLAN, calc.write_test()], [calc.mend()], [calc.finish()])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("replay")


@pytest.fixture(scope="module")
def store(folder: Path) -> Iterator[RunStore]:
    with closing(open_store(f"sqlite:///{folder / 'store.db'}")) as store:
        yield store


@pytest.fixture(scope="module")
def messages() -> Iterator[MessagesServer]:
    with MessagesServer(lambda request: TURNS[min(turns_of(request), 2)]) as server:
        yield server


@pytest.fixture(scope="module")
def workshop(folder: Path, messages: MessagesServer) -> Workshop:
    model = AnthropicModel("claude-sonnet-5-5", "a-key", messages.url)
    engine = require_bubblewrap(folder / "engine")
    return replace(empty_workshop(), engine=engine, model=model, allowed_hosts=INDEX_HOSTS, ca_bundle=ca_bundle())


@pytest.fixture(scope="module")
def past(folder: Path, store: RunStore, workshop: Workshop) -> PastRun:
    """A proved run of a local folder."""
    repository = make_repository(folder / "calc", calc.FILES)
    ids: list[str] = []
    asked = LocalRun(repository, LocalIssue("It is wrong", "The total."), "HEAD", folder / "output", None)
    assert run_locally(asked, store, workshop, 60, ids.append).reason is Reason.PROVED
    return find_past(store, ids[0], repository, folder / "mirrors")


def test_a_journal_replays_to_the_same_change(past: PastRun) -> None:
    replayed = check_replay(past)
    assert replayed.departures == ()
    assert (replayed.turns, sorted(replayed.change.files)) == (3, ["calc.py", "test_first_price.py"])


def test_it_says_where_the_journal_departs(past: PastRun) -> None:
    """The call is another one than the one whose checkpoint follows."""

    def spoilt(block: dict[str, Any]) -> dict[str, Any]:
        return (
            {**block, "input": {**block["input"], "new": "sum(prices) + 1"}} if block["type"] == "tool_use" else block
        )

    replies = [step for step in past.steps if step.kind == "reply"]
    second = replace(replies[1], data={**replies[1].data, "blocks": [spoilt(b) for b in replies[1].data["blocks"]]})
    steps = [second if step is replies[1] else step for step in past.steps]
    result = next(step for step in steps if step.kind == "tool_result" and step.number > second.number)
    (departure,) = check_replay(replace(past, steps=steps)).departures
    assert departure == f"step {result.number}: after edit_file there is another content of calc.py"


def test_from_a_step_on_it_is_live_and_the_conversation_is_the_same_to_the_byte(
    past: PastRun, store: RunStore, workshop: Workshop, messages: MessagesServer, folder: Path
) -> None:
    """Nothing that the journal holds before the step is asked again."""
    second = [step for step in past.steps if step.kind == "reply"][1]
    before = list(messages.requests)
    output = folder / "replayed"
    outcome = replay_from(past, second.number, store, workshop, output, 60, lambda _: None)
    again = messages.requests[len(before) :]
    assert outcome.reason is Reason.PROVED
    assert again == before[1:]
    assert "sum(prices)" in (output / "change.patch").read_text()
    assert (output / "transcript.json").exists()


def test_another_model_does_not_get_the_thinking_of_the_first(past: PastRun, workshop: Workshop) -> None:
    other = replace(workshop, model=AnthropicModel("claude-opus-5", "a-key", "http://127.0.0.1:9"))
    last = past.steps[-1].number
    kinds = [
        [
            block["type"]
            for step in kept_steps(past, last + 1, shop)
            if step.kind == "reply"
            for block in step.data["blocks"]
        ]
        for shop in (workshop, other)
    ]
    assert kinds[0].count("thinking") == 1
    assert kinds[1] == [kind for kind in kinds[0] if kind != "thinking"]


def test_what_cannot_be_replayed_is_said(past: PastRun, store: RunStore, workshop: Workshop, folder: Path) -> None:
    with pytest.raises(RepoError, match="no run nothing"):
        find_past(store, "nothing", None, folder)
    with pytest.raises(RepoError, match="name it with --repository"):
        find_past(store, past.run.id, None, folder)
    with pytest.raises(RepoError, match="names no commit"):
        find_past(store, past.run.id, make_repository(folder / "other", {"a": b"b"}), folder)
    labelled = new_run(store)
    journal(store, a_claim(store, labelled))
    with pytest.raises(RepoError, match=r"mirror of octo/calc is no longer kept; name a clone"):
        find_past(store, labelled, None, folder / "mirrors")
    run = run_of(store, labelled)
    mirror = make_repository(folder / "mirrors" / str(run.repository_id), {"a": b"b"})
    lock = lock_of(mirror)
    lock.touch()
    os.utime(lock, (0, 0))
    with pytest.raises(RepoError, match="names no commit"):
        find_past(store, labelled, None, folder / "mirrors")
    assert time.time() - lock.stat().st_mtime < 60  # in use: no worker takes it away meanwhile
    with pytest.raises(ValueError, match="has steps from 1 to"):
        kept_steps(past, 1_000, workshop)
