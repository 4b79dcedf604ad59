"""Which files of a tree an issue is about, and which definitions in them. Deterministic for a tree and an issue."""

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import add
from typing import NamedTuple

from repo_tools.repo_map.bm25 import PATH_B, Hits, hits, path_hits, piece_scores, rarity, score
from repo_tools.repo_map.definitions import Definition
from repo_tools.repo_map.facts import GENERATED, MAX_FILE_BYTES, stored_definitions
from repo_tools.repo_map.history import Change, how_often, what_was_said
from repo_tools.repo_map.indexing import Indexed
from repo_tools.repo_map.kinds import Kind, code_folders, kind_of
from repo_tools.repo_map.named import Named, definition_bonuses, named_files
from repo_tools.repo_map.query import Query, file_name
from repo_tools.repo_map.store import IndexStore, Scan
from repo_tools.repo_map.tongues import speaks
from repo_tools.repo_map.words import exact

CANDIDATES = 40
"""Files whose pieces are looked at."""

PIECE_WORDS = 60.0
"""The length of a usual function."""

SIZE = 1.0
"""For each doubling of a file's length, about two thirds of this: a longer file is changed more often. Hardly an
evidence, which is five to fifty, but of files that are alike the larger one is more worth a look."""

RARE = 12
"""An identifier that more files than this define says little of any."""

PATH_WEIGHT = 1.0
PIECE_WEIGHT = 1.0
DEFINES_WEIGHT = 3.0
SCOPE_WEIGHT = 6.0
FILE_NAME_WEIGHT = 15.0
NAMED_WEIGHT = 40.0
CHANGED_WEIGHT = 2.0
SAID_WEIGHT = 0.75
GENERATED_WEIGHT = 0.3
KIND_WEIGHTS = {
    Kind.SOURCE: 1.0,
    Kind.TEST: 0.25,
    Kind.DOCUMENT: 0.2,
    Kind.DATA: 0.2,
    Kind.VENDORED: 0.3,
    Kind.OTHER: 0.3,
}
"""How much each piece of evidence counts; `docs/design/0008-what-finds-the-file.md` says what each gave."""


class RankedFile(NamedTuple):
    """`why` says what put the file here, the strongest first. `definitions` are the file's own, in file order, each
    with its score; they are filled in for the first `CANDIDATES` files. `is_slow`: they are not known, because a
    grammar takes too long."""

    path: str
    kind: Kind
    score: float
    why: tuple[str, ...] = ()
    definitions: tuple[tuple[Definition, float], ...] = ()
    is_slow: bool = False


def localise(
    indexed: Indexed, paths: Iterable[str], query: Query, changes: Sequence[Change] = ()
) -> tuple[RankedFile, ...]:
    """Every one of `paths`, the most relevant first; ties by path. `changes`: see `recent_changes`."""
    past = _past(changes, query)
    paths = sorted(paths)
    named = named_files(paths, query, partial(_content, indexed))
    files = [_with_past(file, past) for file in _scores(indexed, paths, query, named)]
    files.sort(key=lambda file: (-file.score, file.path))
    detailed = _in_detail(indexed, files[:CANDIDATES], query, named)
    return tuple(sorted((*detailed, *files[CANDIDATES:]), key=lambda file: (-file.score, file.path)))


def _content(indexed: Indexed, path: str) -> bytes:
    """Of a manifest; empty where it cannot be had."""
    if path not in indexed.keys:
        return b""
    content = next(iter(indexed.read_many((path,), MAX_FILE_BYTES)))
    return content if isinstance(content, bytes) else b""


def _scores(indexed: Indexed, paths: list[str], query: Query, named: Mapping[str, Named]) -> list[RankedFile]:
    wanted = frozenset(query.weights)
    known = _known(indexed, wanted, frozenset(exact(name.encode()) for name in query.words))
    content_weights = _weighed(query, rarity((scan.hits for scan in known.values()), wanted, len(paths)))
    content_mean = _mean(scan.hits for scan in known.values())
    defined = _defined(query, known, len(paths))
    code = code_folders(paths)
    ranked = []
    for path, of_path in zip(paths, _of_paths(paths, query), strict=True):
        value, why = of_path
        kind = kind_of(path, code)
        scan = known.pop(path, None)  # a large tree is not to be there twice
        if scan:
            of_words = score(scan.hits, content_weights, content_mean)
            why = (*why, "words of the issue") if of_words else why
            value += of_words + SIZE * math.log(1 + scan.hits.length)
        if path in defined:
            share, symbols = defined[path]
            value += DEFINES_WEIGHT * share
            why = ("defines " + ", ".join(symbols[:4]), *why)
        value *= KIND_WEIGHTS[kind]
        if scan and scan.note == GENERATED:
            value *= GENERATED_WEIGHT
        if path in named:
            value += NAMED_WEIGHT * named[path].strength
            why = (named[path].why, *why)
        ranked.append(RankedFile(path, kind, value, why))
    return ranked


def _past(changes: Sequence[Change], query: Query) -> dict[str, tuple[float, list[str]]]:
    """path -> (what the commits that changed it say for it, why)."""
    said = what_was_said(changes, query.weights)
    rarities = _weighed(query, rarity(said.values(), frozenset(query.weights), len(said)))
    mean = _mean(said.values())
    found = {}
    for path, often in how_often(changes).items():
        of_words = score(said[path], rarities, mean)
        why = ["words of the issue in its history"] if of_words else []
        found[path] = (CHANGED_WEIGHT * math.log(1 + often) + SAID_WEIGHT * of_words, [*why, "changed lately"])
    return found


