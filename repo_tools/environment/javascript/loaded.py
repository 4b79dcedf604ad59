"""Whether the modules that a package's entry points load stand in the tree: an ``index.js`` may only name what a build
makes (``module.exports = require('./dist/x')``). Pure."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from posixpath import dirname, join, normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.texts import as_text

ENDS = ("", ".js", ".cjs", ".mjs", ".json", ".node", ".ts", "/index.js", "/index.json", "/index.node", "/index.ts")
"""Of a module that is named without: ``"main": "lib/"`` (https://nodejs.org/api/modules.html#all-together)."""
_SOURCES = (".ts", ".tsx", ".mts", ".cts", ".jsx")
_LOADS = re.compile(
    r"""^(?!\s{0,99}(?://|/?\*))[^\n]{0,300}?(?:\bfrom\s?|\brequire\(\s?|^import\s|\bimport\(\s?)['"](?P<path>\.{1,2}/[\w./-]{1,200})['"]""",
    re.MULTILINE,
)
"""Not in a comment's line; the first of each line."""
_COMPILED = re.compile(r".*(?:\.node|/(?:Release|Debug)/.*|\.json)")
"""By another tool than a build script, or read where it is there."""
_MOST_FILES = 30
_MOST_BYTES = 100_000


def stands(path: str, tree: Tree) -> bool:
    return any(f"{path}{end}" in tree for end in ENDS)


def files_loaded_by(path: str, tree: Tree, read: ReadFile) -> Iterator[str]:
    """Files of the repository that a file loads by itself,."""
    for named in islice(_loaded_by(path, tree, read), _MOST_FILES):
        yield from (f"{named}{end}" for end in ENDS if f"{named}{end}" in tree)


def loads_what_is_missing(entry_points: Iterable[str], tree: Tree, read: ReadFile) -> bool:
    """Whether one of them, or what they load of the package's own, names a module that is not there."""
    waiting = [path for path in dict.fromkeys(entry_points) if path in tree]
    seen = set(waiting)
    for _ in range(_MOST_FILES):
        if not waiting:
            break
        for path in _loaded_by(waiting.pop(0), tree, read):
            file = next((f"{path}{end}" for end in ENDS if f"{path}{end}" in tree), "")
            if not file and not _is_written_in_another_form(path, tree):
                return True
            if file and file not in seen:
                seen.add(file)
                waiting.append(file)
    return False


def _loaded_by(path: str, tree: Tree, read: ReadFile) -> Iterator[str]:
    if not tree[path].mode.is_file or not path.endswith(("js", "ts")):
        return
    for found in _LOADS.finditer(as_text(read(path)[:_MOST_BYTES])):
        named = normpath(join(dirname(path), found["path"]))
        if not (_COMPILED.fullmatch(named) or named.startswith("..") or named == "."):
            yield named


def _is_written_in_another_form(path: str, tree: Tree) -> bool:
    """``./x.js`` in TypeScript is ``x.ts``; a folder may have a manifest of its own."""
    stem = re.sub(r"\.[cm]?jsx?$", "", path)
    return f"{path}/package.json" in tree or any(f"{stem}{end}" in tree for end in _SOURCES)
