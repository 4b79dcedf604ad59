"""Questions about a tree that an agent is working on: where a name is defined and used, what a file holds, which tests
exercise it. True to the agent's changes: what was changed is indexed again before an answer."""

import re
from array import array
from codecs import BOM_UTF8
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from repo_tools.changes import ChangeSet, Tree
from repo_tools.checkout import Checkout, Unread
from repo_tools.repo_map.bm25 import Hits, hits, rarity
from repo_tools.repo_map.definitions import Definition, last_part
from repo_tools.repo_map.facts import stored_definitions
from repo_tools.repo_map.imported import Imported, go_package_of, takes
from repo_tools.repo_map.indexing import Indexed, index_tree
from repo_tools.repo_map.kinds import Kind, code_folders, kind_of
from repo_tools.repo_map.languages import language_of
from repo_tools.repo_map.store import IndexStore, Scan, again_when_lost
from repo_tools.repo_map.words import WORD, exact, terms

MAX_LINE_CHARACTERS = 300
NAMED_AFTER = 12.0
IMPORTS_IT = 8.0
MOST_DEFINING = 60
"""Files that are parsed for one name's definitions, the first by path. A definition in any other is told as a use."""


@dataclass(frozen=True)
class Use:
    """A line that speaks of a name. `line_number` counts from 1."""

    path: str
    line_number: int
    line: str


@dataclass(frozen=True)
class Symbol:
    """Where a name is defined, and the lines that use it: sources first, then tests."""

    definitions: tuple[tuple[str, Definition], ...]
    uses: tuple[Use, ...]


class CodeIndex:
    """The index of `checkout` with changes on top. Not thread-safe."""

    def __init__(self, store: IndexStore, checkout: Checkout) -> None:
        self._store = store
        self._checkout = checkout
        self._seen: ChangeSet | None = None
        self._indexed: Indexed | None = None
        self._tree: Tree = {}

    def find_symbol(self, name: str, change: ChangeSet, *, max_uses: int) -> Symbol:
        """Empty where nothing in the tree has that name."""
        return again_when_lost(lambda: self._symbol(self._up_to(change), name, max_uses))

    def _symbol(self, indexed: Indexed, name: str, max_uses: int) -> Symbol:
        known = exact(name.encode())
        words = WORD.findall(name.encode())
        term = terms[max(words, key=len)][0] if words else None
        defining, using = [], []
        scans = dict(self._store.scan(dict.fromkeys(indexed.keys.values())))
        for path, key in indexed.keys.items():
            if key not in scans:
                continue
            if known in _numbers(scans[key].names):
                defining.append(path)
            if term in _numbers(scans[key].terms):
                using.append(path)
        found = _definitions(indexed, defining[:MOST_DEFINING])
        definitions = tuple((path, d) for path in found for d in found[path] if name in (d.name, last_part(d.name)))
        places = {(path, d.line) for path, d in definitions}
        code = code_folders(indexed.keys)
        using.sort(key=lambda path: (kind_of(path, code) is not Kind.SOURCE, path))
        return Symbol(definitions, self._uses(name, using, places, max_uses))

    def outline(self, path: str, change: ChangeSet) -> tuple[Definition, ...]:
        """What a file defines, in order; empty for a file without grammar. FileNotFoundError where there is none."""
        return again_when_lost(lambda: self._outline(self._up_to(change), path))

    def _outline(self, indexed: Indexed, path: str) -> tuple[Definition, ...]:
        if path not in self._tree:
            raise FileNotFoundError(2, "there is no such file", path)
        return tuple(_definitions(indexed, [path]).get(path, ()))

    def related_tests(self, path: str, change: ChangeSet, *, most: int) -> tuple[tuple[str, str], ...]:
        """(test file, why) of those that exercise `path`, the most likely first."""
        return again_when_lost(lambda: self._tests_of(self._up_to(change), path, most))

    def _tests_of(self, indexed: Indexed, path: str, most: int) -> tuple[tuple[str, str], ...]:
        if path not in self._tree:
            raise FileNotFoundError(2, "there is no such file", path)
        code = code_folders(indexed.keys)
        tests = {test: key for test, key in indexed.keys.items() if kind_of(test, code) is Kind.TEST and test != path}
        names = {last_part(d.name) for d in _definitions(indexed, [path]).get(path, ()) if len(d.name) > 2}
        wanted = frozenset(terms[name.encode()][0] for name in names if WORD.fullmatch(name.encode()))
        scans = dict(self._store.scan(dict.fromkeys(tests.values())))
        used = {test: hits(scans[key], wanted) for test, key in tests.items() if key in scans}
        importing = self._importing(path, {test: (tests[test], scans[tests[test]]) for test in used})
        return tuple((test, why) for test, _, why in _by_use(path, used, wanted, importing)[:most])

    def _importing(self, path: str, tests: Mapping[str, tuple[str, Scan]]) -> set[str]:
        """Those of `tests`, each with its key and scan, that import `path`."""
        is_go = language_of(path) == "go"
        file = Imported(path, self._tree, go_package_of(path, self._tree, self._read) if is_go else "")
        package = Imported(file.folder, self._tree)
        term = terms[file.name.encode("utf-8", "surrogateescape")][0]
        imports = self._store.imports(dict.fromkeys(key for key, _ in tests.values()))
        found = set()
        for test, (key, scan) in tests.items():
            names = imports.get(key, "").split("\n")
            if file.is_named(test, names):
                found.add(test)
            elif language_of(test) == "python" and term in _numbers(scan.terms) and package.is_named(test, names):
                found |= {test} if takes(self._read(test), file.name) else set()
        return found

    def _up_to(self, change: ChangeSet) -> Indexed:
        if self._indexed is None or self._indexed.is_lost or change != self._seen:
            kept = {path: entry for path, entry in self._checkout.tree.items() if path not in change.files}
            self._tree = kept | {path: new.entry for path, new in change.files.items() if new is not None}
            self._seen = change
            self._indexed = index_tree(self._store, self._tree, self._read, read_many=self._read_many)
        return self._indexed

    def _read(self, path: str) -> bytes:
        new = self._seen.files.get(path) if self._seen is not None else None
        return new.content if new is not None else self._checkout.read(path)

    def _read_many(self, paths: Sequence[str], max_bytes: int) -> Iterator[bytes | Unread]:
        changed = self._seen.files if self._seen is not None else {}
        of_base = self._checkout.read_many([path for path in paths if path not in changed], max_bytes)
        for path in paths:
            new = changed.get(path)
            yield new.content if new is not None else next(of_base)

    def _uses(self, name: str, paths: Iterable[str], but: set[tuple[str, int]], most: int) -> tuple[Use, ...]:
        found: list[Use] = []
        for path in paths:
            if len(found) >= most:
                break
            found += (use for use in _lines_with(name, path, self._read(path)) if (path, use.line_number) not in but)
        return tuple(found[:most])


