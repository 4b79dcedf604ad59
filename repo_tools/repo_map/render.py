"""The map as text, within a hard budget of tokens."""

from collections import Counter
from collections.abc import Iterable, Sequence

from repo_tools.repo_map.definitions import Definition
from repo_tools.repo_map.localise import RankedFile
from repo_tools.repo_map.plainly import plain_path
from repo_tools.repo_map.tokens import bound_tokens

LAND_SHARE = 0.1
PATHS_SHARE = 0.4
"""Of what the top-level tree leaves: the right file is worth more than one more signature of a wrong one."""

MAX_PATHS = 60
MAX_SIGNATURES = 25
SIGNATURE_TOKENS = 12
"""Of a short one."""

ROOM_TOKENS = 5 * SIGNATURE_TOKENS
"""With less room left, the next file's signatures would be chosen by their length rather than by what they say."""

SHOWN_FILES = 12


def render(ranked: Sequence[RankedFile], paths: Iterable[str], tokens: int, notes: Sequence[str] = ()) -> str:
    """Ranked files with the signatures that matter and their lines, further files by their paths, then the top-level
    tree. Never more than `tokens` by `bound_tokens`."""
    land = _land(paths, int(tokens * LAND_SHARE), notes)
    left = tokens - bound_tokens(land)
    listed = _that_fit(ranked, int(left * PATHS_SHARE))
    left -= sum(bound_tokens(_path_line(file)) for file in listed) + bound_tokens(_FURTHER)
    blocks: list[str] = []
    further: list[str] = []
    for file in listed:
        worth = not blocks or (len(blocks) < SHOWN_FILES and left > ROOM_TOKENS)
        lines = _signatures(file, min(max(left // 3, 8 * SIGNATURE_TOKENS), left)) if worth else []
        if not lines:
            further.append(_path_line(file))
            continue
        block = "".join([*lines, "\n"])
        left -= bound_tokens(block)
        blocks.append(_path_line(file) + block)
    text = "".join([*blocks, *([_FURTHER, *further] if further else []), land])
    return text if bound_tokens(text) <= tokens else ""


_FURTHER = "further files, by relevance:\n"


def _path_line(file: RankedFile) -> str:
    return f"{plain_path(file.path)}\n"


def _that_fit(ranked: Sequence[RankedFile], share: int) -> list[RankedFile]:
    """The first files whose paths fit together. Only a path that is longer than the whole share is passed over: short
    ones from further down would say nothing."""
    kept: list[RankedFile] = []
    left = share
    for file in ranked[: 4 * MAX_PATHS]:
        cost = bound_tokens(_path_line(file))
        if cost > share:
            continue
        if cost > left or len(kept) == MAX_PATHS:
            break
        kept.append(file)
        left -= cost
    return kept


def _signatures(file: RankedFile, budget: int) -> list[str]:
    """The definitions that matter most and fit, in file order."""
    by_relevance = sorted(file.definitions, key=lambda pair: (-pair[1], pair[0].line))
    kept: dict[str, Definition] = {}
    for definition, _ in by_relevance[:MAX_SIGNATURES]:
        if budget < SIGNATURE_TOKENS:
            break
        line = _signature_line(definition)
        cost = bound_tokens(line)
        if line not in kept and cost <= budget - 1:  # one line may define several names
            kept[line] = definition
            budget -= cost
    return sorted(kept, key=kept.__getitem__)


def _signature_line(definition: Definition) -> str:
    return f"{definition.line:>5}  {definition.signature.rstrip()}\n"


def _land(paths: Iterable[str], budget: int, notes: Sequence[str]) -> str:
    """Notes, then the top level: folders with their files' number, then files, what is hidden last."""
    counts = Counter(path.split("/", 1)[0] + ("/" if "/" in path else "") for path in paths)
    names = sorted(counts, key=lambda name: (name.startswith("."), not name.endswith("/"), name))
    entries = [f"  {plain_path(name)}{f' ({counts[name]})' if name.endswith('/') else ''}\n" for name in names]
    kept: list[str] = []
    for note in map(note_line, notes):
        if (cost := bound_tokens(note)) <= budget:
            budget -= cost
            kept.append(note)
    for line in ("top level:\n", *entries):
        budget -= bound_tokens(line)
        if budget < 0:
            break
        kept.append(line)
    return "".join(kept)


def note_line(note: str) -> str:
    """As a map shows it, where it fits."""
    return f"({note})\n"
