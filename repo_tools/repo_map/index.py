"""The files of one tree with what ranking and rendering need. Read through a function: no checkout on disk."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from repo_tools.changes import FileMode, Tree
from repo_tools.repo_map.definitions import Definition, definitions

MAX_FILE_BYTES = 512_000
MAX_FILES = 20_000
MAX_LINE_BYTES = 5_000  # longer ones are minified or generated

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{1,60}")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TEST = re.compile(
    r"(^|/)(tests?|testing|__tests__|spec)(/|$)|(^|/)(test_[^/]*|[^/]*(_test|\.test|\.spec))\.\w+$|conftest\.py$"
)


@dataclass(frozen=True)
class SourceFile:
    """`terms` counts words and their parts (``HTTPServer`` counts as itself, ``http`` and ``server``)."""

    path: str
    definitions: tuple[Definition, ...]
    terms: Counter[str]
    is_test: bool


def read_index(tree: Tree, read: Callable[[str], bytes]) -> tuple[SourceFile, ...]:
    """Every text file of the tree, in path order. Binary, huge and minified files are left out."""
    files = []
    for path in sorted(tree)[:MAX_FILES]:
        if tree[path].mode in (FileMode.REGULAR, FileMode.EXECUTABLE):
            content = read(path)
            if _is_readable_text(content):
                files.append(_source_file(path, content))
    return tuple(files)


def terms_of(text: str) -> Counter[str]:
    """Words of a text, and the parts of those that are made of parts; lower case."""
    counts: Counter[str] = Counter()
    for word in _WORD.findall(text):
        whole = word.lower()
        counts[whole] += 1
        parts = [part.lower() for part in _PART.findall(word)]
        if parts != [whole]:
            counts.update(part for part in parts if len(part) > 1)
    return counts


def _source_file(path: str, content: bytes) -> SourceFile:
    terms = terms_of(content.decode("utf-8", "replace"))
    for part, count in terms_of(str(PurePosixPath(path).with_suffix(""))).items():
        terms[part] += 3 * count  # a path says more about a file than one of its lines does
    return SourceFile(path, definitions(path, content), terms, bool(_TEST.search(path)))


def _is_readable_text(content: bytes) -> bool:
    if len(content) > MAX_FILE_BYTES or b"\0" in content[:8_000]:
        return False
    return all(len(line) <= MAX_LINE_BYTES for line in content.split(b"\n"))
