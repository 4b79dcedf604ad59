"""What the project's own modules ask for as soon as a test imports them, directly or through each other."""

import re
from collections.abc import Iterable, Iterator

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.own_modules import files_of

MOST_FILES = 400
MAX_BYTES = 300_000
"""Of each file: imports stand at its beginning."""
_MOST_LETTERS = 200
"""Of a name that somebody writes."""
_IMPORT = re.compile(
    rb"^(?P<indent>[ \t]*)(?:import[ \t]+(?P<modules>[^\n#;]+)"
    rb"|from[ \t]+(?P<dots>\.*)(?P<module>(?:\w[\w.]*)?)[ \t]+import[ \t]*"
    rb"(?P<names>\([^()#]*(?:#[^\n]*\n[^()#]*)*\)|[^\n#;]+))",
    re.MULTILINE,
)
"""Most files of a project may have to be looked at: a parse would take a hundred times as long."""
_NAME = re.compile(rb"([\w.]+)(?:\s+as\s+\w+)?")


def needed_at_once(tree: Tree, read: ReadFile, test_files: Iterable[str]) -> frozenset[str]:
    """Dotted names, with those of attributes, that files of the product import at their left edge: what stands in a
    ``try``, a condition or a function may do without. Of a test file every import leads on. At most `MOST_FILES`
    of either."""
    tests = frozenset(test_files)
    paths, needed = sorted(tests)[:MOST_FILES], set[str]()
    known, most = set(paths), len(paths) + MOST_FILES
    for path in paths:  # it grows
        for above, names in _imports(read(path)[:MAX_BYTES], everywhere=path in tests):
            needed |= {name for name in names if not above and path not in tests}
            found = dict.fromkeys(files_of(_with_packages(names), above, path, tree))
            new = [own for own in found if own not in known][: most - len(paths)]
            paths += new
            known |= set(new)
    return frozenset(needed)


def _imports(content: bytes, *, everywhere: bool) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The dots before it, and the dotted names that each import may stand for."""
    for found in _IMPORT.finditer(content):
        if found["indent"] and not everywhere:
            continue
        if found["modules"]:
            yield 0, tuple(_names(found["modules"]))
        else:
            module = found["module"][:_MOST_LETTERS].decode("utf-8", "replace")
            parts = (f"{module}.{name}".lstrip(".") for name in _names(found["names"]))
            yield len(found["dots"]), tuple(filter(None, (module, *parts)))


def _names(listed: bytes) -> Iterator[str]:
    bare = re.sub(rb"#[^\n]*", b"", listed)
    return (match[1][:_MOST_LETTERS].decode("utf-8", "replace") for match in _NAME.finditer(bare))


def _with_packages(names: Iterable[str]) -> Iterable[str]:
    """``a``, ``a.b`` and ``a.b.c`` of ``a.b.c``: importing a module runs the packages around it."""
    found: dict[str, None] = {}
    for name in names:
        inner = name
        while inner and inner not in found:
            found[inner] = None
            inner = inner.rpartition(".")[0]
    return found
