"""What a run is about to do on GitHub, written down first: after a kill, the next attempt looks before it repeats."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

Effects = Mapping[str, Mapping[str, Any]]
"""effect -> what was written down with it."""


class Intents(Protocol):
    """The effects of one run, by name."""

    def intend(self, effect: str, **data: Any) -> bool:
        """Write down that `effect` is about to be sent. True where it was written before: it may have taken effect,
        although no list shows it yet. LeaseLostError: it must not be sent."""
        ...

    def intended(self, effect: str) -> Mapping[str, Any] | None:
        """The data that was first written down with `effect`; None where it was never about to be sent."""
        ...


class Unkept:
    """For a place where everything can be seen at once."""

    def intend(self, effect: str, **data: Any) -> bool:
        return False

    def intended(self, effect: str) -> Mapping[str, Any] | None:
        return None


class JournaledIntents:
    """Steps of the run's journal, of the kind ``intent``. `write` journals one under the claim's epoch, so that a
    worker that was paused past its lease sends nothing. `read` gives what earlier attempts wrote, and is asked once."""

    def __init__(self, write: Callable[[Mapping[str, Any]], object], read: Callable[[], Effects]) -> None:
        self._write = write
        self._read = read
        self._known: dict[str, Mapping[str, Any]] | None = None

    def intend(self, effect: str, **data: Any) -> bool:
        before = self.intended(effect) is not None
        self._write({**data, "effect": effect})
        self._effects.setdefault(effect, data)
        return before

    def intended(self, effect: str) -> Mapping[str, Any] | None:
        return self._effects.get(effect)

    @property
    def _effects(self) -> dict[str, Mapping[str, Any]]:
        if self._known is None:
            self._known = dict(self._read())
        return self._known
