"""What node-tap prints of all files, taken apart into the files' own. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from repo_tools.counted import counted


@dataclass(frozen=True)
class FileRun:
    """How one file's run ended, as the launcher writes it. `whole`: nothing of its output was dropped; `errors`: the
    end of its standard error, where it has one of its own."""

    path: str
    code: int
    whole: bool
    text: str
    errors: str = ""


_BEGINS = re.compile(r"# Subtest: (?P<path>\S.*)")
_POINT = re.compile(r"(?P<not>not )?ok \d{1,9} - (?P<path>[^#]*?[^#\s])\s*(?P<rest>#[^{]*)?(?P<opens>\{)?\s*")
_PLAN = re.compile(r"(\d{1,9})\.\.(\d{1,9})(?:\s*#.*)?")
_CODE = re.compile(r"\s+exitCode: (\d{1,3})")
_INNER = "    "


@dataclass
class _Open:
    path: str
    lines: list[str] = field(default_factory=list)
    failed: bool | None = None  # known at once where the result stands before what it is of


def split_files(text: str, exit_code: int) -> tuple[list[FileRun], str]:
    """(each file's run, why they are not all; empty where they are). One that never ended ended like the whole."""
    runs: list[FileRun] = []
    planned: int | None = None
    problem = ""
    current: _Open | None = None
    for line in text.splitlines():
        if current is not None and (line.startswith(_INNER) or not line.strip()):
            current.lines.append(line.removeprefix(_INNER))
        elif current is not None and current.failed is not None and line == "}":
            runs.append(_ended(current, failed=current.failed))
            current = None
        elif found := _BEGINS.fullmatch(line):
            current = _Open(found["path"])
        elif found := _POINT.fullmatch(line):
            ended = current or _Open(found["path"])
            current = None
            if found["opens"] and not ended.lines:
                current = replace(ended, failed=bool(found["not"]))
            else:
                runs.append(_ended(ended, failed=bool(found["not"]), rest=found["rest"] or ""))
        elif found := _PLAN.fullmatch(line):
            planned = int(found[2])
        elif line.lower().startswith("bail out!"):
            problem = f"The run was given up: {line[9:].strip()[:200]}"
        elif runs and current is None and (code := _CODE.fullmatch(line)) and runs[-1].code:
            runs[-1] = replace(runs[-1], code=int(code[1]) or 1)
    if current is not None:
        runs.append(FileRun(current.path, exit_code or 1, True, "\n".join(current.lines)))
    if not problem and planned is not None and planned != len(runs):
        problem = f"{counted(planned, 'test file')} planned, and {len(runs)} with results. (exit code {exit_code})"
    return runs, problem


def _ended(run: _Open, *, failed: bool, rest: str = "") -> FileRun:
    lines = run.lines or list(_skipped(rest))
    return FileRun(run.path, int(failed), True, "\n".join(lines))


def _skipped(rest: str) -> Iterator[str]:
    """A file that is left out as a whole has no lines of its own."""
    if re.match(r"#\s*(?:skip|todo)\b", rest, re.IGNORECASE):
        yield "1..1"
        yield f"ok 1 - (file) {rest}"