def _with_past(file: RankedFile, past: Mapping[str, tuple[float, list[str]]]) -> RankedFile:
    if file.path not in past:
        return file
    value, why = past[file.path]
    return file._replace(score=file.score + KIND_WEIGHTS[file.kind] * value, why=(*file.why, *why))


def _of_paths(paths: list[str], query: Query) -> Iterator[tuple[float, tuple[str, ...]]]:
    """(what its words, its name and the title's scope say for it, why) of each path."""
    wanted = query.scope.union(query.weights)
    names = [path_hits(path, wanted) for path in paths]
    rarities = _weighed(query, rarity(names, frozenset(query.weights), len(paths)))
    mean = _mean(names)
    for path, words in zip(paths, names, strict=True):
        value = PATH_WEIGHT * score(words, rarities, mean, PATH_B)
        why: tuple[str, ...] = ("words of the issue in its path",) if value else ()
        if in_scope := query.scope.intersection(words.counts):
            value += SCOPE_WEIGHT * math.fsum(rarities.get(term, 0.0) for term in in_scope) / len(query.scope)
            why = ("the title names its part", *why)
        likely = query.file_names.get(file_name(path[path.rfind("/") + 1 :].partition(".")[0]), 0.0)
        if likely:
            value += FILE_NAME_WEIGHT * likely
            why = ("has a name of the issue", *why)
        if spoken := speaks(path, query.tongues):
            value += NAMED_WEIGHT * spoken
            why = ("of a language that the issue names", *why)
        yield value, why


class _Scanned(NamedTuple):
    note: str
    hits: Hits
    defines: frozenset[int]


_NO_NAMES: frozenset[int] = frozenset()
"""Of most files: an empty set of each one's own would take 216 bytes."""


def _known(indexed: Indexed, wanted: frozenset[int], names: frozenset[int]) -> dict[str, _Scanned]:
    """By path, in path order. Of 100,000 files the store's own copies of the keys are 10 MB: none is kept."""
    scans: dict[str, _Scanned | None] = dict.fromkeys(indexed.keys.values())
    for key, stored in indexed.store.scan(scans):
        scans[key] = _Scanned(stored.note, hits(stored, wanted), _names(stored, names))
    return {path: scan for path, key in indexed.keys.items() if (scan := scans[key])}


def _names(scan: Scan, names: frozenset[int]) -> frozenset[int]:
    stored = array("I")
    stored.frombytes(scan.names)
    return names.intersection(stored) or _NO_NAMES


def _defined(query: Query, known: Mapping[str, _Scanned], files: int) -> dict[str, tuple[float, list[str]]]:
    """path -> (how much it says that the file defines them, the identifiers of the issue that it defines)."""
    by_number = {exact(name.encode()): name for name in sorted(query.words)}
    places = defaultdict(list)
    for path, scan in known.items():
        for number in scan.defines:
            places[number].append(path)
    found: dict[str, tuple[float, list[str]]] = {}
    for number in sorted(places, key=lambda number: by_number[number]):
        name, paths = by_number[number], places[number]
        if len(paths) > RARE:
            continue
        strength = (1.0 if name in query.identifiers else 0.3) * math.log(1 + files / len(paths)) / len(paths) ** 0.5
        for path in paths:
            share, symbols = found.get(path, (0.0, []))
            found[path] = (share + strength, [*symbols, name])
    return found


def _in_detail(indexed: Indexed, files: list[RankedFile], query: Query, named: Mapping[str, Named]) -> list[RankedFile]:
    """With the pieces of each file, and what they add to its score."""
    keys = {file.path: indexed.keys[file.path] for file in files if file.path in indexed.keys}
    details = indexed.details(keys)
    wanted = _weighed(query, _piece_rarity(indexed.store, keys, query, len(indexed.keys)))
    detailed = []
    for file in files:
        detail = details.get(file.path)
        if detail is None or not detail.pieces:
            detailed.append(file)
            continue
        scores = piece_scores(detail, wanted, PIECE_WORDS)
        lines = named[file.path].lines if file.path in named else frozenset[int]()
        bonuses = definition_bonuses(found := stored_definitions(detail.definitions), query, lines)
        definitions = tuple(zip(found, map(add, scores[1:], bonuses), strict=True))
        best = max(scores)
        value = file.score + PIECE_WEIGHT * KIND_WEIGHTS[file.kind] * best
        detailed.append(file._replace(score=value, definitions=definitions, is_slow=detail.is_slow))
    return detailed


def _piece_rarity(store: IndexStore, keys: Mapping[str, str], query: Query, files: int) -> dict[int, float]:
    wanted = frozenset(query.weights)
    scanned = (hits(scan, wanted) for _, scan in store.scan(dict.fromkeys(keys.values())))
    return rarity(scanned, wanted, files)


def _weighed(query: Query, rarities: Mapping[int, float]) -> dict[int, float]:
    return {term: query.weights[term] * value for term, value in rarities.items()}


def _mean(documents: Iterable[Hits]) -> float:
    lengths = [document.length for document in documents]
    return (sum(lengths) / len(lengths) if lengths else 0.0) or 1.0
