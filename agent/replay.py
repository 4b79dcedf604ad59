"""The recorded steps of an attempt that was cut short, read back so that it goes on where it was."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent import prompts
from agent.model import Reply, Usage
from agent.tools.toolbox import SPECS, Result
from repo_tools.changes import ChangeSet

Steps = Sequence[tuple[str, Mapping[str, Any]]]
"""What `Record` was given, in order: (kind, data)."""


RULES = hashlib.sha256(f"{prompts.SYSTEM}{SPECS}".encode()).hexdigest()[:12]
"""Names the system prompt and the tools. A conversation goes on only under those it began with: its thinking is signed
for them, and what the model was told must not change behind its back."""


@dataclass
class PastTurn:
    """A reply that is paid for. `results` by call id, as the model was shown them; those that are missing are still to
    be made. `nudged`: the nudge was recorded."""

    reply: Reply
    seconds: float
    results: dict[str, Result] = field(default_factory=dict)
    nudged: bool = False

    @property
    def complete(self) -> bool:
        calls = self.reply.tool_calls
        return self.nudged if not calls else all(call.id in self.results for call in calls)


def past_turns(steps: Steps) -> tuple[PastTurn, ...]:
    turns: list[PastTurn] = []
    for kind, data in steps:
        match kind:
            case "reply":
                turns.append(PastTurn(_reply(data), data["seconds"]))
            case "tool_result":
                turns[-1].results[data["id"]] = Result(data["content"], data["is_error"])
            case "nudge":
                turns[-1].nudged = True
    return tuple(turns)


def resumable(steps: Steps) -> Steps:
    """`steps` from the first reply on, or nothing where they began under other rules: the attempt starts anew then."""
    kinds = [kind for kind, _ in steps]
    first = kinds.index("reply") if "reply" in kinds else len(kinds)
    past = steps[first:]
    return past if past and past[0][1]["request"]["rules"] == RULES else ()


def first_message(steps: Steps) -> str | None:
    """What the attempt was opened with, word for word: a map or a baseline made again may differ."""
    message: str | None = steps[0][1]["request"]["first_message"] if steps else None
    return message


def last_change(steps: Steps) -> ChangeSet | None:
    """The last checkpoint: what the workspace of the resumed attempt starts from."""
    checkpoints = (data["change"] for _, data in reversed(steps) if data.get("change"))
    last = next(checkpoints, None)
    return ChangeSet.from_json(last) if last else None


def _reply(data: Mapping[str, Any]) -> Reply:
    return Reply(tuple(data["blocks"]), data["stop_reason"], Usage(**data["usage"]), data["model"])
