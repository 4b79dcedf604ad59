"""The transcript for people: one line a turn, what was said behind it."""

import json
from dataclasses import asdict
from typing import Any

from agent.redaction import redact_json
from agent.transcript import ToolUse, Transcript, Turn
from workers.host import Evidence
from workers.publish.markdown import code, cut, fence, fit_lines, folded, html_code, quote, sections, size
from workers.publish.parts import refused_hosts

DETAIL_LEVELS = (1 << 30, 16_000, 4_000, 1_000, 300, 0)
"""Longest text shown of one call or answer, from everything to the turn's line alone."""
MAX_CALLS = 4
"""Calls of one turn that its line names."""
MIN_TURN_BYTES = 100
EVERY_HOST = 1_000
TRANSCRIPT_FILES = ("transcript.md", "transcript.json")
FRAME_BYTES = 2_000
"""Room kept in each page for what stands around the turns."""


def turn_line(turn: Turn) -> str:
    """``Turn 3 · read_file src/a.py · 1,204 tokens · 2.1 s``, as HTML."""
    calls = [f"{html_code(use.name, 40)}{_argument(use)}" for use in turn.tools[:MAX_CALLS]]
    if len(turn.tools) > MAX_CALLS:
        calls.append(f"{len(turn.tools) - MAX_CALLS} more")
    told = ", ".join(calls) or "words only"
    return f"Turn {turn.number} · {told} · {turn.usage.total_tokens:,} tokens · {turn.seconds:.1f} s"


def _argument(use: ToolUse) -> str:
    """What a call was about, and whether it failed."""
    arguments = use.arguments if isinstance(use.arguments, dict) else {}
    names = ("path", "from", "pattern", "selector", "glob")
    told = next((str(arguments[name]) for name in names if arguments.get(name)), "")
    return (f" {html_code(told, 60)}" if told else "") + (" ✗" if use.is_error else "")


def render_turn(turn: Turn, limit: int, note: str = "") -> str:
    """The turn's line with everything behind it, each text cut to `limit` characters; only the line where that is 0."""
    if limit == 0:
        return f"- {turn_line(turn)}"
    thinking = cut(turn.thinking, limit, note)
    return folded(
        turn_line(turn),
        sections(
            quote(cut(turn.text, limit, note)) if turn.text.strip() else "",
            f"Thinking:\n\n{quote(thinking)}" if thinking.strip() else "",
            *(_render_tool(use, limit, note) for use in turn.tools),
        ),
    )


def _render_tool(use: ToolUse, limit: int, note: str) -> str:
    """Name and arguments on one line where they fit there, then the answer."""
    arguments = cut(_arguments(use.arguments), limit, note)
    short = "\n" not in arguments and len(arguments) <= 120
    called = f"{code(use.name)} {code(arguments)}" if short else f"{code(use.name)}\n\n{fence(arguments)}"
    answer = cut(use.result, limit, note) or "(nothing)"
    answered = "answered with an error:" if use.is_error else "answered:"
    return f"{called} {answered}\n\n{fence(answer)}" if short else f"{called}\n\n{answered}\n\n{fence(answer)}"


def _arguments(arguments: Any) -> str:
    """One ``name: value`` a line, so that code reads as code; JSON for anything that is no object."""
    if not isinstance(arguments, dict):
        return json.dumps(arguments, ensure_ascii=False)
    lines = (f"{k}: {v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)}" for k, v in arguments.items())
    return "\n".join(lines) or "(none)"


def paginate(transcript: Transcript, room: tuple[int, ...], url: str | None = None) -> tuple[list[str], bool]:
    """The turns on pages of at most `room` bytes each, in as much detail as fits, and whether that is all of it.

    Every turn keeps its line; where not even the lines fit, the middle ones give way to a note.
    """
    note = f"; in full: {url}" if url else ""
    for limit in _promising(transcript, sum(room)):
        blocks = [render_turn(turn, limit, note) for turn in transcript.turns]
        pages = _fill(blocks, room)
        if pages is not None:
            return pages, limit == DETAIL_LEVELS[0]
    return _fill(fit_lines(blocks, sum(room) * 9 // 10 - FRAME_BYTES, "turns"), room) or [], False


def _promising(transcript: Transcript, room: int) -> list[int]:
    """The levels that could fit, by the length of the texts alone: rendering megabytes in vain is slow."""
    lengths = [len(text) for turn in transcript.turns for text in (turn.text, turn.thinking)]
    lengths += [len(text) for turn in transcript.turns for u in turn.tools for text in (u.result, str(u.arguments))]
    least = MIN_TURN_BYTES * len(transcript.turns)
    fitting = [limit for limit in DETAIL_LEVELS if least + sum(min(length, limit) for length in lengths) <= 2 * room]
    return fitting or [0]


def _fill(blocks: list[str], room: tuple[int, ...]) -> list[str] | None:
    """None where they do not fit. A page that is too small for the next block is left as it is."""
    pages: list[list[str]] = [[] for _ in room]
    index, used = 0, 0
    for block in blocks:
        length = size(block) + 2
        while index < len(room) and used + length > room[index]:
            index, used = index + 1, 0
        if index == len(room):
            return None
        pages[index].append(block)
        used += length
    filled = ["\n\n".join(page) if not page or page[0][0] == "<" else "\n".join(page) for page in pages]
    while filled and not filled[-1]:
        filled.pop()
    return filled


def transcript_document(transcript: Transcript) -> str:
    """All of it, as one Markdown document."""
    turns = (render_turn(turn, DETAIL_LEVELS[0]) for turn in transcript.turns)
    return sections(*turns)


def transcript_files(evidence: Evidence) -> dict[str, bytes]:
    """name -> content of what is kept of a transcript, complete and redacted; empty where nothing was said."""
    attempt = evidence.attempt
    if attempt is None or not attempt.transcript.turns:
        return {}
    run = evidence.run
    issue = f", issue {run.issue_number}" if run.issue_number else ""  # a run of this machine has none
    about = f"{html_code(run.repository)}{issue}, model {html_code(evidence.model)}."
    head = f"# Transcript of run {run.run_id}\n\n{about}"
    value = redact_json({"run": run.run_id, "model": evidence.model, **asdict(attempt.transcript)})
    document = sections(head, refused_hosts(evidence, EVERY_HOST), transcript_document(attempt.transcript))
    texts = (document, json.dumps(value, ensure_ascii=False, indent=1))
    contents = ((text + "\n").encode("utf-8", "backslashreplace") for text in texts)
    return dict(zip(TRANSCRIPT_FILES, contents, strict=True))
