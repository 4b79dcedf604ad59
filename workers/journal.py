"""What the system did, written to the store before the run goes on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agent.replay import Steps, call_was_in_flight, resumable
from workers.heartbeat import Heartbeat
from workers.intents import Effects, JournaledIntents
from workers.store import Claim, RunStore, Step
from workers.store.journal import READABLE


def all_steps(store: RunStore, run_id: str) -> list[Step]:
    """Every step that was written so far."""
    steps: list[Step] = []
    while page := store.steps(run_id, after=steps[-1].number if steps else 0):
        steps += page
    return steps


def past_steps(store: RunStore, run_id: str) -> list[tuple[str, Mapping[str, Any]]]:
    """(kind, data) of every step that was written so far."""
    return [(step.kind, step.data) for step in all_steps(store, run_id)]


def intents_of(store: RunStore, claim: Claim) -> JournaledIntents:
    """Of the run that is claimed, with those of its earlier attempts."""
    return JournaledIntents(
        lambda data: store.append_step(claim, "intent", data), lambda: _intended(past_steps(store, claim.run.id))
    )


def intents_after_end(store: RunStore, run_id: str) -> JournaledIntents:
    """Of a run that has ended: for whoever tidies up behind it."""
    return JournaledIntents(
        lambda data: store.append_after_end(run_id, "intent", data), lambda: _intended(past_steps(store, run_id))
    )


def _intended(steps: list[tuple[str, Mapping[str, Any]]]) -> Effects:
    """The first of each effect counts: later ones only repeat it."""
    return {data["effect"]: data for kind, data in reversed(steps) if kind == "intent"}


def since_restart(steps: Sequence[Step]) -> Sequence[Step]:
    """What counts: nothing before the last note that the agent starts again."""
    restarts = [n for n, step in enumerate(steps, 1) if step.kind == "restarted"]
    return steps[restarts[-1] if restarts else 0 :]


class Journal:
    """The steps of one claimed run. Every method raises LeaseLostError once the run is somebody else's."""

    def __init__(self, store: RunStore, claim: Claim, heartbeat: Heartbeat) -> None:
        self._store = store
        self._claim = claim
        self._heartbeat = heartbeat
        self.spend: Mapping[str, Any] = claim.run.spend
        self.intents = intents_of(store, claim)
        self._earlier: list[Step] | None = None
        self.began_before = False  # whether an earlier attempt may have asked the model; known after `resumable`

    def resumable(self, model: str, rules: str) -> Steps:
        """The agent's steps of earlier attempts, if this release can go on from them under `rules` with `model`; else
        none: the agent starts again, with a note in the journal that says why."""
        steps = since_restart(all_steps(self._store, self._claim.run.id))
        past = [(step.kind, step.data) for step in steps]
        entered = sum(kind == "stage" and data["name"] == "agent" for kind, data in past)  # by this attempt, too
        self.began_before = entered > 1 and call_was_in_flight(past)
        problem = self._why_not(steps, model, rules)
        if problem:
            self.record("restarted", {"detail": f"{problem} The agent starts again."})
            return ()
        return resumable(past, rules)

    def _why_not(self, steps: Sequence[Step], model: str, rules: str) -> str | None:
        """A conversation goes on only in a format that is understood, and as it began: with its model, whose thinking
        is signed, and under its prompts and tools. Whatever else was said stands in the journal."""
        replies = [step for step in steps if step.kind == "reply"]
        if not replies:
            return None
        unknown = sorted({step.format for step in steps} - READABLE)
        if unknown:
            return f"Another release wrote this journal, in format {unknown[0]}."
        if self._claim.run.model not in (None, model):
            return f"The conversation began with the model {self._claim.run.model}, which is no longer to be had."
        if replies[0].data["request"]["rules"] != rules:
            return "Prompts or tools have changed since the conversation began."
        return None

    def earlier(self, kind: str) -> list[Mapping[str, Any]]:
        """The data of every step of this kind that this release understands, the newest first; what this attempt itself
        wrote before the first question is among them."""
        if self._claim.epoch == 1:
            return []
        if self._earlier is None:
            self._earlier = [step for step in all_steps(self._store, self._claim.run.id) if step.format in READABLE]
        return [step.data for step in reversed(self._earlier) if step.kind == kind]

    def stage(self, name: str) -> None:
        """The run enters a stage."""
        self._heartbeat.check()
        self._store.set_progress(self._claim, stage=name)
        self._store.append_step(self._claim, "stage", {"name": name})

    def settle_labelling(self, read: Callable[[], int | None]) -> str | None:
        """The run is of the labelling that `read` gives, unless an earlier attempt settled it or it cannot be read yet.
        The id of the run that had it before, if there is one."""
        labelling = read() if self._claim.run.labelling is None else None
        return None if labelling is None else self._store.settle_labelling(self._claim, labelling)

    def hold(self) -> None:
        """The run is this worker's for another lease. StoreUnavailableError where nothing could be written either."""
        self._heartbeat.hold()

    @property
    def unwanted(self) -> str | None:
        """Why the run is to end at this step, as the store says; None while it is wanted."""
        return self._heartbeat.unwanted

    def spent(self, spend: Mapping[str, Any]) -> None:
        """What the attempt has spent by now, where it ends without a step that says so."""
        self.spend = spend
        self._store.set_progress(self._claim, spend=spend)

    def base(self, commit: str, model: str) -> None:
        """The base commit and the model are settled for the whole run."""
        self._store.set_progress(self._claim, base_commit=commit, model=model)

    def record(self, kind: str, data: Mapping[str, Any], spend: Mapping[str, Any] | None = None) -> None:
        """One step, and what has been spent by now: the spend first, so that no kill between the two makes a step
        cheaper than it was."""
        self._heartbeat.check()
        if spend is not None:
            self.spent(spend)
        self._store.append_step(self._claim, kind, data)
