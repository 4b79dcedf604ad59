"""`report.md` of `agent-fix solve`: the result, what it rests on, and the code that led to it."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from urllib.parse import quote as quoted_path

from agent.errors import Answered
from agent.transcript import ToolUse, Transcript
from workers.host import Evidence
from workers.outcomes import Reason
from workers.publish.escalation import WITHOUT_ISSUE, render_attempt, render_reason
from workers.publish.markdown import code, cut, fence, folded, inert, one_line, plain, quote, sections, table
from workers.publish.parts import MAX_OUTPUT, last_call, spend_table
from workers.publish.transcript_markdown import transcript_document

FILES = "files"
"""The folder, beside the report, of what was made."""
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"})
MAX_CELL = 200
MAX_OTHERS = 20
CODE_TOOLS = {"run_python": ("code", "python"), "sql": ("query", "sql")}


def render_solve_report(evidence: Evidence, others: Sequence[str] = ()) -> str:
    """The result first, the whole transcript last. `others`: paths of files in the folder that are not of this run."""
    attempt = evidence.attempt
    transcript = attempt.transcript if attempt else Transcript()
    turns = transcript_document(transcript)
    return (
        sections(
            f"# {inert(one_line(evidence.run.title, MAX_CELL))}",
            *_result(evidence),
            _task(evidence),
            _tests(evidence),
            _files(evidence),
            _others(others),
            _code(transcript),
            spend_table(evidence) if evidence.reason in (Reason.PROVED, Reason.ANSWERED) else "",
            "## Transcript" if turns else "",
            turns,
            f"Run {code(evidence.run.run_id)}.",
        )
        + "\n"
    )


def render_answer(evidence: Evidence) -> str:
    """What the model answered, or said of its solution, with the figures; empty where it came to neither."""
    attempt = evidence.attempt
    if attempt is None:
        return ""
    if isinstance(attempt.ending, Answered):
        figures = [(plain(name, MAX_CELL), code(value, MAX_CELL)) for name, value in attempt.ending.figures]
        return sections(inert(attempt.ending.text), table(("figure", "value"), figures) if figures else "")
    handed_in = last_call(attempt.transcript, "finish")
    return inert(handed_in[0]) if handed_in else ""


def _result(evidence: Evidence) -> Iterator[str]:
    if evidence.reason is Reason.PROVED:
        yield f"**Solved.** {evidence.detail}"
    elif evidence.reason is not Reason.ANSWERED:
        yield render_reason(evidence, WITHOUT_ISSUE)
        yield from render_attempt(evidence)
        return
    yield render_answer(evidence)


def _task(evidence: Evidence) -> str:
    """In full, where it is more than the report's heading."""
    task = evidence.run.body.strip()
    return (
        sections("## The task", quote(cut(task, MAX_OUTPUT))) if task != one_line(evidence.run.title, MAX_CELL) else ""
    )


def _tests(evidence: Evidence) -> str:
    report = evidence.solution.report if evidence.solution else ""
    return sections("## The given tests", fence(cut(report, MAX_OUTPUT))) if report else ""


def _files(evidence: Evidence) -> str:
    """Each with a link into the folder beside this report, those of the answer first; pictures are shown."""
    ending = evidence.attempt.ending if evidence.attempt else None
    named = ending.files if isinstance(ending, Answered) else ()
    made = sorted(evidence.solution.files, key=lambda path: (path not in named, path)) if evidence.solution else []
    lines = [f"- [{code(path)}]({_address(path)})" for path in made]
    shown = [f"![]({_address(path)})" for path in made if PurePosixPath(path).suffix.lower() in PICTURES]
    return sections("## Files", "\n".join(lines), *shown) if made else ""


def _others(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    more = f" and {len(paths) - MAX_OTHERS} more" if len(paths) > MAX_OTHERS else ""
    named = ", ".join(code(f"{FILES}/{path}", MAX_CELL) for path in paths[:MAX_OTHERS])
    return f"Not of this run, and there before it: {named}{more}."


def _address(path: str) -> str:
    return quoted_path(f"{FILES}/{path}")


def _code(transcript: Transcript) -> str:
    """Every step of code and every query, in their order, each with what it answered."""
    uses = [use for turn in transcript.turns for use in turn.tools if use.name in CODE_TOOLS]
    steps = (f"{number}.\n\n{_step(use)}" for number, use in enumerate(uses, 1))
    return sections("## The code that was run", *steps) if uses else ""


def _step(use: ToolUse) -> str:
    argument, language = CODE_TOOLS[use.name]
    arguments = use.arguments if isinstance(use.arguments, dict) else {}
    answered = folded("answered with an error" if use.is_error else "answered", fence(cut(use.result, MAX_OUTPUT)))
    return sections(fence(str(arguments.get(argument, "")), language), answered)
