"""The tool that runs Python, step by step, in an interpreter that keeps its state."""

from collections.abc import Mapping

from pydantic import Field

from agent.errors import ToolFailed
from agent.tools.tool import Arguments, Desk, Tool
from repo_tools.interpreter.contract import LOST
from repo_tools.interpreter.notebook import Noted

DEFAULT_SECONDS = 120
MAX_SECONDS = 900
FILES_NAMED = 20


class RunPython(Arguments):
    code: str = Field(min_length=1, description="Python source; the value of a last expression is shown")
    timeout_seconds: int = Field(DEFAULT_SECONDS, ge=1, le=MAX_SECONDS, description="then it is interrupted")


def run_python(arguments: RunPython, desk: Desk) -> str:
    if desk.notebook is None:
        raise ToolFailed("There is no interpreter in this run.")
    seconds = desk.budget.at_most(arguments.timeout_seconds)
    return describe(desk.notebook.run(arguments.code, timeout_seconds=seconds), seconds)


def describe(noted: Noted, timeout_seconds: float) -> str:
    """A step in words for the model: what it printed, and around it what happened to the interpreter and to files."""
    step = noted.step
    before = [f"[{LOST}]"] if step.restarted else []
    before += _each("not in the interpreter's copy", step.missing)
    after = []
    if step.timed_out:
        kept = "" if step.ended else "; variables are kept"
        after.append(f"[interrupted after {timeout_seconds:.0f} s{kept}]")
    if step.ended:
        after.append(f"[the interpreter ended ({step.ended}); the next step begins with a new one]")
    if noted.kept:
        after.append(f"[files kept: {_listed(noted.kept)}]")
    if noted.removed:
        after.append(f"[files removed: {_listed(noted.removed)}]")
    after += _each("not kept", noted.left)
    output = step.output.rstrip("\n")
    return "\n".join([*before, *([output] if output else []), *after]) or "(no output)"


def _each(what: str, reasons: Mapping[str, str]) -> list[str]:
    """A line for each path with its reason, as far as they are named."""
    lines = [f"[{what}: {path}: {why}]" for path, why in list(reasons.items())[:FILES_NAMED]]
    return lines + [f"[{what}: {len(reasons) - FILES_NAMED} more]"] * (len(reasons) > FILES_NAMED)


def _listed(paths: tuple[str, ...]) -> str:
    more = f" and {len(paths) - FILES_NAMED} more" if len(paths) > FILES_NAMED else ""
    return ", ".join(paths[:FILES_NAMED]) + more


_DESCRIPTION = (
    "Run Python in an interpreter that keeps its state: variables, imports and loaded data last from step to step. "
    "Answers with what was printed, the value of a last expression, and tracebacks; long output is cut in the middle. "
    "A step that takes too long is interrupted and variables are kept; after a crash the next result says "
    f"`{LOST}`. The current folder is the top of the work tree, as the file tools left it. No network. "
)
RUN_PYTHON = Tool(
    "run_python",
    _DESCRIPTION
    + "The packages that the first message names are there, with what they require; nothing can be installed. Save "
    "figures with savefig. Files that code makes below the current folder become files of the work tree, within "
    "bounds; those that it removes leave it.",
    RunPython,
    run_python,
    changes_files=True,
)
RUN_PYTHON_ASIDE = Tool(
    "run_python",
    _DESCRIPTION
    + "It works on a throw-away copy: what code does to files there changes nothing of your work, proves nothing, and "
    "is lost at the end.",
    RunPython,
    run_python,
)
