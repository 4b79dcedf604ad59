"""Both versions of a test that a change replaces, out of the patch."""

import re

from repo_tools.test_report import NO_FILE
from repo_tools.verification.read_by_tests import snapshot_of
from repo_tools.verification.test_names import is_called_so
from workers.publish.markdown import cut, fence, html_code, sections

MAX_BYTES = 3_000
MAX_FILES = 3
TARGET = re.compile(r"^(?:---|\+\+\+) (?:[ab]/)?(.*)$", re.MULTILINE)


def versions(patch: bytes, tests: tuple[str, ...]) -> str:
    """For each file of `tests`, else of their data: the changed lines as they were and as they are. Where nobody tells
    a test's file, for each that is called as tests are."""
    own = {test.partition("::")[0] for test in tests}
    files = own | set(map(snapshot_of, own))
    parts = patch.decode("utf-8", "replace").split("diff --git ")[1:]
    told = [part for part in parts if files & set(TARGET.findall(part))] or [
        part for part in parts if any(_stands_below(path, own) for path in TARGET.findall(part))
    ]
    more = f"… and {len(told) - MAX_FILES} more files." if len(told) > MAX_FILES else ""
    return sections(*(_file(part) for part in told[:MAX_FILES]), more)


def _stands_below(path: str, tests: set[str]) -> bool:
    """Whether it is data of one of these tests' files, or one of the tests, where nobody tells their files."""
    return any(path.startswith(f"{test.rpartition('/')[0]}/") for test in tests) or (
        tests == {NO_FILE} and is_called_so(path)
    )


def _file(part: str) -> str:
    path = next(p for p in TARGET.findall(part) if p != "/dev/null")
    lines = part.split("\n")
    start = next((n for n, line in enumerate(lines) if line.startswith("@@")), len(lines))
    return sections(
        f"{html_code(path)} before:",
        fence(cut(_side(lines[start:], " -"), MAX_BYTES)),
        f"{html_code(path)} with this change:",
        fence(cut(_side(lines[start:], " +"), MAX_BYTES)),
    )


def _side(lines: list[str], signs: str) -> str:
    """The hunks as one side has them; `…` where a new hunk begins."""
    kept = ["…" if line.startswith("@@") else line[1:] for line in lines if line[:1] in (*signs, "@")]
    return "\n".join(kept[1:])
