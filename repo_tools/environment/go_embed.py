"""Files that a Go program embeds and that a build makes first, mostly a front end's: without them its packages do not
compile, and none of their tests is run. Pure: texts are read, nothing is run.

https://pkg.go.dev/embed
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from posixpath import basename, dirname, join, normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import TEST_DATA, VENDORED, is_within

_MOST_READ = 3_000
_MOST_PATTERNS = 300
MOST_STAND_INS = 20
_DIRECTIVE = re.compile(rb"^//go:embed[ \t]+([^\n]{1,500})", re.MULTILINE)
_PATTERN = re.compile(r'"([^"\n]+)"|`([^`\n]+)`|(\S+)')
_ODD = re.compile(r"[?\[\]\\\0]")


def stand_ins(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """Root-relative path of a file for each pattern that no file of `tree` matches, nor one that another project has
    in the same folder."""
    sources = sorted(
        (p for p in tree if p.endswith(".go") and not is_within(p, VENDORED | TEST_DATA)), key=_deepest_last
    )
    named = dict.fromkeys(each for path in sources[:_MOST_READ] for each in _embedded(path, read(path)))
    lacking = (pattern for pattern in islice(named, _MOST_PATTERNS) if not _is_there(pattern, tree))
    made = dict.fromkeys(map(_stand_in, islice(lacking, MOST_STAND_INS)))
    return tuple(path for path in made if not _can_be_read(path, read))


def _deepest_last(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _embedded(path: str, content: bytes) -> Iterator[str]:
    """Patterns that it names, from the root."""
    for line in _DIRECTIVE.findall(content):
        for found in _PATTERN.finditer(line.decode("utf-8", "replace")):
            pattern = (found[1] or found[2] or found[3]).removeprefix("all:")
            if not (_ODD.search(pattern) or pattern.startswith("/") or ".." in pattern.split("/")):
                yield normpath(join(dirname(path), pattern))


def _is_there(pattern: str, tree: Tree) -> bool:
    """A folder that matches stands for all that is in it."""
    wanted = pattern.split("/")
    plain = pattern.partition("*")[0]
    below = (path.split("/") for path in tree if path.startswith(plain))
    return any(len(p) >= len(wanted) and all(map(fnmatchcase, p, wanted)) for p in below)


def _can_be_read(path: str, read: ReadFile) -> bool:
    try:
        read(path)
    except KeyError:
        return False
    return True


def _stand_in(pattern: str) -> str:
    """``build/*`` is matched by ``build/index.html``, ``*.js`` by ``index.js``, and ``dist`` may be a folder."""
    name = basename(pattern)
    if name == "*":
        return join(dirname(pattern), "index.html").replace("*", "index")
    return (pattern if "." in name else join(pattern, "index.html")).replace("*", "index")
