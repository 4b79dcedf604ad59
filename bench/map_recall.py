"""How often the map has the file that was changed: ours, plain BM25 and aider, over real bug fixes."""

import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bench.map_bm25 import plain_bm25
from bench.map_sets import Fix
from bench.table import PeerMissingError, Row, missing
from repo_tools.git_checkout import GitCheckout
from repo_tools.repo_map.history import Change, recent_changes
from repo_tools.repo_map.render import render
from repo_tools.repo_map.repository_map import RepositoryMap
from repo_tools.repo_map.store import IndexStore
from repo_tools.server_history import YEAR_SECONDS

FIRST = {1: 60, 5: 88, 10: 93}
"""Among so many files the right one must be, in so many per cent of the fixes."""

MAPS = {1000: 80, 4000: 92}
"""The same of maps of so many tokens."""

LEAD = 3
"""Points above plain BM25 at five."""

INDEXES = Path(__file__).parents[1] / ".cache" / "map-indexes"
"""Kept between runs: what is measured here is not time."""

AIDER_SECONDS = 600.0
_PROGRAM = Path(__file__).with_name("map_aider.py")


@dataclass
class Ours:
    """Over some fixes: the places of the first right file, from 0, and how many maps have it, by their tokens."""

    places: list[int] = field(default_factory=list)
    maps: dict[int, int] = field(default_factory=lambda: dict.fromkeys(MAPS, 0))

    def add(self, other: "Ours") -> None:
        self.places += other.places
        for tokens in MAPS:
            self.maps[tokens] += other.maps[tokens]


@dataclass
class Found:
    """Ours with the history that a clone has, with the part of it that a run in service is told (`year`), and with none
    (`alone`); and the same of the peers."""

    ours: Ours = field(default_factory=Ours)
    year: Ours = field(default_factory=Ours)
    alone: Ours = field(default_factory=Ours)
    plain: list[int] = field(default_factory=list)
    aider: dict[int, int] = field(default_factory=lambda: dict.fromkeys(MAPS, 0))
    aider_fixes: int = 0

    def add(self, other: "Found") -> None:
        self.ours.add(other.ours)
        self.year.add(other.year)
        self.alone.add(other.alone)
        self.plain += other.plain
        self.aider_fixes += other.aider_fixes
        for tokens in MAPS:
            self.aider[tokens] += other.aider[tokens]


def recall(
    fixes: Iterable[Fix], aider_python: str | None = None, aider_fixes: int = 0, *, indexes: Path = INDEXES
) -> list[Row]:
    """Rows of what is found, for all fixes together and for each repository. aider is asked for the first
    `aider_fixes` of each repository, and not at all without its Python."""
    by_repository: dict[Path, list[Fix]] = defaultdict(list)
    for fix in fixes:
        by_repository[fix.repository].append(fix)
    total, rows = Found(), []
    with ThreadPoolExecutor(1) as beside:
        asked = {where: some[:aider_fixes] if aider_python else [] for where, some in by_repository.items()}
        theirs = [beside.submit(_ask_aider, some, aider_python or "") for some in asked.values()]
        for some in by_repository.values():
            found = _search(some, indexes)
            total.add(found)
            rows += _of_repository(some[0].name, found)
            print(f"{some[0].name}: {found}", file=sys.stderr, flush=True)
        for answer in theirs:
            total.add(answer.result())
    return [*_rows(total), *rows] if total.plain else []


def _search(fixes: Sequence[Fix], indexes: Path) -> Found:
    found = Found()
    with IndexStore(indexes / f"{fixes[0].name}.db") as store:
        for fix in fixes:
            with closing(GitCheckout(fix.repository, fix.commit)) as checkout:
                changes = recent_changes(fix.repository, fix.commit)
                year = changes[: _commits_of_a_year(fix, checkout)]
                for told, kept in ((changes, found.ours), (year, found.year), ((), found.alone)):
                    ours = _map(store, checkout, told)
                    _rank(ours, fix, kept)
                found.plain.append(_place(plain_bm25(ours, fix.text), fix))
    return found


def _map(store: IndexStore, checkout: GitCheckout, told: Sequence[Change]) -> RepositoryMap:
    """As the product makes it: a partial clone lacks large files."""
    return RepositoryMap(store, checkout.tree, checkout.read, changes=told, read_many=checkout.read_many)


