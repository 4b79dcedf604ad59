"""Q18: a journal of every released format goes on on its own rules, or its run starts again with a note."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.assignment import FIX
from agent.errors import ModelError
from agent.replay import last_change, resumable
from repo_tools.changes import ChangeSet
from tests.support.issues import a_claim, a_run
from tests.support.journal_fixture import FILES
from tests.support.memory_workspace import NOT_PROVED, TASK, MemoryWorkspace, Recorder, make_agent
from workers.heartbeat import Heartbeat
from workers.journal import Journal, past_steps
from workers.store import Claim, RunStore
from workers.store.database import make_engine
from workers.store.journal import FORMAT, READABLE

FOLDER = Path(__file__).parent / "journals"
KEPT = {path: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
OTHER_FORMAT = max(READABLE) + 1


def steps_of(kept: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(step["kind"], step["data"]) for step in kept["steps"]]


def written(store: RunStore, kept: dict[str, Any]) -> Claim:
    """A run whose first attempt left this journal behind; the claim of the next one."""
    run_id = a_run(store)
    first = a_claim(store, run_id, lease_seconds=-1)
    for kind, data in steps_of(kept):
        store.append_step(first, kind, data)
    store.set_progress(first, model="scripted")
    return a_claim(store, run_id)


def journal_of(store: RunStore, held: Claim) -> Journal:
    return Journal(store, held, Heartbeat(store, held, 60))


def test_a_journal_of_each_format_is_kept() -> None:
    assert {kept["format"] for kept in KEPT.values()} == READABLE
    assert FORMAT in READABLE


@pytest.mark.parametrize("kept", KEPT.values(), ids=[path.stem for path in KEPT])
def test_a_kept_journal_goes_on_with_the_conversation_that_it_holds(kept: dict[str, Any]) -> None:
    past = resumable(steps_of(kept), kept["rules"])
    assert past
    workspace = MemoryWorkspace(FILES)
    workspace.change = last_change(past) or workspace.change
    agent = make_agent([ModelError("cut short here")], workspace, verify=NOT_PROVED)
    with pytest.raises(ModelError):
        agent.run(TASK, past)
    assert json.loads(json.dumps(agent.model.requests[0].messages)) == kept["messages"]
    assert workspace.change == ChangeSet.from_json(kept["change"])


def test_what_this_release_writes_it_goes_on_from(sqlite_store: RunStore) -> None:
    kept = KEPT[FOLDER / f"format-{FORMAT}.json"]
    held = written(sqlite_store, kept)
    assert {step.format for step in sqlite_store.steps(held.run.id)} == {FORMAT}
    past = journal_of(sqlite_store, held).resumable("scripted", kept["rules"])
    assert [kind for kind, _ in past] == [kind for kind, _ in steps_of(kept)][3:]


@pytest.mark.parametrize(
    ("model", "rules", "words"),
    [("another", None, "began with the model scripted"), ("scripted", "other", "Prompts or tools have changed")],
)
def test_what_cannot_go_on_starts_again_with_a_note(
    sqlite_store: RunStore, model: str, rules: str | None, words: str
) -> None:
    kept = KEPT[FOLDER / f"format-{FORMAT}.json"]
    held = written(sqlite_store, kept)
    journal = journal_of(sqlite_store, held)
    assert journal.resumable(model, rules or kept["rules"]) == ()
    kind, data = past_steps(sqlite_store, held.run.id)[-1]
    assert kind == "restarted"
    assert words in data["detail"]
    assert journal.resumable(model, rules or kept["rules"]) == ()  # what came before the note is not looked at again
    assert [kind for kind, _ in past_steps(sqlite_store, held.run.id)].count("restarted") == 1


class LaterStore(RunStore):
    """What a later release would leave behind: entries in a format that this one does not know."""

    def steps(self, run_id: str, after: int = 0, limit: int = 200) -> Any:
        return [replace(step, format=OTHER_FORMAT) for step in super().steps(run_id, after, limit)]


def test_a_format_that_is_not_known_starts_again_with_a_note(sqlite_store: RunStore, tmp_path: Path) -> None:
    held = written(sqlite_store, KEPT[FOLDER / f"format-{FORMAT}.json"])
    later = LaterStore(make_engine(f"sqlite:///{tmp_path / 'store.db'}"))
    journal = Journal(later, held, Heartbeat(later, held, 60))
    assert journal.resumable("scripted", FIX.rules) == ()
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
