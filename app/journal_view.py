"""What readers are shown of a run: its row, its journal, and the transcript rebuilt from the journal.

Everything passes through `redact`: the journal keeps replies as they came, readers see no secret. What no page and no
terminal can show, NUL and halves of surrogate pairs, is replaced by a visible sign on the way.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from agent.redaction import redact_json
from workers.outcomes import OutcomeKind
from workers.store import Run, RunStore, Step
from workers.store.text import visible_json

PAGE_STEPS = 50  # held in memory at a time, however long the run was
EXCERPT_CHARACTERS = 500

Json = dict[str, Any]


def run_json(run: Run) -> Json:
    """One run without its journal: an entry of `GET /api/runs`."""
    return {
        "id": run.id,
        "repository": run.repository,
        "issue_number": run.issue_number,
        "title": redact_json(run.title),
        "sender": run.sender,
        "status": run.status,
        "stage": run.stage,
        "waiting": run.waiting,
        "outcome": run.outcome,
        "reason": run.reason,
        "detail": redact_json(run.detail),
        "url": run.url,
        "pull_request_url": run.pull_request_url,
        "spend": run.spend,
        "model": run.model,
        "base_commit": run.base_commit,
        "attempts": run.attempts,
        "created_at": _iso(run.created_at),
        "started_at": _iso(run.started_at),
        "ended_at": _iso(run.ended_at),
    }


def ending(outcome: str | None, reason: str | None, url: str | None) -> str | None:
    """The outcome as people are told it: where the result went to a folder there is no pull request, and it is told by
    its reason."""
    in_folder = url is not None and not url.startswith("http")
    return reason if in_folder and outcome == OutcomeKind.DRAFT_PULL_REQUEST else outcome


def run_with_text(run: Run) -> Json:
    """The same, with the issue's text."""
    return {**run_json(run), "body": redact_json(run.body)}


def read_journal(store: RunStore, run_id: str, after: int = 0) -> Iterator[Step]:
    """Every step after a number, a page at a time."""
    while page := store.steps(run_id, after=after, limit=PAGE_STEPS):
        yield from (replace(step, data=visible_json(step.data)) for step in page)
        after = page[-1].number


def step_json(step: Step) -> Json:
    """One step of the journal. What stands whole in the transcript is an excerpt here."""
    shown = redact_json(_without(step.data, "change"))  # before anything is cut: half a secret is not recognised
    if step.kind == "reply":
        shown = {
            **_without(shown, "blocks"),
            "text": _joined(shown, "text")[:EXCERPT_CHARACTERS],
            "calls": _calls(shown),
        }
    elif step.kind == "tool_result":
        changed = sorted(step.data["change"]["files"]) if "change" in step.data else []
        excerpt = shown["content"][:EXCERPT_CHARACTERS]
        shown = {**_without(shown, "content"), "result": excerpt, "changed_paths": changed}
    return {"number": step.number, "kind": step.kind, "at": _iso(step.at), "data": shown}


def turns(steps: Iterable[Step]) -> Iterator[Json]:
    """The transcript: each reply of the model with the results of its tool calls, or the nudge it got."""
    turn: Json | None = None
    for step in steps:
        if step.kind == "reply":
            if turn is not None:
                yield redact_json(turn)
            turn = _turn(step)
        elif turn is not None and step.kind in ("tool_result", "verification", "nudge"):
            _add_answer(turn, step)
    if turn is not None:
        yield redact_json(turn)


def whole_run(store: RunStore, run_id: str) -> Json | None:
    """What `GET /api/runs/{id}` answers, as one value."""
    run = store.get(run_id)
    if run is None:
        return None
    return {
        **run_with_text(run),
        "steps": [step_json(step) for step in read_journal(store, run.id)],
        "transcript": {"turns": list(turns(read_journal(store, run.id)))},
    }


def _turn(step: Step) -> Json:
    data = step.data
    return {
        "number": data["number"],
        "at": _iso(step.at),
        "text": _joined(data, "text"),
        "thinking": _joined(data, "thinking"),
        "tools": [
            {"id": block["id"], "name": block["name"], "arguments": block["input"], "result": None, "is_error": False}
            for block in data["blocks"]
            if block["type"] == "tool_use"
        ],
        "nudge": None,
        "verdict": None,
        "usage": data["usage"],
        "seconds": data["seconds"],
    }


def _add_answer(turn: Json, step: Step) -> None:
    if step.kind == "nudge":
        turn["nudge"] = step.data["text"]
    elif step.kind == "verification":
        turn["verdict"] = {"verdict": step.data["verdict"], "reasons": step.data["reasons"]}
    for tool in turn["tools"]:
        if step.kind == "tool_result" and tool["id"] == step.data["id"]:
            tool.update(result=step.data["content"], is_error=step.data["is_error"])


def _calls(data: Json) -> list[str]:
    return [block["name"] for block in data["blocks"] if block["type"] == "tool_use"]


def _joined(data: Any, kind: str) -> str:
    return "\n".join(block[kind] for block in data["blocks"] if block["type"] == kind)


def _without(data: Any, *names: str) -> Json:
    return {name: value for name, value in data.items() if name not in names}


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="milliseconds") if moment else None
