"""Writes the journal of a run that was cut short, as this release writes it: `python -m tests.support.journal_fixture`.

Made once for each format and kept: what a release wrote must go on in every later one, on its own rules or with a note.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from agent.assignment import FIX
from agent.errors import ModelError
from agent.scripted import ScriptedModel, reply, text, tool_use
from tests.support.memory_workspace import NOT_PROVED, TASK, MemoryWorkspace, Recorder, make_agent
from workers.store.journal import FORMAT

FOLDER = Path(__file__).parents[1] / "workers" / "journals"
FILES = {"calc.py": b"def add(a, b):\n    return a - b\n", "old.txt": b"1\r\n2"}
THOUGHT = {"type": "thinking", "thinking": "It subtracts.", "signature": "c2lnbmVk"}
SCRIPT = (
    reply(THOUGHT, text("Criterion and plan."), tool_use("read_file", path="calc.py"), tool_use("run_tests")),
    reply(text("I wonder.")),
    reply(
        tool_use("edit_file", path="calc.py", old="a - b", new="a + b"),
        tool_use("edit_file", path="calc.py", old="not there", new=""),
        tool_use("delete_file", path="old.txt"),
    ),
    reply(text("Done?"), tool_use("finish", summary="The sign was wrong.")),
    reply(tool_use("write_file", path="test_calc.py", content="from calc import add\n")),
)


def make() -> dict[str, Any]:
    """The steps, and what the next request to the model holds."""
    record, workspace = Recorder(), MemoryWorkspace(FILES)
    agent = make_agent((*SCRIPT, ModelError("cut short here")), workspace, record=record, verify=NOT_PROVED)
    with suppress(ModelError):
        agent.run(TASK)
    asked = agent.model
    if not isinstance(asked, ScriptedModel):
        raise TypeError("the agent was made with another model")
    before = [("stage", {"name": "admit"}), ("environment", {"line": "pip"}), ("stage", {"name": "agent"})]
    return {
        "format": FORMAT,
        "rules": FIX.rules,
        "steps": [{"kind": kind, "data": data} for kind, data in [*before, *record.steps]],
        "messages": list(asked.requests[-1].messages),
        "change": workspace.change.to_json(),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"format-{FORMAT}.json").write_text(json.dumps(make(), indent=1) + "\n")
