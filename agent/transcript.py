"""What model and tools said, turn by turn. (What the system did is the journal, in the store.)"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from agent.model import Reply, ToolCall, Usage
from agent.redaction import redact, redact_json


@dataclass(frozen=True)
class ToolUse:
    """One tool call and its answer, as the model saw it."""

    name: str
    arguments: Any
    result: str
    is_error: bool = False


@dataclass(frozen=True)
class Turn:
    """One reply of the model and what came of it. `number` counts from 1."""

    number: int
    text: str
    tools: tuple[ToolUse, ...]
    usage: Usage
    seconds: float
    thinking: str = ""


def use_of(call: ToolCall, answer: str, *, is_error: bool = False) -> ToolUse:
    """Without secrets."""
    return ToolUse(call.name, redact_json(call.arguments), redact(answer), is_error)


def turn_of(number: int, reply: Reply, uses: Iterable[ToolUse], seconds: float) -> Turn:
    """Without secrets."""
    return Turn(number, redact(reply.text), tuple(uses), reply.usage, seconds, redact(reply.thinking))


@dataclass
class Transcript:
    """Append-only. `opening` is the first text that the model stated: success criterion and plan."""

    opening: str = ""
    turns: list[Turn] = field(default_factory=list)

    def append(self, turn: Turn) -> None:
        self.opening = self.opening or turn.text.strip()
        self.turns.append(turn)
