"""Writes the journals that are kept, as this release writes them: `python -m tests.support.journal_fixture`.

Made once for each format: what one release wrote must go on in every later one, on its own rules or with a note. One is
of a run on GitHub, as the worker leaves it that is killed between its last effect and the end of its row; it has been
through all that a run can meet. One is of a task with given tests, which alone has candidates.
"""

import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from agent.assignment import FIX, solving
from agent.errors import ModelUnavailableError
from agent.model import Message, Request
from agent.replay import last_change
from agent.scripted import ScriptedModel, reply, text, tool_use
from agent.trials import Trials
from repo_tools.changes import ChangeSet
from tests.support import calc
from tests.support.engine import require_bubblewrap
from tests.support.memory_workspace import GREEN, TASK, MemoryWorkspace, Recorder, make_agent
from tests.support.real_worker import (
    FILES,
    NEW_TEST,
    SUITE,
    KilledError,
    RealWorker,
    killed,
    real_worker,
    script,
)
from workers.journal import past_steps
from workers.outcomes import Outcome
from workers.store import Claim, RunStore
from workers.store.journal import FORMAT

FOLDER = Path(__file__).parents[1] / "workers" / "journals"
WITH_SET_UP = {
    **FILES,
    "old.txt": b"1\r\n2",
    ".github/agent-fix.yml": b"setup: ['true']\n" + FILES[".github/agent-fix.yml"],
}
THOUGHT = {"type": "thinking", "thinking": "The first one is left out.", "signature": "c2lnbmVk"}
LOOK = tool_use("read_file", path="calc.py")
WRITE = tool_use("write_file", path="checks.py", content=SUITE + NEW_TEST)
Steps = Sequence[tuple[str, Mapping[str, Any]]]


class EarlierModel(ScriptedModel):
    """One that is no longer to be had when the run goes on."""

    name = "an earlier model"


class KilledAtTheEnd(RunStore):
    """The worker is killed when all is done but the row."""

    def finish(self, claim: Claim, outcome: Outcome, spend: Mapping[str, Any]) -> None:
        raise KilledError


def fix() -> dict[str, Any]:
    """Another model, nudged, kept waiting, killed, not proved, proved, published."""
    proving = script(
        reply(tool_use("finish", summary="Nothing is red yet.")),
        reply(calc.mend(), tool_use("edit_file", path="calc.py", old="not there", new="")),
        reply(text("Done."), calc.finish()),
    )
    attempts = [
        EarlierModel([reply(text("Criterion and plan."), LOOK), killed]),
        script(
            reply(THOUGHT, LOOK, tool_use("run_tests")),
            reply(text("I wonder: NUL \0, its sign ␀, 🧪.")),
            reply(WRITE, tool_use("delete_file", path="old.txt")),
            ModelUnavailableError("overloaded"),
        ),
        script(killed),
        proving,
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with real_worker(require_bubblewrap(folder), folder, KilledAtTheEnd, files=WITH_SET_UP) as worker:
            run_id = worker.queue()
            for model in attempts:
                _attempt(worker, run_id, model)
            return _kept(FIX.rules, past_steps(worker.store, run_id), proving.requests[-1])


def _attempt(worker: RealWorker, run_id: str, model: ScriptedModel) -> None:
    with suppress(KilledError):
        worker.ring(run_id, model)
    worker.expire(run_id)


def solve() -> dict[str, Any]:
    """A task whose given tests pass in the end."""
    tests = iter([GREEN, GREEN])
    record, workspace = Recorder(), MemoryWorkspace()
    model = [
        reply(text("Plan."), tool_use("write_file", path="a.py", content="x = 1\n"), tool_use("run_tests")),
        reply(tool_use("finish", summary="Done.")),
    ]
    assignment = solving(tested=True, data=False)
    judge = Trials(frozenset({"tests/test_a.py"}), lambda _: next(tests))
    agent = make_agent(model, workspace, record=record, judge=judge, assignment=assignment)
    agent.run(TASK)
    if not isinstance(agent.model, ScriptedModel):
        raise TypeError("the agent was made with another model")
    return _kept(assignment.rules, [("stage", {"name": "agent"}), *record.steps], agent.model.requests[-1])


def _kept(rules: str, steps: Steps, last: Request) -> dict[str, Any]:
    """What this release wrote, and what the last request held and the work was when it was sent."""
    asked = max(number for number, (kind, _) in enumerate(steps) if kind == "reply")
    messages: Sequence[Message] = last.messages
    change = last_change(steps[:asked]) or ChangeSet("")
    told = [{"kind": kind, "data": data} for kind, data in steps]
    return {"format": FORMAT, "rules": rules, "steps": told, "messages": list(messages), "change": change.to_json()}


if __name__ == "__main__":
    for made, data in (("fix", fix()), ("solve", solve())):
        (FOLDER / f"format-{FORMAT}-{made}.json").write_text(json.dumps(data, indent=1) + "\n")
