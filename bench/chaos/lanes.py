"""What is done side by side: lanes of parts, one after the other, each lane on sites of its own."""

import random
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.chaos import parts
from bench.chaos.brokers import Empty, empty_embedded
from bench.chaos.disks import fill, small_disk
from bench.chaos.endurance import Plan
from bench.chaos.labels import many_labels
from bench.chaos.lost_answers import lost_answers
from bench.chaos.page import sentences
from bench.chaos.parts import Result
from bench.chaos.places import open_beside
from bench.chaos.receiver import WAYS, receiver_down
from bench.chaos.world import Site, World, open_site, open_world
from tests.support.commit_relay import CommitRelay, Lost
from tests.support.processes import eventually

WORKERS = 4
PAUSED_AT_ONCE = 4
SELDOM = {"AGENT_FIX_PATROL_SECONDS": "600"}
"""Where only processes die: the patrol is a program that starts anew each time, and has nothing to find."""
LOST_AT_ONCE = 6
LOCKED_SECONDS = 7.0
"""Longer than a write waits for SQLite's lock."""
SQLITE = "SQLite, embedded broker"
KEPT_LOGS = Path(__file__).parents[2] / ".cache" / "chaos"


@dataclass(frozen=True)
class Size:
    """How much of each part, on each of the two databases: together they are what is promised."""

    issues: int = 50
    kills: int = 250
    in_flight: int = 25
    stops: int = 25
    pauses: int = 50
    brokers: int = 25
    database: int = 25
    missed: int = 10
    writes: int = 50
    answers: int = 100
    events: int = 1_000
    forged: int = 10_000
    seconds: float = 0.0  # of harm in all parts of a lane together

    def scaled(self, part: float) -> "Size":
        counts = ((name, value) for name, value in vars(self).items() if isinstance(value, int))
        return Size(**{name: max(1, round(value * part)) for name, value in counts})

    def plan(
        self, share: float, faults: int, every_seconds: float, *, issues: int = 1, at_once: int = 1, open_runs: int = 3
    ) -> Plan:
        """Until the numbers are reached, but no longer than `share` of the time."""
        return Plan(max(1, issues), max(1, faults), every_seconds, at_once, open_runs, share * self.seconds)


@dataclass(frozen=True)
class Task:
    """What a lane gets to know."""

    size: Size
    seed: int
    layers: Path


def run_lane(name: str, task: Task) -> list[Result]:
    """All parts of one of `LANES`, each said as it ends."""
    return list(said(LANES[name](task)))


def _answers(task: Task) -> Iterator[Result]:
    yield from lost_answers(task.size.answers)


def _sqlite_kills(task: Task) -> Iterator[Result]:
    with open_world(task.layers) as world, open_site(world, WORKERS, SELDOM) as site:
        yield from _kills(site, SQLITE, task)


def _sqlite(task: Task) -> Iterator[Result]:
    size, seed = task.size, task.seed
    with open_world(task.layers) as world:
        with open_site(world, WORKERS + 1) as site:
            yield from _waits(site, SQLITE, task, empty_embedded)
            lock = partial(_lock, site.data_dir / "agent-fix.db")
            yield parts.harmed(site, SQLITE, seed, _few(size), "SQLite locked for 7 s", lock)
            yield parts.answers(site, SQLITE, seed, _lost(size))
        with small_disk() as disk:
            yield from _on_small_disk(world, task, disk)
        with open_site(world, 0) as site:
            yield from many_labels(site, SQLITE, seed, events=size.events, forged=size.forged)
    for way in WAYS:
        with open_world(task.layers) as world, open_site(world, WORKERS, way.settings) as site:
            yield receiver_down(site, SQLITE, way, size.missed)


def _on_small_disk(world: World, task: Task, disk: Path | None) -> Iterator[Result]:
    what = "database's disk full for 8 s"
    if disk is None:
        yield Result(what, SQLITE, 0, 0, [], lacks=["NOT RUN: only root may mount a small disk"])
        return
    with open_site(world, WORKERS, {"AGENT_FIX_DATABASE_URL": f"sqlite:///{disk / 'agent-fix.db'}"}) as site:
        yield parts.harmed(site, SQLITE, task.seed, _few(task.size), what, partial(fill, disk))