def _definitions(indexed: Indexed, paths: Iterable[str]) -> dict[str, list[Definition]]:
    return {path: stored_definitions(detail.definitions) for path, detail in indexed.details(paths).items()}


def _lines_with(name: str, path: str, content: bytes) -> Iterator[Use]:
    pattern = re.compile(rb"(?<![A-Za-z0-9_])" + re.escape(name.encode()) + rb"(?![A-Za-z0-9_])")
    if pattern.search(content) is None:
        return
    for number, line in enumerate(content.removeprefix(BOM_UTF8).split(b"\n"), 1):
        if pattern.search(line):
            yield Use(path, number, line.decode("utf-8", "replace").rstrip("\r")[:MAX_LINE_CHARACTERS])


def _by_use(
    path: str, used: Mapping[str, Hits], wanted: frozenset[int], importing: Container[str]
) -> list[tuple[str, float, str]]:
    """(test, score, why), best first: tests named after the file, and those that import it or use the names that it
    defines."""
    rarities = rarity(used.values(), wanted, len(used))
    stem = _subject(path)
    scored = []
    for test in sorted(used):
        value = sum(sorted(rarities[term] for term in used[test].counts))
        count = len(used[test].counts)
        why = [f"uses {count} of its names"] if count else []
        if stem and stem == _subject(test):
            value, why = value + NAMED_AFTER, ["named after it"]
        if test in importing:
            value, why = value + IMPORTS_IT, ["imports it", *why]
        if value:
            scored.append((test, value, "; ".join(why)))
    return sorted(scored, key=lambda entry: (-entry[1], entry[0]))


def _subject(path: str) -> str:
    """What a file is about, by its name: ``tests/test_basket.py`` and ``shop/basket.py`` are about the basket."""
    stem = PurePosixPath(path).name.split(".")[0].lower()
    return re.sub(r"^tests?_?|[_-]?(tests?|spec)$", "", stem)


def _numbers(stored: bytes) -> "array[int]":
    numbers = array("I")
    numbers.frombytes(stored)
    return numbers
