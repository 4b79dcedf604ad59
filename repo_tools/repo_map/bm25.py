"""BM25 over the files of a tree, over their paths and over the pieces of a file.

After Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
"""

import math
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from itertools import accumulate, compress
from types import MappingProxyType
from typing import NamedTuple

from repo_tools.repo_map.facts import Detail, stored_pieces
from repo_tools.repo_map.store import Scan
from repo_tools.repo_map.words import WORD, terms

K1 = 1.2
B = 0.5
"""A length says less against a file than the textbook's 0.75: long files are changed more often."""
PATH_B = 0.75

MAX_COUNT = 255

_NONE: Mapping[int, int] = MappingProxyType({})
"""What most files of a large tree have of a query."""


class Hits(NamedTuple):
    """How often each term of a query stands in one file of `length` words."""

    length: int
    counts: Mapping[int, int]


def hits(scan: Scan, wanted: frozenset[int]) -> Hits:
    stored = array("I")
    stored.frombytes(scan.terms)
    found: dict[int, int] = {}
    for at in compress(range(len(stored)), map(wanted.__contains__, stored)):
        term = stored[at]
        found[term] = min(found.get(term, 0) + scan.counts[at], MAX_COUNT)
    return Hits(scan.length, found or _NONE)


def path_hits(path: str, wanted: frozenset[int]) -> Hits:
    """The last name counts once more than the folders above it."""
    encoded = path.encode("utf-8", "replace")
    words = WORD.findall(encoded) + WORD.findall(encoded, encoded.rfind(b"/") + 1)
    found = [term for word in words for term in terms[word] if term in wanted]
    return Hits(len(words), {term: found.count(term) for term in found} or _NONE)


def rarity(documents: Iterable[Hits], wanted: frozenset[int], files: int) -> dict[int, float]:
    """Inverse document frequency of each wanted term."""
    containing = Counter(term for document in documents for term in document.counts if term in wanted)
    return {term: math.log(1 + (files - n + 0.5) / (n + 0.5)) for term, n in containing.items()}


def score(document: Hits, weights: Mapping[int, float], mean_length: float, b: float = B) -> float:
    """`weights` are those of the query times rarity. Summed in one order: the same in every process."""
    if not document.counts:
        return 0.0
    norm = K1 * (1 - b + b * document.length / mean_length)
    counts = document.counts
    return math.fsum(
        weights[term] * count * (K1 + 1) / (count + norm) for term, count in counts.items() if term in weights
    )


def piece_scores(detail: Detail, weights: Mapping[int, float], mean_length: float) -> list[float]:
    """The score of each piece of a file."""
    return [score(piece, weights, mean_length) for piece in piece_hits(detail, weights)]


def piece_hits(detail: Detail, wanted: Container[int]) -> list[Hits]:
    """Of each piece of a file: what stands before its first definition, then each definition."""
    words, sizes, stored = stored_pieces(detail.pieces)
    ends = [*accumulate(sizes)]
    found: list[dict[int, int]] = [{} for _ in ends]
    for at in compress(range(len(stored)), map(wanted.__contains__, stored)):
        counts, term = found[bisect_right(ends, at)], stored[at]
        counts[term] = counts.get(term, 0) + 1
    return list(map(Hits, words, found))
