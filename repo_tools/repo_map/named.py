"""Files that an issue names outright: by a path, a line of a stack trace or a name of several parts."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from repo_tools.repo_map.definitions import Definition
from repo_tools.repo_map.imported import WHOLE_FOLDER
from repo_tools.repo_map.installed import OwnPackages, installed
from repo_tools.repo_map.query import Query, file_name, module_parts

FRAME, PATH, MODULE = 1.0, 0.8, 0.5
HOLDS_FRAME, HAS_NAME = 2_000.0, 1_000.0
AMBIGUOUS = 4
"""A name that fits more files than this names none."""

_JVM_ROOTS = frozenset({"", "src", "kotlin", "scala", "groovy", "clojure", "clj"})
"""Folders of sources in which Kotlin and its kin may leave out the folders of their package (kotlinlang.org, *Source
code organization*)."""

_OFTEN_WITHOUT_PACKAGE = (".kt", ".kts", ".scala", ".groovy")


class Named(NamedTuple):
    """`strength`: up to 1. `lines`: those of the file that the issue names, in a stack trace or a sentence."""

    strength: float
    why: str
    lines: frozenset[int] = frozenset()


def _nothing(_path: str) -> bytes:
    return b""


def named_files(paths: Iterable[str], query: Query, content: Callable[[str], bytes] = _nothing) -> dict[str, Named]:
    """By path. The innermost frame of each trace is the strongest. `content` gives a manifest, where a frame stands in
    an installed package: empty where it cannot be had."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        by_name[path.rsplit("/", 1)[-1]].append(path)
    found: dict[str, Named] = {}
    for path, named in _mentions(query, by_name, OwnPackages(by_name, content)):
        known = found.get(path, Named(0.0, ""))
        strongest = max(known, named, key=lambda each: each.strength)
        found[path] = Named(strongest.strength, strongest.why, known.lines | named.lines)
    return found


def _mentions(query: Query, by_name: dict[str, list[str]], own: OwnPackages) -> Iterator[tuple[str, Named]]:
    """(path, why it is meant), in the order of what counts first of equals."""
    modules = _Modules(query.modules, by_name)
    for module in query.modules:
        for path in modules.files_of(module):
            yield path, Named(MODULE, f"the issue names {module}")
    for name, line in query.places:
        for path in _ending_with(name, by_name, own):
            yield path, Named(PATH, f"line {line} is named in the issue", frozenset({line}))
    for name in query.paths:
        for path in _ending_with(name, by_name, own):
            yield path, Named(PATH, "named in the issue")
    for trace in query.traces:
        for depth, (name, line) in enumerate(trace):
            for path in _ending_with(name, by_name, own):
                strength = FRAME * 0.9 ** min(depth, 8)
                yield path, Named(strength, f"in the stack trace, line {line}", frozenset({line}))


def definition_bonuses(found: Sequence[Definition], query: Query, lines: frozenset[int]) -> list[float]:
    """For each definition of a file, more than any words give: `HOLDS_FRAME` for the innermost one around each of
    `lines`, and `HAS_NAME` if the issue names it."""
    names = query.identifiers | {module_parts(module)[-1] for module in query.modules if "/" not in module}
    around = {line: [d for d in found if d.line <= line <= d.end_line] for line in lines}
    innermost = {max(holding, key=lambda d: d.line).line for holding in around.values() if holding}
    return [HOLDS_FRAME * (d.line in innermost) + HAS_NAME * (d.name.rpartition("::")[2] in names) for d in found]


def _ending_with(name: str, by_name: Mapping[str, Sequence[str]], own: OwnPackages) -> list[str]:
    """Files whose paths end with `name`, or that `name`, a path on somebody's machine, ends with."""
    same = by_name.get(name.rsplit("/", 1)[-1], [])
    ends = [path for path in same if f"/{path}".endswith(f"/{name.lstrip('/')}")]
    if not ends and (place := installed(name)):
        ends = [path for path in same if own.has(path, place)]
    elif not ends and "/" in name:
        theirs = name.split("/")
        shared = {path: _shared_end(path.split("/"), theirs) for path in same}
        longest = max(shared.values(), default=0)
        longest_ends = [path for path, count in shared.items() if count == longest]
        ends = [path for path in longest_ends if longest > 1 or _is_at_the_top(path, name)]
    return ends if len(ends) <= AMBIGUOUS else []


def _is_at_the_top(path: str, name: str) -> bool:
    """Of the repository, where it lies on somebody's machine does not tell how its folder is called here; of sources, a
    package has none."""
    if name.startswith("/") or name[1:3] == ":/":
        return "/" not in path
    return path.endswith(_OFTEN_WITHOUT_PACKAGE) and path.rpartition("/")[0].rpartition("/")[2] in _JVM_ROOTS


def _shared_end(mine: Sequence[str], theirs: Sequence[str]) -> int:
    count = 0
    for one, other in zip(reversed(mine), reversed(theirs), strict=False):
        if one != other:
            break
        count += 1
    return count


class _Modules:
    """Files by the parts of their paths, as names in code have them: case and ``_`` do not count, so that
    ``Shop::FirstBasket`` is ``shop/first_basket.rb``."""

    def __init__(self, modules: Iterable[str], by_name: Mapping[str, Sequence[str]]) -> None:
        self._wanted = {file_name(part) for module in modules for part in module_parts(module)}
        self._by_last: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
        for name in by_name if self._wanted else ():
            stem = name.partition(".")[0]
            if stem in WHOLE_FOLDER:
                self._add(by_name[name], len(name) + 1)
            elif file_name(stem) in self._wanted:
                self._add(by_name[name], len(name) - len(stem))

    def _add(self, paths: Iterable[str], end: int) -> None:
        """Those that are asked for, by all but their last `end` characters."""
        for path in paths:
            module = path[: max(len(path) - end, 0)]
            if file_name(module[module.rfind("/") + 1 :]) not in self._wanted:
                continue
            parts = [file_name(part) for part in module.split("/")]
            if len(parts) > 1:
                self._by_last[parts[-1]].append((path, parts))
            if "src" in parts[:-1]:  # stands in no name: ``shop::cart`` is ``shop/src/cart.rs``
                self._by_last[parts[-1]].append((path, [part for part in parts if part != "src"]))

    def files_of(self, module: str) -> list[str]:
        """Those of the longest beginning that is a file's: at least it and its folder. What stands before them need not
        be folders (``Vendor\\Shop\\Basket`` in ``src/Shop/Basket.php``)."""
        parts = [file_name(part) for part in module_parts(module)]
        for length in range(len(parts), 1, -1):
            files = self._by_last.get(parts[length - 1], ())
            shared: dict[str, int] = {}
            for path, own in files:
                shared[path] = max(_shared_end(own, parts[:length]), shared.get(path, 0))
            longest = max(shared.values(), default=0)
            found = [path for path, count in shared.items() if count == longest > 1]
            if 0 < len(found) <= AMBIGUOUS:
                return found
        return []