def _few(size: Size) -> Plan:
    return size.plan(0.1, size.database // 5, 6.0, issues=size.issues // 5)


def _lost(size: Size) -> Plan:
    """With more runs than workers: each that lost an answer waits for a while, and holds none."""
    issues, open_runs = size.issues // 5, 2 * LOST_AT_ONCE
    return size.plan(0.1, size.writes, 2.0, issues=issues, at_once=LOST_AT_ONCE, open_runs=open_runs)


def _postgresql_kills(task: Task) -> Iterator[Result]:
    with open_beside(task.layers) as beside, beside.site(WORKERS, SELDOM) as (site, _):
        yield from _kills(site, beside.place, task)


def _postgresql(task: Task) -> Iterator[Result]:
    size, seed = task.size, task.seed
    with open_beside(task.layers) as beside:
        place = beside.place
        plan = size.plan(0.1, size.database, 2.0, issues=size.issues // 5)
        with beside.site(WORKERS + 1) as (site, name):
            yield from _waits(site, place, task, beside.broker.empty)
            cut = partial(beside.server.disconnect_all, name)
            yield parts.harmed(site, place, seed, plan, "database connections cut", cut)
            yield parts.answers(site, place, seed, _lost(size))
        with beside.site_through_relay(WORKERS) as (site, relay):
            lose = partial(_lose_commit, relay, random.Random(seed))
            yield parts.harmed(site, place, seed, plan, "a COMMIT lost, or its answer", lose)
        with beside.site(0) as (site, _):
            yield from many_labels(site, place, seed, events=size.events, forged=size.forged)
    for way in WAYS:
        with open_beside(task.layers) as beside, beside.site(WORKERS, way.settings) as (site, _):
            yield receiver_down(site, beside.place, way, size.missed)


LANES: Mapping[str, Callable[[Task], Iterator[Result]]] = {
    "answers": _answers,
    "sqlite-kills": _sqlite_kills,
    "sqlite": _sqlite,
    "postgresql-kills": _postgresql_kills,
    "postgresql": _postgresql,
}

WAVES = (("sqlite-kills", "postgresql-kills"), ("answers", "sqlite", "postgresql"))
"""What goes side by side: those whose processes start anew all the time take the processors from all others."""


def _kills(site: Site, place: str, task: Task) -> Iterator[Result]:
    """What makes processes start again."""
    size, seed = task.size, task.seed
    parts.warm(site)
    yield parts.kills(site, place, seed, size.plan(0.8, size.kills, 2.5, issues=size.issues))
    yield parts.kills_in_flight(site, place, seed, size.plan(0.2, size.in_flight, 2.0, issues=size.issues // 5))


def _waits(site: Site, place: str, task: Task, empty: Empty) -> Iterator[Result]:
    """What waits more than it works."""
    size, seed = task.size, task.seed
    parts.warm(site)
    pauses = size.plan(
        0.35, size.pauses, 2.0, issues=size.issues // 2, at_once=PAUSED_AT_ONCE, open_runs=PAUSED_AT_ONCE + 1
    )
    yield parts.pauses(site, place, seed, pauses)
    yield parts.empty_brokers(site, place, seed, size.plan(0.15, size.brokers, 3.0, issues=size.issues // 2), empty)
    yield parts.soft_stops(site, place, seed, size.plan(0.2, size.stops, 4.0, issues=size.issues // 5))


def _lose_commit(relay: CommitRelay, chance: random.Random) -> None:
    """The next one of any process, or the one some later."""
    relay.lose(chance.choice(list(Lost)), chance.randint(1, 10))
    eventually(lambda: not relay.waits, seconds=60.0, what="a commit to lose")


def _lock(database: Path) -> None:
    """As another program that writes would, for longer than any write of ours waits."""
    with closing(sqlite3.connect(database, isolation_level=None, timeout=30)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(LOCKED_SECONDS)
        connection.execute("ROLLBACK")


def said(results: Iterator[Result], kept_logs: Path = KEPT_LOGS) -> Iterator[Result]:
    """Each result as it comes, while its site is open. Where something is damaged, what the site logged outlasts it."""
    started = time.monotonic()
    for result in results:
        print(f"chaos: {sentences(result)} [{time.monotonic() - started:.0f} s]", file=sys.stderr)
        if result.damage and result.log:
            kept_logs.mkdir(parents=True, exist_ok=True)
            kept = shutil.copy(result.log, kept_logs / f"{result.log.parent.parent.name}-{result.log.parent.name}.log")
            print(f"chaos: what its site logged is kept in {kept}", file=sys.stderr)
        yield result
        started = time.monotonic()
