"""By which path the packages of a Go repository without a go.mod import one another. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from posixpath import dirname

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import is_below
from repo_tools.environment.texts import read_text

OLD_MANIFEST = re.compile(
    r"Gopkg\.(?:lock|toml)|glide\.(?:lock|yaml)|vendor/vendor\.json|Godeps/Godeps\.json|vendor\.conf"
)
UNKNOWN = "example.invalid/base"
"""Where no package imports another one: then its path does not matter."""
_PATH = r"[\w.~-]+\.[a-z]+(?:/[\w.~-]+)+"
_SAID = re.compile(rf"^package \w+ // import \"({_PATH})\"", re.MULTILINE)
_TRAVIS = re.compile(rf"^go_import_path:\s*[\"']?({_PATH})", re.MULTILINE)
_PACKAGE = re.compile(r"^package (\w+)", re.MULTILINE)
_DECLARED = re.compile(r"^(?:func|type|var|const)\b", re.MULTILINE)
_FROM_OUTSIDE = re.compile(r"^package (\w+)_test\s*$", re.MULTILINE)
_IMPORTED = re.compile(rf"^(?:import)?[ \t]*(?:[\w.]+[ \t]+)?\"({_PATH})\"", re.MULTILINE)
_WITH_OWNERS = frozenset(("github.com", "gitlab.com", "bitbucket.org", "codeberg.org"))
_MOST_READ = 200
_KEPT = ("vendor/github.com/", "vendor/golang.org/")
_MOST_CHECKED = 3_000
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_PASSED_OVER = re.compile(r"(?:^|/)(?:testdata/|[._])")
"""By ``./...``."""
_OF_OTHERS = ("vendor/", "Godeps/")


def import_path(tree: Tree, read: ReadFile) -> str | None:
    """None where the repository is no Go project: Go alone in a folder of it, whose packages do not import one another
    by paths from the root, or in what is somebody else's."""
    sources = [path for path in tree if path.endswith(".go") and not path.startswith(_OF_OTHERS)]
    at_root = [path for path in sources if "/" not in path]
    texts = {path: read_text(read, path) for path in [*at_root, *sources][:_MOST_READ]}
    folders = {dirname(path) for path in sources} - {""}
    prefixes = Counter(_prefixes(texts.values(), folders))
    listed = any(OLD_MANIFEST.fullmatch(path) or path.startswith(_KEPT) for path in tree)
    if not (at_root or listed or prefixes):
        return None
    if ".travis.yml" in tree and (found := _TRAVIS.search(read_text(read, ".travis.yml"))):
        return found[1]
    said = next((found[1] for path in at_root if (found := _SAID.search(texts[path]))), None)
    tested = Counter(path for text in (texts[path] for path in at_root) for path in _tested(text))
    own = tested or prefixes or Counter(_of_the_root(texts))
    return said or max(own, key=lambda path: own[path], default=UNKNOWN)


def is_vendored(tree: Tree, read: ReadFile, path: str) -> bool:
    """Whether all that the packages of this `path` import of others, and what that imports in turn, is kept in
    ``vendor/``, in the versions that they were written for. A ``vendor/`` within it is nowhere that a module looks."""
    kept: dict[str, list[str]] = {}
    for other in tree:
        if other.startswith("vendor/") and other.endswith(".go") and not other.endswith("_test.go"):
            kept.setdefault(dirname(other).removeprefix("vendor/"), []).append(other)
    if not kept or any("/vendor/" in folder for folder in kept):
        return False
    waiting = [p for p in tree if p.endswith(".go") and not p.startswith(_OF_OTHERS) and not _PASSED_OVER.search(p)]
    asked: set[str] = set()
    read_so_far = 0
    while waiting and read_so_far < _MOST_CHECKED:
        read_so_far += 1
        for imported in _imports(read_text(read, waiting.pop())):
            if imported != path and not is_below(imported, path) and imported not in asked:
                if imported not in kept:
                    return False
                asked.add(imported)
                waiting += kept[imported]
    return not waiting


def _imports(text: str) -> list[str]:
    """Of a file: what stands between its package's name and its first declaration."""
    text = _COMMENT.sub("", text)
    begun = _PACKAGE.search(text)
    end = _DECLARED.search(text, begun.end()) if begun else None
    return _IMPORTED.findall(text[begun.end() : end.start() if end else None]) if begun else []


def _tested(text: str) -> Iterator[str]:
    """What a test that stands outside of the root's package imports by that package's name."""
    if found := _FROM_OUTSIDE.search(text):
        yield from _imported_as(found[1], text)


def _of_the_root(texts: Mapping[str, str]) -> Iterator[str]:
    """What packages below the root, its commands and extensions, import by the name of the root's own."""
    named = {found[1] for path, text in texts.items() if "/" not in path for found in _PACKAGE.finditer(text)}
    for name in sorted(named - {"main"}):
        for path, text in texts.items():
            yield from _imported_as(name, text) if "/" in path else ()


def _imported_as(name: str, text: str) -> Iterator[str]:
    named = re.compile(rf".*/(?:go-)?{name}(?:\.v\d+|\.go|-go)?")
    yield from (path for path in _IMPORTED.findall(text) if named.fullmatch(path))


def _prefixes(texts: Iterable[str], folders: set[str]) -> Iterator[str]:
    """Of every import of what may be a folder of this repository: what stands before."""
    for text in texts:
        for imported in _IMPORTED.findall(text):
            parts = imported.split("/")
            for depth in range(3 if parts[0] in _WITH_OWNERS else 2, len(parts)):
                if "/".join(parts[depth:]) in folders:
                    yield "/".join(parts[:depth])
