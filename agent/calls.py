"""The calls of one reply: which of them are made, and how much of their results the model is shown."""

from dataclasses import replace

from agent import prompts
from agent.errors import AgentStop
from agent.model import Reply, ToolCall
from agent.tools.output import shorten
from agent.tools.tool import Desk
from agent.tools.toolbox import Result, Toolbox
from agent.transcript import ToolUse, use_of

CALLS_A_TURN = 20
RESULT_CHARACTERS = 24_000
RESULTS_A_TURN = 4


class Calls:
    """Makes them with one toolbox at one desk. `room`: characters for the results of one reply."""

    def __init__(self, toolbox: Toolbox, desk: Desk, context_tokens: int) -> None:
        self._toolbox = toolbox
        self._desk = desk
        self._most = min(RESULT_CHARACTERS, context_tokens // 4)
        self.room = self._most * RESULTS_A_TURN

    def make(self, reply: Reply, number: int, room: int) -> Result:
        """The result of one call, cut to fit into `room` characters. AgentStop, SandboxError."""
        if refused := _refusal(reply, number):
            return Result(refused, is_error=True)
        result = self._toolbox.execute(reply.tool_calls[number], self._desk)
        return replace(result, content=shorten(result.content, max(min(self._most, room), self._most // 10)))


def last_use(call: ToolCall, ending: AgentStop) -> ToolUse:
    """The ending that came of a call, as its result."""
    given = call.arguments if isinstance(call.arguments, dict) else {}
    said = str(ending) in given.values()  # the model's own words need no repeating
    return use_of(call, type(ending).__name__ if said else f"{type(ending).__name__}: {ending}")


def _refusal(reply: Reply, number: int) -> str | None:
    """Why the call with this number is not run, if it is not."""
    if number >= CALLS_A_TURN:
        return prompts.TOO_MANY_CALLS.format(limit=CALLS_A_TURN)
    cut = reply.stop_reason == "max_tokens" and reply.blocks[-1].get("id") == reply.tool_calls[number].id
    return prompts.CALL_CUT if cut else None
