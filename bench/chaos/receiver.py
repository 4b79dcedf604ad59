"""The receiver is down while issues are labelled: the patrol finds what was missed, by either of its ways alone."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from app.standins.github_faults import Fault, FaultKind
from bench.chaos.checks import damage
from bench.chaos.faults import eventually_or_not
from bench.chaos.figures import outcomes_of
from bench.chaos.parts import Result
from bench.chaos.processes import Kind, processes_of
from bench.chaos.world import Labelled, Site

FOUND_SECONDS = 300.0


@dataclass(frozen=True)
class Way:
    """One of the patrol's two ways. `other`: where GitHub refuses the other one."""

    name: str
    other: str
    patrol_seconds: int

    @property
    def settings(self) -> dict[str, str]:
        """Of the site."""
        return {"AGENT_FIX_PATROL_SECONDS": str(self.patrol_seconds)}


REDELIVERY = Way("redelivery", "/app/installations$", 5)  # an outage may last for as many tries as it likes
SWEEP = Way("sweep", "/app/hook/deliveries$", 5)
WAYS = (REDELIVERY, SWEEP)


def receiver_down(site: Site, place: str, way: Way, labels: int) -> Result:
    """So many labels while nobody receives. Redeliveries fail too, until a web process lives again; the sweep does
    without one. The site's world is of no further use: its GitHub refuses the other way from now on."""
    github = site.world.github
    github.faults.add(Fault(FaultKind.FORBIDDEN, "GET", way.other, times=10**9))
    with _without_receiver(site):
        labelled = site.world.label(labels)
        missed = [one for one in labelled if not one.accepted]
        if way is REDELIVERY:
            eventually_or_not(lambda: any(one.redelivery for one in list(github.hook.attempts)), FOUND_SECONDS)
        else:
            eventually_or_not(lambda: not site.open_runs(labelled), FOUND_SECONDS)
    eventually_or_not(lambda: not site.open_runs(labelled), FOUND_SECONDS)
    facts = site.facts(labelled)
    problems = [*damage(facts), *_by_another_way(site, missed, way)]
    figures = [outcomes_of(facts)]
    part = f"receiver killed, missed labels found by {way.name} alone"
    return Result(part, place, len(missed), len(facts), problems, figures, labels, log=site.log)


@contextmanager
def _without_receiver(site: Site) -> Iterator[None]:
    """SIGKILL to the web process, while who would start another one stands still."""
    supervisor = site.service.pid
    os.kill(supervisor, signal.SIGSTOP)
    try:
        eventually_or_not(lambda: not _kill_receivers(site), FOUND_SECONDS)
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(supervisor, signal.SIGCONT)


def _kill_receivers(site: Site) -> list[int]:
    """Those that were there."""
    receivers = _receivers(site)
    for pid in receivers:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return receivers


def _receivers(site: Site) -> list[int]:
    return [pid for pid, kind in processes_of(site.service.pid).items() if kind is Kind.WEB]


def _by_another_way(site: Site, missed: list[Labelled], way: Way) -> list[str]:
    """A delivery was processed if, and only if, it was sent again."""
    guids = [one.deliveries[0].id for one in missed]
    processed = len(site.store.processed(guids))
    wanted = len(guids) if way is REDELIVERY else 0
    return [] if processed == wanted else [f"{processed} of {len(guids)} deliveries were processed, not {wanted}"]
