"""How much of a repository's files is read to plan its environment. Pure."""

import re
from functools import cache

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.contract import ReadFile

_MOST_BYTES, _MOST_LONG_BYTES = 300_001, 32 << 20
"""One more than any detector reads, who so knows what is too large for it."""
_LONG = re.compile(
    r"(?:^|/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|bun\.lockb|gems\.locked|go\.sum"
    r"|(?:yarn|bun|deno|poetry|uv|pdm|Pipfile|Cargo|Gemfile|Gopkg|composer)\.lock)$"
)
"""What package managers write, at any length; JSON takes no more time than it is long."""


def without_submodules(tree: Tree, read: ReadFile) -> ReadFile:
    """One may be called like a file (``lib/test.js``): it has no content."""
    return lambda path: b"" if path in tree and tree[path].mode is FileMode.SUBMODULE else read(path)


def bounded(read: ReadFile) -> ReadFile:
    """Only the beginning of what no person wrote: to parse it all would take hours, and a hundred times its memory."""
    return cache(lambda path: read(path)[: _MOST_LONG_BYTES if _LONG.search(path) else _MOST_BYTES])
