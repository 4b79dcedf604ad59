"""Questions about a tree that an agent is working on: where a name is defined and used, what a file holds, which tests
exercise it. True to the agent's changes: what was changed is indexed again before an answer."""

import re
from array import array
from codecs import BOM_UTF8
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from repo_tools.changes import ChangeSet, Tree
from repo_tools.checkout import Checkout, Unread
from repo_tools.repo_map.bm25 import Hits, hits, rarity
from repo_tools.repo_map.definitions import Definition, last_part
from repo_tools.repo_map.facts import stored_definitions
from repo_tools.repo_map.imported import Imported, given_name, takes
from repo_tools.repo_map.indexing import Indexed, index_tree
from repo_tools.repo_map.kinds import Kind, code_folders, kind_of
from repo_tools.repo_map.languages import language_of
from repo_tools.repo_map.named_after import NamedAfter
from repo_tools.repo_map.query import file_name
from repo_tools.repo_map.store import IndexStore, Scan, again_when_lost
from repo_tools.repo_map.words import WORD, exact, terms

MAX_LINE_CHARACTERS = 300
NAMED_AFTER = 12.0
IMPORTS_IT = 8.0
MOST_DEFINING = 60
"""Files that are parsed for one name's definitions, sources first. A definition in any other is told as a use."""

_SCOPED = re.compile(r"(?P<scope>.*[\w$])(?:::|->|[.#\\])(?P<last>.+)")
_OPERATOR = re.compile(r"[^\w\s$]{1,3}")


@dataclass(frozen=True)
class Use:
    """A line that speaks of a name. `line_number` counts from 1."""

    path: str
    line_number: int
    line: str


@dataclass(frozen=True)
class Symbol:
    """Where `name` is defined, and the lines that use it: sources first, then tests. Uses of operators and of single
    letters are not looked for."""

    name: str
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
        """Empty where nothing in the tree has that name. Where no definition is called `name` as it is written, that
        of its last part (``A::b``, ``a.b``, ``A#b``, ``a->b``), definitions that fit what stands before it first."""
        return again_when_lost(lambda: self._symbol_or_last_part(self._up_to(change), name, max_uses))

    def _symbol_or_last_part(self, indexed: Indexed, name: str, max_uses: int) -> Symbol:
        found = self._symbol(indexed, name, "", max_uses)
        parts = _SCOPED.fullmatch(name)
        if found.definitions or parts is None:
            return found
        scope = _SCOPED.fullmatch(parts["scope"])
        return self._symbol(indexed, parts["last"], scope["last"] if scope else parts["scope"], max_uses)

    def _symbol(self, indexed: Indexed, name: str, scope: str, max_uses: int) -> Symbol:
        forms = _forms(name)
        known = {exact(form.encode()) for form in forms}
        words = WORD.findall(name.encode())
        term = terms[max(words, key=len)][0] if words else None
        defining, using = [], []
        scans = dict(self._store.scan(dict.fromkeys(indexed.keys.values())))
        for path, key in indexed.keys.items():
            if key not in scans:
                continue
            if not known.isdisjoint(_numbers(scans[key].names)):
                defining.append(path)
            if term in _numbers(scans[key].terms):
                using.append(path)
        code = code_folders(indexed.keys)
        using.sort(key=lambda path: (kind_of(path, code) is not Kind.SOURCE, path))
        defining.sort(key=lambda path: (not _is_below(scope, path), kind_of(path, code) is not Kind.SOURCE, path))
        found = _definitions(indexed, defining[:MOST_DEFINING])
        named = [(p, d) for p in found for d in found[p] if not forms.isdisjoint((d.name, last_part(d.name)))]
        named.sort(key=lambda pair: pair[1].kind == "impl")
        if scope:
            around = {path: [d for d in found[path] if last_part(d.name) == scope] for path in found}
            named.sort(key=lambda pair: not _is_of(scope, pair[0], pair[1], around[pair[0]]))
        places = {(path, d.line) for path, d in named}
        return Symbol(name, tuple(named), self._uses(name, using, places, max_uses))

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
        named = NamedAfter(path, (other for other in indexed.keys if other not in tests))
        return tuple((test, why) for test, _, why in _by_use(named, used, wanted, importing)[:most])

    def _importing(self, path: str, tests: Mapping[str, tuple[str, Scan]]) -> set[str]:
        """Those of `tests`, each with its key and scan, that import `path`."""
        file = Imported(path, self._tree, given_name(path, self._tree, self._read))
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


def _forms(name: str) -> frozenset[str]:
    """How languages write the name of a definition: C++ an operator with a word before it."""
    is_operator = _OPERATOR.fullmatch(name) is not None
    return frozenset({name, f"operator{name}", f"operator {name}"} if is_operator else {name})


def _is_of(scope: str, path: str, definition: Definition, called_so: Iterable[Definition]) -> bool:
    """Whether `definition` fits what stood before its name: one of those of its file that are `called_so` and is around
    it, its receiver, or its file."""
    before = definition.signature.partition(last_part(definition.name))[0]
    return (
        _is_below(scope, path)
        or scope in re.findall(r"[\w$]+", before)
        or any(d.line <= definition.line <= definition.end_line <= d.end_line for d in called_so)
    )


def _is_below(scope: str, path: str) -> bool:
    """Whether a file or one of its folders is called so: ``FirstBasket`` is in ``first_basket.rb``."""
    return bool(scope) and file_name(scope) in (file_name(part.partition(".")[0]) for part in path.split("/"))


def _lines_with(name: str, path: str, content: bytes) -> Iterator[Use]:
    pattern = re.compile(rb"(?<![A-Za-z0-9_])" + re.escape(name.encode()) + rb"(?![A-Za-z0-9_])")
    if pattern.search(content) is None:
        return
    for number, line in enumerate(content.removeprefix(BOM_UTF8).split(b"\n"), 1):
        if pattern.search(line):
            yield Use(path, number, line.decode("utf-8", "replace").rstrip("\r")[:MAX_LINE_CHARACTERS])


def _by_use(
    named: NamedAfter, used: Mapping[str, Hits], wanted: frozenset[int], importing: Container[str]
) -> list[tuple[str, float, str]]:
    """(test, score, why), best first: tests named after the file, and those that import it or use the names that it
    defines."""
    rarities = rarity(used.values(), wanted, len(used))
    scored = []
    for test in sorted(used):
        value = sum(sorted(rarities[term] for term in used[test].counts))
        count = len(used[test].counts)
        why = [f"uses {count} of its names"] if count else []
        if named.is_of(test):
            value, why = value + NAMED_AFTER, ["named after it"]
        if test in importing:
            value, why = value + IMPORTS_IT, ["imports it", *why]
        if value:
            scored.append((test, value, "; ".join(why)))
    return sorted(scored, key=lambda entry: (-entry[1], entry[0]))


def _numbers(stored: bytes) -> "array[int]":
    numbers = array("I")
    numbers.frombytes(stored)
    return numbers
