"""Tests that newly read the text of what the change mends, or ask whether what it adds is there. Pure.

Such a test is red on the base commit and green with the change whatever the code does.
"""

import re
from collections.abc import Iterator

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.verification.sides import Sides
from repo_tools.verification.test_names import SOURCE_SUFFIXES

_READS = re.compile(
    rb"\b(?:read_text|read_bytes|readFile(?:Sync)?|getsource(?:lines|file)?|getsize|st_size|__code__|__doc__|grep)\b"
    rb"|\b(?:open|getlines?|get_source|get_data|getdoc|findsource)\("
)
_LOOKS = re.compile(
    rb"\b(?:exists(?:Sync)?|is_?file|access(?:Sync)?|find_spec|listdir|readdir(?:Sync)?|(?:require|meta)\.resolve)\("
)
_LOADS = re.compile(rb"\b(?:from|import|\w{0,20}(?:[mM]ock|[iI]mport|require)\w{0,20}\()\s*['\"][./][^'\"\n]*['\"]")
"""A module that a test uses is not what it looks at."""
_OF_A_MODULE = re.compile(rb"\b(?:get|find)source(?:lines|file)?\(|\bgetdoc\(|\w\.__(?:file|code|doc|loader|spec)__\b")
_COMMON = re.compile(rb"(?:index|main|app|cli|setup|config|utils?)\.")
_BETWEEN = rb"(?:[/.'\"\s,)]|joinpath\(){1,6}"
"""Two parts of a path, in one text or joined."""


def read_as_text(sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    """What a reviewer is told of them."""
    sources = [_named(path) for path in sides.product if path.endswith(SOURCE_SUFFIXES)]
    new = [_named(path, or_module=True) for path in sides.product if path not in base]
    added = {path: added_lines(path, sides, base, read) for path in sides.test_files if path.endswith(SOURCE_SUFFIXES)}

    def found(does: re.Pattern[bytes], named: list[re.Pattern[bytes]]) -> list[str]:
        doing = (path for path, lines in added.items() if named and does.search(lines))
        return [path for path in doing if any(each.search(added[path]) for each in (*named, _OF_A_MODULE))]

    if reading := found(_READS, sources):
        yield (
            f"{', '.join(reading)} newly read the text of product code, which tells how it is written and not what it "
            "does: see that another test shows the defect to be gone."
        )
    if looking := found(_LOOKS, new):
        yield (
            f"{', '.join(looking)} newly ask whether a file is there, and the change adds such: see that another test "
            "shows the defect to be gone."
        )


def _named(path: str, *, or_module: bool = False) -> re.Pattern[bytes]:
    """By its folder too, since tests make files of the same names for themselves; at the root of common names. A module
    may be named without its ending."""
    folder, name = ([b"", *path.encode().split(b"/")])[-2:]
    common = rb"['\"`/]\.{1,2}" + _BETWEEN if _COMMON.match(name) else rb"(?<![\w.-])"
    above = rb"\b" + re.escape(folder) + _BETWEEN if folder else common
    stem, dot, ending = name.rpartition(b".")
    whole = re.escape(stem) + rb"(?:\." + re.escape(ending) + rb")?" if or_module and dot else re.escape(name)
    return re.compile(above + whole + rb"['\"`]")


def added_lines(path: str, sides: Sides, base: Tree, read: ReadFile) -> bytes:
    """Of a test file, without the modules that it loads."""
    new, old = sides.tests.files[path], read(path) if path in base else b""
    known = frozenset(old.splitlines())
    lines = (line for line in (new.content if new else b"").splitlines() if line not in known)
    return _LOADS.sub(b"", b"\n".join(lines))
