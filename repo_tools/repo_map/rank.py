"""Which files an issue is about: BM25, with what the issue names outright in front. Pure and deterministic.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), k1 = 1.2, b = 0.75.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from repo_tools.repo_map.index import SourceFile, terms_of

K1 = 1.2
B = 0.75
TEST_FACTOR = 0.6  # the file to change is rarely a test, and tests repeat the issue's words
DOCUMENT_FACTOR = 0.5  # prose and data rank behind sources
NAMED_PATH = 30.0
NAMED_DEFINITION = 4.0
_PATH = re.compile(r"[\w./-]+\.\w{1,4}\b")


@dataclass(frozen=True)
class RankedFile:
    """`why` says in a few words what put the file here."""

    file: SourceFile
    score: float
    why: str


def rank(files: Sequence[SourceFile], issue: str) -> tuple[RankedFile, ...]:
    """All files, most relevant first; ties by path."""
    query = terms_of(issue)
    scores = _bm25(files, query)
    named_paths = {match.lstrip("./") for match in _PATH.findall(issue)}
    ranked = [_score(file, score, query, named_paths) for file, score in zip(files, scores, strict=True)]
    return tuple(sorted(ranked, key=lambda r: (-r.score, r.file.path)))


def _score(file: SourceFile, bm25: float, query: Counter[str], named_paths: set[str]) -> RankedFile:
    score = bm25 * (TEST_FACTOR if file.is_test else 1.0)
    if not file.definitions and not file.is_test:
        score *= DOCUMENT_FACTOR
    names = sorted({d.name for d in file.definitions if len(d.name) > 3 and d.name.lower() in query})
    score += NAMED_DEFINITION * len(names) * (TEST_FACTOR if file.is_test else 1.0)
    if any(file.path.endswith(path) for path in named_paths):
        return RankedFile(file, score + NAMED_PATH, "named in the issue")
    if names:
        return RankedFile(file, score, "defines " + ", ".join(names[:3]))
    return RankedFile(file, score, "words of the issue" if bm25 else "")


def _bm25(files: Sequence[SourceFile], query: Counter[str]) -> list[float]:
    lengths = [sum(file.terms.values()) for file in files]
    mean = (sum(lengths) / len(lengths) if lengths else 0) or 1.0
    containing = Counter(term for file in files for term in query if term in file.terms)
    weights = {t: math.log(1 + (len(files) - n + 0.5) / (n + 0.5)) for t, n in containing.items()}
    scores = []
    for file, length in zip(files, lengths, strict=True):
        norm = K1 * (1 - B + B * length / mean)
        hits = ((weights[t], file.terms[t]) for t in weights if t in file.terms)
        scores.append(sum(w * f * (K1 + 1) / (f + norm) for w, f in hits))
    return scores
