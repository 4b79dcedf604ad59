"""Files that an issue names outright: by a path, a line of a stack trace or a dotted module name."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from repo_tools.repo_map.definitions import Definition
from repo_tools.repo_map.query import Query

FRAME, PATH, MODULE = 1.0, 0.8, 0.5
HOLDS_FRAME, HAS_NAME = 2_000.0, 1_000.0
AMBIGUOUS = 4
"""A name that fits more files than this names none."""


@dataclass(frozen=True)
class Named:
    """`strength`: up to 1. `lines`: those of the file that stack traces name."""

    strength: float
    why: str
    lines: frozenset[int] = frozenset()


def named_files(paths: Iterable[str], query: Query) -> dict[str, Named]:
    """By path. The innermost frame of each trace is the strongest."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        by_name[path.rsplit("/", 1)[-1]].append(path)
    found: dict[str, Named] = {}

    def add(path: str, strength: float, why: str, lines: frozenset[int] = frozenset()) -> None:
        known = found.get(path, Named(0.0, ""))
        strongest = max(known, Named(strength, why), key=lambda named: named.strength)
        found[path] = Named(strongest.strength, strongest.why, known.lines | lines)

    for module in query.modules:
        for path in _of_module(module, by_name):
            add(path, MODULE, f"the issue names {module}")
    for name in query.paths:
        for path in _ending_with(name, by_name):
            add(path, PATH, "named in the issue")
    for trace in query.traces:
        for depth, (name, line) in enumerate(trace):
            for path in _ending_with(name, by_name):
                add(path, FRAME * 0.9 ** min(depth, 8), f"in the stack trace, line {line}", frozenset({line}))
    return found


def definition_bonuses(found: Sequence[Definition], query: Query, lines: frozenset[int]) -> list[float]:
    """For each definition of a file, more than any words give: `HOLDS_FRAME` for the innermost one around each of
    `lines`, and `HAS_NAME` if the issue names it."""
    names = query.identifiers | {module.rpartition(".")[2] for module in query.modules}
    around = {line: [d for d in found if d.line <= line <= d.end_line] for line in lines}
    innermost = {max(holding, key=lambda d: d.line).line for holding in around.values() if holding}
    return [HOLDS_FRAME * (d.line in innermost) + HAS_NAME * (d.name.rpartition("::")[2] in names) for d in found]


def _ending_with(name: str, by_name: dict[str, list[str]]) -> list[str]:
    """Files whose paths end with `name`, or that `name`, a path on somebody's machine, ends with."""
    same = by_name.get(name.rsplit("/", 1)[-1], [])
    ends = [path for path in same if f"/{path}".endswith(f"/{name.lstrip('/')}")]
    if not ends and "/" in name:
        longest = max((_shared_end(path, name) for path in same), default=0)
        ends = [path for path in same if longest > 1 and _shared_end(path, name) == longest]
    return ends if len(ends) <= AMBIGUOUS else []


def _shared_end(path: str, name: str) -> int:
    count = 0
    for mine, theirs in zip(reversed(path.split("/")), reversed(name.split("/")), strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _of_module(module: str, by_name: dict[str, list[str]]) -> list[str]:
    """The file of the longest beginning of a dotted name that is one (``package.module.Class.method``)."""
    parts = module.split(".")
    for length in range(len(parts), 1, -1):
        wanted = "/".join(parts[:length])
        names = (f"{wanted}.py", f"{wanted}/__init__.py", f"{wanted}.java", f"{wanted}.rs", f"{wanted}.js")
        for name in names:
            if found := _ending_with(name, by_name):
                return found
    return []
