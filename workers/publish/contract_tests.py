"""Both versions of a test that a change replaces, out of the patch."""

import re

from repo_tools.counted import counted
from repo_tools.verification.compiled_tests import sources_of
from repo_tools.verification.read_by_tests import snapshot_of
from repo_tools.verification.rust_modules import begins_their_names, crates_of
from repo_tools.verification.test_blocks import place_of
from repo_tools.verification.test_names import is_called_so
from workers.publish.markdown import cut, fence, html_code, sections

MAX_BYTES = 3_000
MAX_FILES = 3
NOT_SHOWN = "What they demand stands in no text that could be shown here:"
PART = re.compile(r"^diff --git ", re.MULTILINE)
NOTHING = "/dev/null"
TARGET = re.compile(r"^(?:---|\+\+\+) (?:[ab]/)?(.*)$", re.MULTILINE)


def versions(patch: bytes, tests: tuple[str, ...]) -> str:
    """For each file of `tests`, else of its data: the changed lines as they were and as they are. Where nobody tells a
    test's file, for each that is called as tests are."""
    parts = {part: set(TARGET.findall(part)) for part in PART.split(patch.decode("utf-8", "replace"))[1:]}
    changed = set[str]().union(*parts.values()) - {NOTHING}
    files = set[str]()
    for test in tests:
        path, _, name = test.partition("::")
        files |= _own(changed, path, name) | {snapshot_of(path)} & changed or _data(changed, path)
    told = [part for part, paths in parts.items() if paths & files]
    more = f"… and {counted(len(told) - MAX_FILES, 'more file')}." if len(told) > MAX_FILES else ""
    unseen = "" if told else f"{NOT_SHOWN} {', '.join(map(html_code, tests[:MAX_FILES]))}."
    return sections(*(_file(part) for part in told[:MAX_FILES]), more, unseen)


def _own(changed: set[str], test: str, name: str) -> set[str]:
    """What is called as the test's file is, or is of its package in Go, compiled to it, or in Rust, of the files of its
    crate, the one that its name begins with."""
    package = {path for path in changed if place_of(path) == test and (path == test or is_called_so(path))}
    begins = {path: begins_their_names(path, test) for path in changed if crates_of(path, (test,))}
    module = max((path for path, start in begins.items() if name.startswith(start)), key=begins.__getitem__, default="")
    return (package - begins.keys()) | {module} & changed | sources_of((test,), changed)


def _data(changed: set[str], test: str) -> set[str]:
    """What may be data of this test's file, or one of the tests, where nobody tells their files."""
    folder = test.rpartition("/")[0]
    below = {path for path in changed if not folder or path.startswith(f"{folder}/")}
    return set(filter(is_called_so, below)) or below


def _file(part: str) -> str:
    path = next(p for p in TARGET.findall(part) if p != NOTHING)
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
