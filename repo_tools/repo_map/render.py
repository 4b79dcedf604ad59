"""The map as text, within a hard budget of tokens."""

from collections import Counter
from collections.abc import Callable, Sequence

from repo_tools.changes import Tree
from repo_tools.repo_map.index import read_index, terms_of
from repo_tools.repo_map.rank import RankedFile, rank

BYTES_A_TOKEN = 3
"""Source text has three to four bytes a token with current tokenizers; three keeps the estimate on the safe side."""

LAY_OF_THE_LAND_SHARE = 0.15
MAX_SIGNATURES = 25


def estimate_tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)


def rank_tree(tree: Tree, read: Callable[[str], bytes], issue: str) -> tuple[RankedFile, ...]:
    """The files of a tree, those that the issue is most likely about first."""
    return rank(read_index(tree, read), issue)


def build_map(tree: Tree, read: Callable[[str], bytes], *, issue: str, tokens: int) -> str:
    """The map for one issue (or, with an empty one, of the repository), never over `tokens`. The same commit and
    issue give the same text in every process."""
    return render(rank_tree(tree, read, issue), tree, issue, tokens)


def render(ranked: Sequence[RankedFile], tree: Tree, issue: str, tokens: int) -> str:
    """Ranked files with the signatures that matter, then the top-level tree."""
    land = _lay_of_the_land(tree, int(tokens * LAY_OF_THE_LAND_SHARE))
    budget = tokens - estimate_tokens(land)
    query = terms_of(issue)
    parts: list[str] = []
    for entry in ranked:
        part = _fit(_file_lines(entry, query), budget)
        if not part:
            break
        parts.append(part)
        budget -= estimate_tokens(part)
    return "".join(parts) + land


def _file_lines(entry: RankedFile, query: Counter[str]) -> list[str]:
    """The file's path, then its signatures in file order; of many, those that share words with the issue."""
    definitions = entry.file.definitions
    if len(definitions) > MAX_SIGNATURES:
        by_relevance = sorted(definitions, key=lambda d: (-(terms_of(d.signature) & query).total(), d.line))
        definitions = tuple(sorted(by_relevance[:MAX_SIGNATURES]))
    return [f"{entry.file.path}\n", *(f"{d.line:>5}  {d.signature}\n" for d in definitions), "\n"]


def _fit(lines: list[str], budget: int) -> str:
    """As many of `lines` as fit; nothing where not even the first one does."""
    kept = ""
    for line in lines:
        if estimate_tokens(kept + line) > budget:
            break
        kept += line
    return kept


def _lay_of_the_land(tree: Tree, budget: int) -> str:
    counts = Counter(path.split("/", 1)[0] + ("/" if "/" in path else "") for path in tree)
    lines = [f"  {name}  ({n} files)\n" if name.endswith("/") else f"  {name}\n" for name, n in sorted(counts.items())]
    return _fit(["top level:\n", *lines], budget)
