"""The baseline that the map has to beat: BM25 as the textbook has it, over content, paths and functions.

k1 = 1.2 and b = 0.75 for all three; a file's score is that of its content, its path and its best function together.
The tokens are the map's own. Nothing is known of the issue's parts, of names, or of what stands near a file.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from repo_tools.repo_map.bm25 import Hits, piece_hits
from repo_tools.repo_map.kinds import Kind, code_folders, kind_of
from repo_tools.repo_map.repository_map import RepositoryMap
from repo_tools.repo_map.words import WORD, terms

K1 = 1.2
B = 0.75

Document = tuple[str, Hits]
"""The file that it stands for, and how often each term of the query stands in it."""


def plain_bm25(found: RepositoryMap, text: str) -> list[str]:
    """Every source file of the tree, best first, ties by path. Tests and documents are left out, which helps it."""
    query = Counter(term for word in WORD.findall(text.encode()) for term in terms[word])
    code = code_folders(found.indexed.keys)
    sources = [path for path in found.indexed.keys if kind_of(path, code) is Kind.SOURCE]
    pieces = {path: piece_hits(detail, query) for path, detail in found.indexed.details(sources).items()}
    scores = [
        _best(query, [(path, _together(parts)) for path, parts in pieces.items()]),
        _best(query, [(path, _path_hits(path, query)) for path in sources]),
        _best(query, [(path, part) for path, parts in pieces.items() for part in parts]),
    ]
    totals = {path: math.fsum(by_path.get(path, 0.0) for by_path in scores) for path in sources}
    return sorted(totals, key=lambda path: (-totals[path], path))


def _best(query: Mapping[int, int], documents: Sequence[Document]) -> dict[str, float]:
    """path -> the best score of its documents."""
    containing = Counter(term for _, document in documents for term in document.counts)
    weights = {
        term: query[term] * math.log(1 + (len(documents) - n + 0.5) / (n + 0.5)) for term, n in containing.items()
    }
    mean = sum(document.length for _, document in documents) / max(len(documents), 1) or 1.0
    best: dict[str, float] = {}
    for path, document in documents:
        norm = K1 * (1 - B + B * document.length / mean)
        value = math.fsum(weights[term] * n * (K1 + 1) / (n + norm) for term, n in document.counts.items())
        best[path] = max(value, best.get(path, 0.0))
    return best


def _together(parts: Sequence[Hits]) -> Hits:
    counts: Counter[int] = Counter()
    for part in parts:
        counts.update(part.counts)
    return Hits(sum(part.length for part in parts), counts)


def _path_hits(path: str, wanted: Mapping[int, int]) -> Hits:
    words = WORD.findall(path.encode("utf-8", "replace"))
    return Hits(len(words), Counter(term for word in words for term in terms[word] if term in wanted))
