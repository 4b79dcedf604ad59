"""What is measured of runs that were harmed, from the store and from what was noted of the harm."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from bench.chaos.checks import IssueFacts, outcomes, percentile, resume_seconds
from bench.chaos.faults import Done
from bench.chaos.measures import Measure
from bench.chaos.world import Labelled, Site
from workers.store import Run, Step


def resumed(what: str, site: Site, labelled: Sequence[Labelled], done: Done, at_most: float) -> Measure:
    begun = {run.id: list(_begun(site.steps(run))) for run in _runs(site, labelled)}
    seconds = resume_seconds(done.interrupted, begun)
    name = f"from the {what} to the next attempt, 95th percentile of {len(seconds)}"
    return Measure(name, percentile(seconds, 0.95), at_most, " s")


def leases_run_out(site: Site, labelled: Sequence[Labelled]) -> Measure:
    """A run that is given back costs no attempt; one whose lease has to run out does."""
    lost = sum(run.attempts - 1 for run in _runs(site, labelled) if run.attempts)
    return Measure("leases that ran out instead of being given back", lost, 0)


def _begun(steps: Sequence[Step]) -> Iterator[float]:
    """When each attempt at the run began."""
    for step in steps:
        if step.kind == "stage" and step.data["name"] == "admit":
            yield step.at.timestamp()


def repeated_calls(facts: Sequence[IssueFacts]) -> str:
    asked, repeated = sum(len(f.asked) for f in facts), sum(f.repeated_calls for f in facts)
    again = sum(run.attempts - 1 for f in facts for run in f.runs)
    charges = [tokens for f in facts for run in f.runs for tokens in run.charges]
    return (
        f"{repeated} of {asked} model calls repeated, in {again} attempts after the first; "
        f"{len(charges)} charges for calls without an answer, {sum(charges):,} tokens"
    )


def longest_idle(site: Site, labelled: Sequence[Labelled], at_most: float) -> Measure:
    """Between two journaled steps of any run, from the first to the last."""
    moments = sorted(step.at.timestamp() for run in _runs(site, labelled) for step in site.steps(run))
    idle = max((later - earlier for earlier, later in pairwise(moments)), default=None)
    return Measure("longest without any work while runs waited", idle, at_most, " s")


def longest_wait(site: Site, labelled: Sequence[Labelled], at_most: float) -> Measure:
    """From a run's row to its first attempt, where workers are free: until a lost message is made good."""
    waits = [(run.started_at - run.created_at).total_seconds() for run in _runs(site, labelled) if run.started_at]
    return Measure("longest wait for a worker", max(waits, default=None), at_most, " s")


def _runs(site: Site, labelled: Sequence[Labelled]) -> list[Run]:
    return [run for found in site.runs(labelled).values() for run in found]


def comments_of(facts: Sequence[IssueFacts]) -> int:
    return sum(sum(issue.comments.values()) for issue in facts)


def outcomes_of(facts: Sequence[IssueFacts]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(outcomes(facts).items()))
