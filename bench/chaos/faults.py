"""What can happen to a site at any moment. Each fault is done once when called, and says what it did to whom."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from app.standins.github_faults import Fault, FaultKind, Faults
from bench.chaos.github_jobs import SENT_BY, Write
from bench.chaos.processes import Kind, connected_to, owner_of_port, processes_of
from bench.chaos.world import LEASE_SECONDS, Site
from tests.support.processes import children_of

PAUSE_SECONDS = 2.0 * LEASE_SECONDS
WEIGHTS = {Kind.POOL: 10, Kind.WORKER: 3, Kind.WEB: 2, Kind.COMPANION: 1, Kind.BROKER: 2}
HELD_WRITES = ("/pulls$", "/git/refs$", "/issues/\\d+/comments$", "/git/commits$")
_UNHARMED = {"admission", "draft", "escalation"}
RUN_WRITES = tuple({str(w): w for writes in SENT_BY.values() for w in writes if w.job in _UNHARMED}.values())
"""What runs send to GitHub that nobody calls off, each kind once."""
LOSSES = (FaultKind.DROP_ANSWER, FaultKind.ERROR_AFTER_EFFECT)


@dataclass
class Done:
    """What was done so far: (kind, when), and (run, when) of the runs whose holders it struck. `met` counts what
    struck the holder of a run."""

    events: list[tuple[str, float]] = field(default_factory=list)
    interrupted: list[tuple[str, float]] = field(default_factory=list)
    met: int = 0
    stopped: set[int] = field(default_factory=set)  # processes that stand still just now
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, what: str, runs: Sequence[str] = ()) -> None:
        now = time.time()
        self.events.append((what, now))
        self.interrupted += [(run, now) for run in runs]
        self.met += bool(runs)

    @property
    def total(self) -> int:
        return len(self.events)

    def times(self, beginning: str) -> list[float]:
        return [at for kind, at in self.events if kind.startswith(beginning)]


STARTING_SECONDS = 20.0


def kill_one(site: Site, chance: random.Random, done: Done) -> None:
    """SIGKILL to one process of the product, those that hold runs more often; not while most are still starting."""
    eventually_or_not(lambda: len(_pools(site)) >= site.workers - 1, STARTING_SECONDS)
    processes = processes_of(site.service.pid)
    if not processes:
        return
    pids = list(processes)
    pid = chance.choices(pids, [WEIGHTS[processes[p]] for p in pids])[0]
    _strike(site, pid, signal.SIGKILL, done, f"kill {processes[pid]}")


def pause_one(site: Site, chance: random.Random, done: Done) -> None:
    """SIGSTOP to a process that may hold a run, SIGCONT after twice the lease."""
    pids = _pools(site)
    if pids and _stand_still(pid := chance.choice(pids), done):
        time.sleep(PAUSE_SECONDS)
        _go_on(pid, done)
        done.note("pause anywhere")


def pause_between_check_and_send(site: Site, chance: random.Random, done: Done, wait_seconds: float = 30.0) -> None:
    """The next write of one kind stands still in front of GitHub, its sender stopped, for twice the lease or so long
    that another worker may be done: then the write takes effect, and the sender goes on (or is killed, so that it
    cannot tidy up behind itself)."""
    faults = site.world.github.faults
    hold = faults.hold("POST", chance.choice(HELD_WRITES))
    if not hold.arrived.wait(wait_seconds) and faults.withdraw(hold):
        return
    hold.arrived.wait()
    pid = owner_of_port(iter(_pools(site)), hold.client_port)
    if pid is None or not _stand_still(pid, done):
        hold.released.set()
        return
    time.sleep(PAUSE_SECONDS * chance.choice((1, 1, 3)))
    killed = chance.random() < 0.3
    if killed:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    hold.released.set()
    hold.done.wait(10)
    _go_on(pid, done)
    done.note(f"pause between check and send{', then killed' if killed else ''}")


def lose_answer(faults: Faults, write: Write, kind: FaultKind, done: Done, wait_seconds: float = 60.0) -> None:
    """The next such write of any process takes effect, and its sender hears nothing of that."""
    fault = Fault(kind, write.method, write.path)
    faults.add(fault)
    if eventually_or_not(lambda: not fault.times, wait_seconds) or not faults.withdraw_fault(fault):
        done.note(str(write))


def kill_while_asking(site: Site, chance: random.Random, done: Done, wait_seconds: float = 30.0) -> None:
    """SIGKILL to a process that talks to the model's provider, while that thinks."""
    if not eventually_or_not(lambda: site.world.script.thinking > 0, wait_seconds):
        return
    time.sleep(chance.uniform(0.0, 1.0))
    asking = connected_to(iter(_pools(site)), site.world.messages_port)
    if asking:
        _strike(site, chance.choice(asking), signal.SIGKILL, done, "kill during a model call")


def stop_one(site: Site, chance: random.Random, done: Done) -> None:
    """SIGTERM to a worker that has a run, as a new release does it: one at a time, the next one once all are there."""
    if not eventually_or_not(lambda: site.store.workers_alive(30) >= site.workers, STARTING_SECONDS):
        return
    workers = [pid for pid, kind in processes_of(site.service.pid).items() if kind is Kind.WORKER]
    busy = [pid for pid in workers if _runs_of(site, pid)]
    if busy:
        _strike(site, chance.choice(busy), signal.SIGTERM, done, "SIGTERM")


def _strike(site: Site, pid: int, with_signal: signal.Signals, done: Done, what: str) -> None:
    runs = _runs_of(site, pid)
    with suppress(ProcessLookupError):
        os.kill(pid, with_signal)
        done.note(what, runs)


def _runs_of(site: Site, pid: int) -> list[str]:
    """A worker's are those of its pool, whose processes end with it."""
    with suppress(OSError):
        return site.held_by({pid, *children_of(pid)})
    return []


def _pools(site: Site) -> list[int]:
    """The processes that may hold a run."""
    return [pid for pid, kind in processes_of(site.service.pid).items() if kind is Kind.POOL]


def eventually_or_not(there: Callable[[], bool], within_seconds: float) -> bool:
    """Whether it came to be there in time."""
    deadline = time.monotonic() + within_seconds
    while not there():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _stand_still(pid: int, done: Done) -> bool:
    """SIGSTOP, unless somebody else has stopped it just now."""
    with done.lock:
        if pid in done.stopped:
            return False
        done.stopped.add(pid)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    return True


def _go_on(pid: int, done: Done) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)
    with done.lock:
        done.stopped.discard(pid)
