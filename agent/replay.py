"""The recorded steps of an attempt that was cut short, read back so that it goes on where it was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.model import Reply, ToolCall, Usage
from agent.redaction import redact, redact_json
from agent.tools.toolbox import Result
from agent.transcript import ToolUse, Transcript, Turn
from repo_tools.changes import ChangeSet

WAITING = "waiting"
"""The kind of the step of an attempt that ended by itself, to wait for GitHub or the model's provider."""
UNANSWERED = "(The run ended before there was an answer.)"
Steps = Sequence[tuple[str, Mapping[str, Any]]]
"""What `Record` was given, in order: (kind, data)."""


@dataclass
class PastTurn:
    """A reply that is paid for. `spent`: turns of the budget, this one among them. `results` by call id, as the model
    was shown them; those that are missing are still to be made. `reminders` and `nudge`: the harness's own words after
    them, as they were said; None where nothing was said yet. A later release may have others."""

    reply: Reply
    seconds: float
    spent: int
    results: dict[str, Result] = field(default_factory=dict)
    reminders: tuple[str, ...] | None = None
    nudge: str | None = None

    @property
    def complete(self) -> bool:
        calls = self.reply.tool_calls
        return self.nudge is not None if not calls else all(call.id in self.results for call in calls)


def past_turns(steps: Steps) -> tuple[PastTurn, ...]:
    turns: list[PastTurn] = []
    for kind, data in steps:
        match kind:
            case "reply":
                turns.append(PastTurn(_reply(data), data["seconds"], data["spend"]["turns"]["used"]))
            case "tool_result":
                turns[-1].results[data["id"]] = Result(data["content"], data["is_error"])
                if "reminders" in data:  # with the last result of a reply
                    turns[-1].reminders = tuple(data["reminders"])
            case "nudge":
                turns[-1].nudge = data["text"]
    return tuple(turns)


def resumable(steps: Steps, rules: str) -> Steps:
    """`steps` from the first reply on, or nothing where they began under other `rules` (`Assignment.rules`): the
    attempt starts anew then."""
    kinds = [kind for kind, _ in steps]
    first = kinds.index("reply") if "reply" in kinds else len(kinds)
    past = steps[first:]
    return past if past and past[0][1]["request"]["rules"] == rules else ()


def call_was_in_flight(steps: Steps) -> bool:
    """Whether the attempt before this one may have died while the model was asked, so that the call was paid for.
    This one has entered its own stage ``agent`` already."""
    begun = 0
    for kind, data in reversed(steps):
        if kind == WAITING:
            return begun > 1
        if kind in ("reply", "tool_result", "nudge"):
            return True
        begun += kind == "stage" and data["name"] == "agent"
    return True


def first_message(steps: Steps) -> str | None:
    """What the attempt was opened with, word for word: a map or a baseline made again may differ."""
    message: str | None = steps[0][1]["request"]["first_message"] if steps else None
    return message


def max_output_tokens(steps: Steps) -> int | None:
    """What every request of the conversation asked for; None where it is to begin."""
    limit: int | None = steps[0][1]["request"]["max_output_tokens"] if steps else None
    return limit


def transcript_of(steps: Steps) -> Transcript:
    """What was said so far, without secrets. A call that has no result stands there as one that was not answered."""
    transcript = Transcript()
    for number, turn in enumerate(past_turns(steps), 1):
        reply, uses = turn.reply, tuple(_use(call, turn.results.get(call.id)) for call in turn.reply.tool_calls)
        transcript.append(Turn(number, redact(reply.text), uses, reply.usage, turn.seconds, redact(reply.thinking)))
    return transcript


def _use(call: ToolCall, result: Result | None) -> ToolUse:
    answer = UNANSWERED if result is None else redact(result.content)
    return ToolUse(call.name, redact_json(call.arguments), answer, result is None or result.is_error)


def last_change(steps: Steps) -> ChangeSet | None:
    """The last checkpoint: what the workspace of the resumed attempt starts from."""
    checkpoints = (data["change"] for _, data in reversed(steps) if data.get("change"))
    last = next(checkpoints, None)
    return ChangeSet.from_json(last) if last else None


def _reply(data: Mapping[str, Any]) -> Reply:
    return Reply(tuple(data["blocks"]), data["stop_reason"], Usage(**data["usage"]), data["model"])
