"""The parts of the proof. Each labels issues, does harm until it has done enough, waits for every end, and gives
figures and damage."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from pathlib import Path

from bench.chaos.brokers import Empty
from bench.chaos.checks import HANDED_OVER, IssueFacts, damage
from bench.chaos.endurance import Harm, Plan, endure, settled, wait_for_ends
from bench.chaos.faults import (
    LOSSES,
    RUN_WRITES,
    Done,
    kill_one,
    kill_while_asking,
    lose_answer,
    pause_between_check_and_send,
    pause_one,
    stop_one,
)
from bench.chaos.figures import (
    comments_of,
    leases_run_out,
    longest_idle,
    longest_wait,
    outcomes_of,
    repeated_calls,
    resumed,
)
from bench.chaos.measures import Measure
from bench.chaos.world import LEASE_SECONDS, Labelled, Site

THINKING_SECONDS = 4.0
GOES_ON_SECONDS = 15.0
STRUCK_AGAIN = frozenset({HANDED_OVER})
"""Endings of runs whose workers are killed or stand still, again and again."""
BACK_TO_WORK_SECONDS = 60.0


@dataclass(frozen=True)
class Result:
    """One row: what was done to how many, what is broken, and figures worth a line each."""

    part: str
    place: str
    faults: int
    issues: int
    damage: Sequence[str]
    figures: Sequence[str] = ()
    planned: int = 0  # faults, where fewer could be done in time
    planned_issues: int = 0
    measures: Sequence[Measure] = ()
    lacks: Sequence[str] = ()  # what else could not be done
    log: Path | None = None  # of the site, as long as that is open

    @property
    def words(self) -> str:
        """Figures and measures, for people."""
        return "; ".join([*self.figures, *map(str, self.measures), *self.lacks])


def warm(site: Site) -> None:
    """One run without any harm, which leaves the layer that the others start from. RuntimeError where it fails."""
    labelled = [site.world.label_one()]
    wait_for_ends(site, labelled)
    problems = damage(site.facts(labelled))
    if problems:
        raise RuntimeError(f"a run fails without any harm: {problems}; see {site.log}")


def kills(site: Site, place: str, seed: int, plan: Plan) -> Result:
    """kill -9 to random processes at random moments."""
    chance, done = random.Random(seed), Done()
    labelled = endure(site, plan, chance, partial(kill_one, site, chance, done), done)
    facts = site.facts(labelled, STRUCK_AGAIN)
    measures = [resumed("kill", site, labelled, done, LEASE_SECONDS + GOES_ON_SECONDS)]
    met = f"{done.met} of the kills met a process that held a run"
    return _result(site, "kill -9 at random", place, plan, done, facts, [met, repeated_calls(facts)], measures)


def kills_in_flight(site: Site, place: str, seed: int, plan: Plan) -> Result:
    """kill -9 to who waits for the model's answer, which takes long here."""
    chance, done = random.Random(seed), Done()
    with _slow_model(site):
        labelled = endure(site, plan, chance, partial(kill_while_asking, site, chance, done), done)
    facts = site.facts(labelled, STRUCK_AGAIN)
    return _result(site, "kill -9 during a model call", place, plan, done, facts, [repeated_calls(facts)])


def soft_stops(site: Site, place: str, seed: int, plan: Plan) -> Result:
    """SIGTERM to who works on a run that is not soon over: it is given back, and another worker takes it."""
    chance, done = random.Random(seed), Done()
    with _slow_model(site):
        labelled = endure(site, plan, chance, partial(stop_one, site, chance, done), done)
    facts = site.facts(labelled)
    measures = [resumed("SIGTERM", site, labelled, done, GOES_ON_SECONDS), leases_run_out(site, labelled)]
    return _result(site, "SIGTERM", place, plan, done, facts, [repeated_calls(facts)], measures)


def pauses(site: Site, place: str, seed: int, plan: Plan, exact_share: float = 0.7) -> Result:
    """SIGSTOP for twice the lease: in this share of the times between check and send, else anywhere."""
    chance, done = random.Random(seed), Done()

    def pause() -> None:
        which = pause_between_check_and_send if chance.random() < exact_share else pause_one
        which(site, chance, done)

    labelled = endure(site, plan, chance, pause, done)
    at_first, facts = site.facts(labelled), settled(site, labelled, STRUCK_AGAIN)
    exactly, late = len(done.times("pause between")), comments_of(at_first) - comments_of(facts)
    figures = [
        f"{exactly} of the pauses exactly between check and send",
        f"{late} comments still stood twice at the last end, and were removed by the patrol",
    ]
    lacks = [] if exactly else ["no pause was exactly between check and send"]
    result = _result(site, f"paused for {2 * LEASE_SECONDS} s or more", place, plan, done, facts, figures)
    return replace(result, lacks=lacks)


def answers(site: Site, place: str, seed: int, plan: Plan) -> Result:
    """Writes of the site's own workers take effect and their answers are lost, each kind as often as any other."""
    chance, done = random.Random(seed), Done()
    writes = cycle(chance.sample(RUN_WRITES, len(RUN_WRITES)))

    def lose() -> None:
        lose_answer(site.world.github.faults, next(writes), chance.choice(LOSSES), done)

    labelled = endure(site, plan, chance, lose, done)
    times = {str(write): len(done.times(str(write))) for write in RUN_WRITES}
    never = [write for write, count in times.items() if not count and plan.faults >= len(times)]
    figures = [", ".join(f"{count} {write}" for write, count in times.items())]
    lacks = [f"no answer to {write} was lost" for write in never]
    result = _result(site, "answer of a write lost", place, plan, done, site.facts(labelled), figures)
    return replace(result, lacks=lacks)


def empty_brokers(site: Site, place: str, seed: int, plan: Plan, empty: Empty) -> Result:
    """The broker flushed, or killed and started again empty, in the middle of runs; labels come while there is none."""
    chance, done = random.Random(seed), Done()
    labelled: list[Labelled] = []

    def label() -> None:
        if site.open_runs(labelled) < site.workers:  # so that a run which waits does so for its message
            labelled.append(site.world.label_one(gives_up=True))

    endure(site, plan, chance, lambda: empty(site, chance, done, label), done, labelled)
    measures = [measure(site, labelled, BACK_TO_WORK_SECONDS) for measure in (longest_idle, longest_wait)]
    return _result(site, "broker emptied", place, plan, done, site.facts(labelled), measures=measures)


def harmed(site: Site, place: str, seed: int, plan: Plan, what: str, harm: Harm) -> Result:
    """Any other harm, again and again."""
    done = Done()

    def harm_once() -> None:
        harm()
        done.note(what)

    labelled = endure(site, plan, random.Random(seed), harm_once, done)
    return _result(site, what, place, plan, done, site.facts(labelled))


def _result(
    site: Site,
    part: str,
    place: str,
    plan: Plan,
    done: Done,
    facts: Sequence[IssueFacts],
    figures: Sequence[str] = (),
    measures: Sequence[Measure] = (),
) -> Result:
    said = [outcomes_of(facts), *figures]
    planned = (plan.faults, plan.issues)
    return Result(part, place, done.total, len(facts), damage(facts), said, *planned, measures, log=site.log)


@contextmanager
def _slow_model(site: Site) -> Iterator[None]:
    """Its answers take long."""
    before, site.world.script.delay_seconds = site.world.script.delay_seconds, THINKING_SECONDS
    try:
        yield
    finally:
        site.world.script.delay_seconds = before
