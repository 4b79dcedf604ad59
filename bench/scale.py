"""What grows, and what does not: runs an hour with the workers, and the price of a run with the runs before it."""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg

from bench.chaos.endurance import wait_for_ends
from bench.chaos.parts import warm
from bench.chaos.world import Site, World, open_site, open_world
from bench.history import fill, one_run
from bench.table import Row, compared
from tests.support.databases import postgresql_server
from tests.support.processes import eventually
from workers.store import Run, RunStore, open_store

WORKERS = (1, 2, 4, 8, 16, 32)
WORKER_BYTES = 300 * 2**20
"""Of one worker with its children and the box of its run, generously."""
TURN_SECONDS, TURNS = 2.0, 6
THOUGHT_SECONDS = TURN_SECONDS * TURNS
"""What a run takes at least."""
RUNS_A_WORKER = 4
TARGET_SHARE = 1.25  # each worker is as quick beside others as alone, until the processors are full
FULL = 0.9
"""Of the processors' time, from which on they are called full: what is left is waits that nobody else can use."""
ENDED = 100_000
ROUNDS, RUNS_A_ROUND, JOURNALED = 9, 12, 40
TARGET_GROWTH = 1.1

STAT, MEMORY = Path("/proc/stat"), Path("/proc/meminfo")
WITHOUT_LIMITS = {"AGENT_FIX_RUNS_PER_INSTALLATION": "none"}

Clock = Callable[[], float]


def measure() -> list[Row]:
    return [*_by_workers(), *_by_history()]


def _by_workers() -> Iterator[Row]:
    """Seconds of a worker for a run, beside those of an only worker."""
    with open_world() as world:
        world.script.looks = TURNS - 1
        measured = {workers: _seconds_a_run(world, workers) for workers in WORKERS if _fit(workers)}
    alone = measured[1][0]
    for workers, (taken, busy) in measured.items():
        told = f"s; {workers * 3600 / taken:.0f} runs an hour, processors {busy:.0%} busy"
        what = f"a run of {TURNS} turns of {TURN_SECONDS:g} s, {workers} workers on {os.cpu_count()} processors"
        target, note = (None, "the processors are full") if busy >= FULL else (TARGET_SHARE, "")
        yield Row(what, taken, alone, taken / alone, target, told, note)


def _seconds_a_run(world: World, workers: int) -> tuple[float, float]:
    """And the busy share of the processors while each worker has a run."""
    with open_site(world, workers, WITHOUT_LIMITS) as site:
        world.script.delay_seconds = 0.0
        warm(site)
        eventually(lambda: site.store.workers_alive(10) >= workers, seconds=240, what=f"{workers} workers")
        world.script.delay_seconds = TURN_SECONDS
        known = {run.id for run in site.store.list_runs()}
        busy = _run(site, workers)
        runs = [run for run in site.store.list_runs(limit=1_000) if run.id not in known]
        if len(known) != 1 or len(runs) != workers * RUNS_A_WORKER:
            raise RuntimeError(f"{len(known)} and {len(runs)} runs, which are not those asked for; see {site.log}")
        return own_seconds(runs, workers), busy


def own_seconds(runs: Sequence[Run], workers: int) -> float:
    """Of one worker for one run: from its first run's beginning to its last one's end, which is as much later for each
    worker as it began later."""
    begun = min(run.started_at for run in runs if run.started_at)
    ended = max(run.ended_at for run in runs if run.ended_at)
    later = THOUGHT_SECONDS * (workers - 1) / workers
    return ((ended - begun).total_seconds() - later) / (len(runs) / workers)


def _fit(workers: int) -> bool:
    """Whether so many have room in memory; said where they have not."""
    available = next(line for line in MEMORY.read_text().splitlines() if line.startswith("MemAvailable:"))
    fit = workers * WORKER_BYTES <= int(available.split()[1]) * 1024
    if not fit:
        print(f"NOT MEASURED: {workers} workers, which do not fit into memory", file=sys.stderr)
    return fit


def _processor_ticks() -> tuple[int, int]:
    """(busy, idle) of all processors since the machine was started, as proc_stat(5) has them."""
    user, nice, system, idle, waiting, interrupts, soft, stolen = map(int, STAT.read_text().split()[1:9])
    return user + nice + system + interrupts + soft + stolen, idle + waiting


def _run(site: Site, workers: int) -> float:
    """All runs to their ends, labelled as fast as so many workers can take them at best: they begin one after the
    other, and none waits for a label. The busy share of the processors from the last worker's first label on."""
    labelled, begun = [], time.monotonic()
    for number in range(workers * RUNS_A_WORKER):
        time.sleep(max(0.0, begun + number * THOUGHT_SECONDS / workers - time.monotonic()))
        labelled.append(site.world.label_one(gives_up=True))
        if number == workers - 1:
            before = _processor_ticks()
    busy, idle = (after - earlier for after, earlier in zip(_processor_ticks(), before, strict=True))
    wait_for_ends(site, labelled)
    return busy / (busy + idle)


def _by_history() -> Iterator[Row]:
    """Processor time that the store takes for a run, the database's own included."""
    for name, databases in (("SQLite", _two_files), ("PostgreSQL", _two_databases)):
        with databases() as (empty, full):
            rounds = [(_milliseconds(*full), _milliseconds(*empty)) for _ in range(ROUNDS)]
        with_history, without = zip(*rounds[1:], strict=True)  # the first one warms up
        what = f"{name}: processor time of a run in the store, after {ENDED:,} runs beside after none"
        yield compared(what, with_history, without, TARGET_GROWTH, "ms")


def _milliseconds(store: RunStore, clock: Clock) -> float:
    started = clock()
    for _ in range(RUNS_A_ROUND):
        one_run(store, JOURNALED)
    return (clock() - started) * 1000 / RUNS_A_ROUND


@contextmanager
def _two_files() -> Iterator[list[tuple[RunStore, Clock]]]:
    """An empty store and one with a history."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        urls = [f"sqlite:///{Path(folder) / name}.db" for name in ("empty", "full")]
        yield [(store, time.process_time) for store in _opened(stack, urls)]


@contextmanager
def _two_databases() -> Iterator[list[tuple[RunStore, Clock]]]:
    with postgresql_server() as server, ExitStack() as stack:
        names = [server.new_database() for _ in range(2)]
        stores = _opened(stack, [server.url(name) for name in names])
        backends = [_backends(server.url(name)) for name in names]
        yield [(store, _with(pids)) for store, pids in zip(stores, backends, strict=True)]


def _opened(stack: ExitStack, urls: list[str]) -> list[RunStore]:
    stores = [stack.enter_context(closing(open_store(url))) for url in urls]
    fill(urls[1], ENDED)
    for store in stores:
        one_run(store, 1)
    return stores


def _backends(url: str) -> list[int]:
    """Process ids of the database's other connections: one, for a store that is used by one thread."""
    with psycopg.connect(url) as connection:
        query = "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        return [row[0] for row in connection.execute(query)]


def _with(pids: list[int]) -> Clock:
    """Seconds of processor time of this process and of `pids`."""

    def clock() -> float:
        fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
        ticks = sum(int(field[11]) + int(field[12]) for field in fields)  # utime and stime, proc_pid_stat(5)
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")

    return clock
