"""A conversation that comes out of the store is the one that went in, to the byte, whatever the model wrote."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest

from agent.errors import ModelError
from agent.replay import last_change
from agent.scripted import Scripted, ScriptedModel, reply, text, tool_use
from tests.support.issues import a_claim
from tests.support.memory_workspace import TASK, MemoryWorkspace, make_agent
from workers.journal import past_steps
from workers.store import RunStore

STRANGE = "NUL \0, its sign ␀, its escape \\u0000, a replaced one \ufffd, 🧪, \u2028, \x7f, \r\n"
PATH = "odd\udcff.py"  # a name outside UTF-8, as code of the sandbox can make one
SCRIPT = (
    reply(
        {"type": "thinking", "thinking": STRANGE, "signature": "c2lnbmVk"},
        text(STRANGE),
        tool_use("write_file", path="a.py", content=STRANGE),
        tool_use("read_file", path="a.py"),
    ),
    reply(text(STRANGE)),
)


def sent(model: ScriptedModel) -> bytes:
    """The messages of the last request as they go over the wire."""
    return json.dumps(list(model.requests[-1].messages), ensure_ascii=False).encode()


def cut_short(script: tuple[Scripted, ...]) -> tuple[Scripted, ...]:
    return (*script, ModelError("cut short here"))


def test_a_resumed_conversation_is_the_same_to_the_byte(store: RunStore) -> None:
    claim, files = a_claim(store), {PATH: b"x"}
    workspace = MemoryWorkspace(files)
    workspace.delete(PATH)

    def record(kind: str, data: Mapping[str, Any]) -> None:
        store.append_step(claim, kind, data)

    first = make_agent(cut_short(SCRIPT), workspace, record=record)
    with suppress(ModelError):
        first.run(TASK)
    steps = past_steps(store, claim.run.id)
    assert last_change(steps) == workspace.change

    again = make_agent(cut_short(()), MemoryWorkspace(files))
    with pytest.raises(ModelError):
        again.run(TASK, steps)
    assert sent(again.model) == sent(first.model)
