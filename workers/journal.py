"""What the system did, written to the store before the run goes on."""

from collections.abc import Mapping
from typing import Any

from workers.heartbeat import Heartbeat
from workers.store import Claim, RunStore, Step


class Journal:
    """The steps of one claimed run. Every method raises LeaseLostError once the run is somebody else's."""

    def __init__(self, store: RunStore, claim: Claim, heartbeat: Heartbeat) -> None:
        self._store = store
        self._claim = claim
        self._heartbeat = heartbeat
        self.spend: Mapping[str, Any] = claim.run.spend

    def past(self, model: str) -> list[tuple[str, Mapping[str, Any]]]:
        """(kind, data) of every step that earlier attempts wrote; none where another model wrote them: a
        conversation goes on only with the model that it began with."""
        steps: list[Step] = []
        while page := self._store.steps(self._claim.run.id, after=steps[-1].number if steps else 0):
            steps += page
        return [(step.kind, step.data) for step in steps] if self._claim.run.model in (None, model) else []

    def stage(self, name: str) -> None:
        """The run enters a stage."""
        self._heartbeat.check()
        self._store.set_progress(self._claim, stage=name)
        self._store.append_step(self._claim, "stage", {"name": name})

    def base(self, commit: str, model: str) -> None:
        """The base commit and the model are settled for the whole run."""
        self._store.set_progress(self._claim, base_commit=commit, model=model)

    def record(self, kind: str, data: Mapping[str, Any], spend: Mapping[str, Any] | None = None) -> None:
        """One step, and what has been spent by now: the spend first, so that no kill between the two makes a step
        cheaper than it was."""
        self._heartbeat.check()
        if spend is not None:
            self.spend = spend
            self._store.set_progress(self._claim, spend=spend)
        self._store.append_step(self._claim, kind, data)
