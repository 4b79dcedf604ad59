"""Q18: a journal of every released format goes on on its own rules, or its run starts again with a note."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.assignment import FIX
from agent.errors import ModelError, Submitted
from agent.replay import last_change
from repo_tools.changes import ChangeSet
from tests.support.cases import journal_of
from tests.support.issues import a_claim, a_run
from tests.support.journal_fixture import WITH_SET_UP
from tests.support.journal_kinds import writes
from tests.support.memory_workspace import PROVED, TASK, MemoryWorkspace, Recorder, make_agent
from workers.journal import past_steps
from workers.store import Claim, RunStore
from workers.store.database import make_engine
from workers.store.journal import FORMAT, READABLE

FOLDER = Path(__file__).parent / "journals"
KEPT = {path: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
CURRENT = {path.stem: kept for path, kept in KEPT.items() if kept["format"] == FORMAT}
FIXED = CURRENT[f"format-{FORMAT}-fix"]
OTHER_FORMAT = FORMAT + 1
PASSING_ON = {
    "agent/loop.py: _record_step",
    "workers/case.py: record",
    "workers/replay.py: append_step",
    "workers/store/run_store.py: append_step",
    "workers/store/run_store.py: append_after_end",
    "workers/suite_steps.py: record",
    "workers/journal.py: append_step",
}
"""Who writes entries of a kind that somebody else chose."""


def steps_of(kept: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(step["kind"], step["data"]) for step in kept["steps"]]


def written(store: RunStore, kept: dict[str, Any], database: Path | None = None) -> Claim:
    """A run whose first attempt left this journal behind; the claim of the next one. `database`: where the entries are
    given the number of their own format."""
    run_id = a_run(store)
    first = a_claim(store, run_id, lease_seconds=-1)
    for kind, data in steps_of(kept):
        store.append_step(first, kind, data)
    if database is not None:
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute("update steps set data = json_set(data, '$.format', ?)", (kept["format"],))
    store.set_progress(first, model="scripted")
    return a_claim(store, run_id)


def before_the_last_reply(kept: dict[str, Any]) -> dict[str, Any]:
    last = max(number for number, (kind, _) in enumerate(steps_of(kept)) if kind == "reply")
    return {**kept, "steps": kept["steps"][:last]}


def test_a_journal_of_each_format_is_kept() -> None:
    assert {kept["format"] for kept in KEPT.values()} == set(range(1, FORMAT + 1))
    assert {FORMAT} == READABLE  # one more would need a test that its kept journal goes on


def test_every_kind_of_entry_that_the_product_writes_is_in_what_is_kept() -> None:
    found = list(writes())
    assert {write.place for write in found if write.kind is None} == PASSING_ON
    assert {kind for kept in CURRENT.values() for kind, _ in steps_of(kept)} == {w.kind for w in found} - {None}


@pytest.mark.parametrize("kept", CURRENT.values(), ids=CURRENT)
def test_a_kept_journal_goes_on_with_the_conversation_that_it_holds(
    sqlite_store: RunStore, kept: dict[str, Any]
) -> None:
    """Asked for its last reply again, the model is asked the very same."""
    held = written(sqlite_store, before_the_last_reply(kept))
    past = journal_of(sqlite_store, held).resumable("scripted", kept["rules"])
    assert past
    workspace = MemoryWorkspace(WITH_SET_UP)
    workspace.change = last_change(past) or workspace.change
    agent = make_agent([ModelError("cut short here")], workspace)
    with pytest.raises(ModelError):
        agent.run(TASK, past)
    assert json.loads(json.dumps(agent.model.requests[0].messages)) == kept["messages"]
    assert workspace.change == ChangeSet.from_json(kept["change"])


def test_what_was_told_on_github_and_not_in_the_row_ends_without_another_question(sqlite_store: RunStore) -> None:
    held = written(sqlite_store, FIXED)
    journal = journal_of(sqlite_store, held)
    past = journal.resumable("scripted", FIXED["rules"])
    agent = make_agent([], MemoryWorkspace(WITH_SET_UP), verify=PROVED)
    assert isinstance(agent.run(TASK, past).ending, Submitted)
    assert journal.intents.intended("draft")
    assert {step.format for step in sqlite_store.steps(held.run.id)} == {FORMAT}


def test_the_first_format_does_not_say_what_was_said_beside_the_results_of_calls() -> None:
    """Which is why it is not gone on from."""
    last = [[data for kind, data in steps_of(kept) if kind == "tool_result"][-1] for kept in KEPT.values()]
    assert ["reminders" in data for data in last] == [kept["format"] > 1 for kept in KEPT.values()]


OLDER = [(path, kept) for path, kept in KEPT.items() if kept["format"] not in READABLE]


@pytest.mark.parametrize("kept", [kept for _, kept in OLDER], ids=[path.stem for path, _ in OLDER])
def test_a_run_of_an_older_format_starts_again_with_a_note(
    sqlite_store: RunStore, tmp_path: Path, kept: dict[str, Any]
) -> None:
    held = written(sqlite_store, kept, tmp_path / "store.db")
    assert {step.format for step in sqlite_store.steps(held.run.id)} == {kept["format"]}
    assert journal_of(sqlite_store, held).resumable("scripted", kept["rules"]) == ()
    kind, data = past_steps(sqlite_store, held.run.id)[-1]
    assert kind == "restarted"
    assert f"in format {kept['format']}" in data["detail"]


@pytest.mark.parametrize(
    ("model", "rules", "words"),
    [("another", None, "began with the model scripted"), ("scripted", "other", "Prompts or tools have changed")],
)
def test_what_cannot_go_on_starts_again_with_a_note(
    sqlite_store: RunStore, model: str, rules: str | None, words: str
) -> None:
    held = written(sqlite_store, FIXED)
    journal = journal_of(sqlite_store, held)
    earlier_notes = noted(sqlite_store, held)
    assert journal.resumable(model, rules or FIXED["rules"]) == ()
    kind, data = past_steps(sqlite_store, held.run.id)[-1]
    assert kind == "restarted"
    assert words in data["detail"]
    assert journal.resumable(model, rules or FIXED["rules"]) == ()  # what came before the note is not looked at again
    assert noted(sqlite_store, held) == earlier_notes + 1


def noted(store: RunStore, held: Claim) -> int:
    return [kind for kind, _ in past_steps(store, held.run.id)].count("restarted")


class LaterStore(RunStore):
    """What a later release would leave behind: entries in a format that this one does not know."""

    def steps(self, run_id: str, after: int = 0, limit: int = 200) -> Any:
        return [replace(step, format=OTHER_FORMAT) for step in super().steps(run_id, after, limit)]


def test_a_format_that_is_not_known_starts_again_with_a_note(sqlite_store: RunStore, tmp_path: Path) -> None:
    held = written(sqlite_store, FIXED)
    later = LaterStore(make_engine(f"sqlite:///{tmp_path / 'store.db'}"))
    assert journal_of(later, held).resumable("scripted", FIX.rules) == ()
    later.close()
    assert f"in format {OTHER_FORMAT}" in past_steps(sqlite_store, held.run.id)[-1][1]["detail"]


def test_a_first_question_that_may_have_been_asked_is_charged_and_the_charge_is_kept() -> None:
    record = Recorder()
    asked, first = make_agent([ModelError("cut")], record=record), make_agent([ModelError("cut")])
    for agent, began in ((asked, True), (first, False)):
        with pytest.raises(ModelError):
            agent.run(TASK, began_before=began)
    assert asked.budget.tokens == record.data("resumed")[0]["spend"]["tokens"]["used"] > 32_000
    assert first.budget.tokens == 0
