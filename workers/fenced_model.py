"""A model that only the holder of a run asks."""

from collections.abc import Callable
from dataclasses import replace

from agent.model import Model, Reply, Request


class FencedModel:
    """Between the last step of the journal and the next question a process may stand still for longer than its lease:
    another worker has the answer then, and asking for it again would be paid for."""

    def __init__(self, model: Model, hold: Callable[[], None]) -> None:
        """`hold` raises where the run is somebody else's, or what comes of the question could not be written."""
        self.name = model.name
        self._model = model
        self._hold = hold

    def query(self, request: Request) -> Reply:
        self._hold()
        return self._model.query(replace(request, before_retry=self._hold))
