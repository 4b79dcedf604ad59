"""Searching the files of a box: the pattern is compiled and matched in there, so that it can hurt nobody here."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import WORKSPACE, Sandbox

SEARCH_SECONDS = 20.0
MAX_LINE_CHARACTERS = 300

_MAX_OUTPUT_BYTES = 4_000_000
_PROGRAM = files(__package__).joinpath("box_search_program.py").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Match:
    """One line that matches. Of a longer one `line` has the `MAX_LINE_CHARACTERS` characters around the first match,
    with an ellipsis on each side that is cut."""

    path: str
    line_number: int  # from 1
    line: str


def search_box(
    box: Sandbox,
    pattern: str,
    paths: Sequence[str],
    *,
    max_matches: int,
    timeout_seconds: float = SEARCH_SECONDS,
) -> tuple[Match, ...]:
    """The first `max_matches` lines of `paths` (in their order) that a Python regular expression matches.

    Binary files and what stands beyond the first 10 MB of a file are left out. ValueError, with the reason, where the
    pattern is not valid or takes too long.
    """
    question = {
        "root": WORKSPACE, "pattern": pattern, "paths": list(paths),
        "max_matches": max_matches, "max_characters": MAX_LINE_CHARACTERS,
    }  # fmt: skip
    result = box.exec(
        ["python3", "-I", "-S", "-c", _PROGRAM],
        timeout_seconds=timeout_seconds,
        cwd="/",
        stdin=json.dumps(question).encode("ascii"),
        max_output_bytes=_MAX_OUTPUT_BYTES,
    )
    if result.timed_out:
        raise ValueError(f"the pattern took longer than {timeout_seconds:g} seconds; use a simpler one")
    try:
        problem, matches = _read(result.output)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise SandboxError(f"The search in the box ended with exit code {result.exit_code} and no answer.") from error
    if problem:
        raise ValueError(problem)
    return matches


def _read(output: bytes) -> tuple[str, tuple[Match, ...]]:
    """What is wrong with the pattern, and the matches; another program may have answered, which set-up installed."""
    answer = json.loads(output)
    if "problem" in answer:
        return str(answer["problem"]), ()
    return "", tuple(Match(str(path), int(number), str(line)) for path, number, line in answer["matches"])
