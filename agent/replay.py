"""The steps of an attempt: what is recorded of it, and read back where it was cut short, so that it goes on there."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from agent.model import Reply, ToolCall, Usage
from agent.tools.toolbox import Result
from agent.transcript import ToolUse, Transcript, turn_of, use_of
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


def reply_data(reply: Reply, number: int, seconds: float, request: Mapping[str, Any]) -> dict[str, Any]:
    """`request`: what a resumed attempt must find unchanged."""
    return {
        "number": number,
        "blocks": reply.blocks,
        "stop_reason": reply.stop_reason,
        "usage": asdict(reply.usage),
        "model": reply.model,
        "seconds": round(seconds, 3),
        "request": request,
    }


def result_data(
    call: ToolCall, result: Result, change: ChangeSet, reminders: Sequence[str] | None = None
) -> dict[str, Any]:
    """`reminders` follow the last result of a reply."""
    checkpoint = {"change": change.to_json()} if result.changed_files else {}
    said = {} if reminders is None else {"reminders": list(reminders)}
    told = {"id": call.id, "name": call.name, "content": result.content, "is_error": result.is_error}
    return {**told, **said, **checkpoint}


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
        uses = (_use(call, turn.results.get(call.id)) for call in turn.reply.tool_calls)
        transcript.append(turn_of(number, turn.reply, uses, turn.seconds))
    return transcript


def _use(call: ToolCall, result: Result | None) -> ToolUse:
    if result is None:
        return use_of(call, UNANSWERED, is_error=True)
    return use_of(call, result.content, is_error=result.is_error)


def last_change(steps: Steps) -> ChangeSet | None:
    """The last checkpoint: what the workspace of the resumed attempt starts from."""
    checkpoints = (data["change"] for _, data in reversed(steps) if data.get("change"))
    last = next(checkpoints, None)
    return ChangeSet.from_json(last) if last else None


def _reply(data: Mapping[str, Any]) -> Reply:
    return Reply(tuple(data["blocks"]), data["stop_reason"], Usage(**data["usage"]), data["model"])
