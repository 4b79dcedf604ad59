"""The parts of the proof. Each labels issues, does harm until it has done enough, waits for every end, and gives
figures and damage."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from bench.chaos.checks import IssueFacts, damage, outcomes, percentile, resume_seconds
from bench.chaos.endurance import Harm, Plan, endure, settled, wait_for_ends
from bench.chaos.faults import (
    Done,
    kill_one,
    kill_while_asking,
    pause_between_check_and_send,
    pause_one,
    stop_one,
)
from bench.chaos.world import LEASE_SECONDS, Labelled, Site
from workers.store import Step

THINKING_SECONDS = 4.0
GOES_ON_SECONDS = 15.0


@dataclass(frozen=True)
class Result:
    """One row: what was done to how many, what is broken, and figures worth a line each."""

    part: str
    place: str
    faults: int
    issues: int
    damage: Sequence[str]
    figures: Sequence[str] = field(default_factory=tuple)
    planned: int = 0  # faults, where fewer could be done in time


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
    facts = site.facts(labelled)
    resumed = _resumed(site, labelled, done)
    figures = [_outcomes(facts), _repeated(facts), _in_time("kill", resumed, LEASE_SECONDS + GOES_ON_SECONDS)]
    return Result("kill -9 at random", place, done.total, len(facts), damage(facts), figures, plan.faults)


def kills_in_flight(site: Site, place: str, seed: int, plan: Plan) -> Result:
    """kill -9 to who waits for the model's answer, which takes long here."""
    chance, done = random.Random(seed), Done()
    with _slow_model(site):
        labelled = endure(site, plan, chance, partial(kill_while_asking, site, chance, done), done)
    facts = site.facts(labelled)
    figures = [_outcomes(facts), _repeated(facts)]
    return Result("kill -9 during a model call", place, done.total, len(facts), damage(facts), figures, plan.faults)


def soft_stops(site: Site, place: str, seed: int, plan: Plan) -> Result:
    """SIGTERM to who works on a run that is not soon over: it is given back, and another worker takes it."""
    chance, done = random.Random(seed), Done()
    with _slow_model(site):
        labelled = endure(site, plan, chance, partial(stop_one, site, chance, done), done)
    facts = site.facts(labelled)
    resumed = _resumed(site, labelled, done)
    figures = [_outcomes(facts), _repeated(facts), _in_time("SIGTERM", resumed, GOES_ON_SECONDS)]
    return Result("SIGTERM", place, done.total, len(facts), damage(facts), figures, plan.faults)


def pauses(site: Site, place: str, seed: int, plan: Plan) -> Result:
    """SIGSTOP for twice the lease: anywhere, and between check and send."""
    chance, done = random.Random(seed), Done()

    def pause() -> None:
        which = pause_one if chance.random() < 0.3 else pause_between_check_and_send
        which(site, chance, done)

    labelled = endure(site, plan, chance, pause, done)
    at_first, facts = site.facts(labelled), settled(site, labelled)
    exactly, late = len(done.times("pause between")), _comments(at_first) - _comments(facts)
    figures = [
        _outcomes(facts),
        f"{exactly} of the pauses exactly between check and send",
        f"{late} comments still stood twice at the last end, and were removed by the patrol",
    ]
    return Result(
        f"paused for {2 * LEASE_SECONDS} s or more", place, done.total, len(facts), damage(facts), figures, plan.faults
    )


def empty_brokers(
    site: Site, place: str, seed: int, plan: Plan, empty: Callable[[Site, random.Random, Done], None]
) -> Result:
    """The broker flushed, or killed and started again empty, in the middle of runs."""
    chance, done = random.Random(seed), Done()
    labelled = endure(site, plan, chance, partial(empty, site, chance, done), done)
    facts = site.facts(labelled)
    figures = [_outcomes(facts), f"longest without any work while runs waited: {_longest_idle(site, labelled):.1f} s"]
    return Result("broker emptied", place, done.total, len(facts), damage(facts), figures, plan.faults)


def harmed(site: Site, place: str, seed: int, plan: Plan, what: str, harm: Harm) -> Result:
    """Any other harm, again and again."""
    done = Done()

    def harm_once() -> None:
        harm()
        done.note(what)

    labelled = endure(site, plan, random.Random(seed), harm_once, done)
    facts = site.facts(labelled)
    return Result(what, place, done.total, len(facts), damage(facts), [_outcomes(facts)], plan.faults)


@contextmanager
def _slow_model(site: Site) -> Iterator[None]:
    """Its answers take long."""
    before, site.world.script.delay_seconds = site.world.script.delay_seconds, THINKING_SECONDS
    try:
        yield
    finally:
        site.world.script.delay_seconds = before


def _resumed(site: Site, labelled: Sequence[Labelled], done: Done) -> list[float]:
    begun = {run.id: list(_begun(site.steps(run))) for runs in site.runs(labelled).values() for run in runs}
    return resume_seconds(done.interrupted, begun)


def _begun(steps: Sequence[Step]) -> Iterator[float]:
    """When each attempt at the run began."""
    for step in steps:
        if step.kind == "stage" and step.data["name"] == "admit":
            yield step.at.timestamp()


def _in_time(what: str, resumed: Sequence[float], at_most: float) -> str:
    late = percentile(resumed, 0.95)
    if late is None:
        return "none resumed"
    met = "met" if late <= at_most else "missed"
    return f"{len(resumed)} resumed; 95th percentile {late:.1f} s after the {what} (at most {at_most:g} s: {met})"


def _repeated(facts: Sequence[IssueFacts]) -> str:
    asked, repeated = sum(len(f.asked) for f in facts), sum(f.repeated_calls for f in facts)
    again = sum(run.attempts - 1 for f in facts for run in f.runs)
    charged = sum(run.tokens_used - run.tokens_journaled for f in facts for run in f.runs)
    return (
        f"{repeated} of {asked} model calls repeated, in {again} attempts after the first; "
        f"{charged:,} tokens charged for calls without an answer"
    )


def _longest_idle(site: Site, labelled: Sequence[Labelled]) -> float:
    """Between two journaled steps of any run, from the first to the last."""
    runs = [run for found in site.runs(labelled).values() for run in found]
    moments = sorted(step.at.timestamp() for run in runs for step in site.steps(run))
    return max((later - earlier for earlier, later in pairwise(moments)), default=0.0)


def _comments(facts: Sequence[IssueFacts]) -> int:
    return sum(sum(issue.comments.values()) for issue in facts)


def _outcomes(facts: Sequence[IssueFacts]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(outcomes(facts).items()))