def _rank(ours: RepositoryMap, fix: Fix, kept: Ours) -> None:
    ranked = ours.rank(fix.text)
    for tokens in MAPS:
        kept.maps[tokens] += _names(render(ranked, ours.tree, tokens, ours.notes(ranked)), fix)
    kept.places.append(_place([file.path for file in ranked], fix))


def _commits_of_a_year(fix: Fix, checkout: GitCheckout) -> int:
    since = (checkout.committed_seconds or 0) - YEAR_SECONDS
    count = ("rev-list", "--count", "--no-merges", f"--since=@{since}", fix.commit)
    command = ["git", "-C", str(fix.repository), *count]
    return int(subprocess.run(command, capture_output=True, check=True).stdout)


def _ask_aider(fixes: Sequence[Fix], python: str) -> Found:
    """One work tree for all fixes, so that its cache serves from the first one on."""
    found = Found()
    if not fixes:
        return found
    with tempfile.TemporaryDirectory() as folder:
        clone, issue = Path(folder, "clone"), Path(folder, "issue.md")
        _git("clone", "-q", "--shared", "--no-checkout", str(fixes[0].repository), str(clone))
        for fix in fixes:
            _git("-C", str(clone), "checkout", "-q", "--force", "--detach", fix.commit)
            issue.write_text(fix.text, encoding="utf-8")
            command = [python, "-P", str(_PROGRAM), str(issue), *map(str, MAPS)]
            done = subprocess.run(command, cwd=clone, capture_output=True, timeout=AIDER_SECONDS, check=True)
            found.aider_fixes += 1
            for tokens, text in zip(MAPS, done.stdout.decode("utf-8", "replace").split("\0"), strict=False):
                found.aider[tokens] += _names(text, fix)
    return found


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True)


def _place(paths: Sequence[str], fix: Fix) -> int:
    places = {path: place for place, path in enumerate(paths)}
    return min((places.get(path, len(paths)) for path in fix.gold), default=len(paths))


def _names(shown: str, fix: Fix) -> bool:
    """Whether a map has a line for one of the right files; aider puts a colon behind a path."""
    lines = {line.strip().removesuffix(":") for line in shown.split("\n")}
    return not lines.isdisjoint(fix.gold)


def _rows(found: Found) -> list[Row]:
    """What is missed, in per cent, so that smaller is better, as everywhere on the page."""
    what = f"% of {len(found.plain)} fixes whose file is missing"
    ours = {"": found.ours, "with the year that a run in service has": found.year, "without history": found.alone}
    rows = []
    for first, least in FIRST.items():
        for which, kept in ours.items():
            name = f"the same, {which} (first {first})" if which else f"{what} among the first {first}"
            rows.append(Row(name, _missed(kept.places, first), None, None, 100 - least, "%"))
        plain = _missed(found.plain, first)
        rows.append(Row(f"the same, of plain BM25 (first {first})", plain, None, None, None, "%"))
    lead = _missed(found.ours.places, 5) - _missed(found.plain, 5)
    rows.append(Row("points beside plain BM25 at five (less: better)", lead, None, None, -LEAD, "points"))
    for tokens, least in MAPS.items():
        for which, kept in ours.items():
            name = f"the same, {which} ({tokens} tokens)" if which else f"{what} in a map of {tokens} tokens"
            missed = 100 - 100 * kept.maps[tokens] / len(kept.places)
            rows.append(Row(name, missed, None, None, 100 - least, "%"))
        rows.append(_aider_row(found, tokens))
    return rows


def _aider_row(found: Found, tokens: int) -> Row:
    if not found.aider_fixes:
        return missing(f"the same, of aider ({tokens} tokens)", 0, "%", PeerMissingError("it was not asked"))
    share = 100 - 100 * found.aider[tokens] / found.aider_fixes
    return Row(f"the same, of aider ({tokens} tokens, {found.aider_fixes} of the fixes)", share, None, None, None, "%")


def _of_repository(name: str, found: Found) -> list[Row]:
    what = f"{name}: % of {len(found.plain)} fixes missing among the first five, beside plain BM25"
    ours, plain = _missed(found.ours.places, 5), _missed(found.plain, 5)
    return [Row(what, ours, plain, None, None, "%")]


def _missed(places: Sequence[int], first: int) -> float:
    return 100 * sum(place >= first for place in places) / len(places)
