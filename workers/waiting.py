"""What a run may wait for without being any the worse for it: GitHub, good keys, the model's provider, the
database, room on the worker's disk. Pure.

It waits in the database, not in a worker: no slot is held, no turn and no attempt is spent.
"""

from dataclasses import dataclass

from agent.errors import ModelAccessError, ModelUnavailableError
from repo_tools.errors import DiskFullError, TransientError
from workers.github.errors import GitHubUnavailableError, UnauthorizedError
from workers.store import StoreUnavailableError

MAX_WAITS = 100
"""About a day: after that a run that goes on waiting uses up its attempts, and is handed over."""
LONGEST_SECONDS = 900.0
DATABASE_SECONDS = 2.0


@dataclass(frozen=True)
class Wait:
    """How a run goes back to the queue. `words`: what it waits for; None where an attempt failed.

    `whole_installation`: its other runs would hear the same. `settled`: no call of the model may have been paid for
    whose reply is lost.
    """

    seconds: float
    words: str | None
    whole_installation: bool = False
    settled: bool = True


def wait_after(error: TransientError, waits: int, asked_seconds: float | None, retry_seconds: float) -> Wait:
    """Of a run that waited `waits` times before. `asked_seconds`: as long as whoever failed asks for, within reason."""
    words = waiting_words(error) if waits < MAX_WAITS else None
    if isinstance(error, StoreUnavailableError):  # a disk may have room for a run's row, and not for a reply
        return Wait(wait_seconds(waits, DATABASE_SECONDS), words, settled=False)
    if asked_seconds is not None:
        return Wait(asked_seconds, words, whole_installation=isinstance(error, GitHubUnavailableError))
    return Wait(retry_seconds if words is None else wait_seconds(waits, retry_seconds), words)


def waiting_words(error: TransientError) -> str | None:
    """What people are told that the run waits for; None for what is no waiting but a failed attempt."""
    match error:
        case GitHubUnavailableError():
            return f"Waits for GitHub, which {_limits_or_silent(error.retry_after_seconds)}."
        case UnauthorizedError():
            return "Waits for the operator: GitHub refuses the App's key; the worker's log says more."
        case ModelUnavailableError():
            return f"Waits for the model's provider, which {_limits_or_silent(error.retry_after_seconds)}."
        case ModelAccessError():
            return f"Waits for the operator: the model's provider {_denied(error.status)}; the worker's log says more."
        case StoreUnavailableError():
            return "Waits for the database, which was away for a moment."
        case DiskFullError():
            return "Waits for room on the worker's disk."
    return None


def wait_seconds(waits: int, first_seconds: float) -> float:
    """Doubled each time, where nobody says how long."""
    return min(LONGEST_SECONDS, first_seconds * 2.0 ** min(waits, 16))


def _denied(status: int | None) -> str:
    return f"refuses the key ({status})" if status in (401, 403) else "has no credit left to work on"


def _limits_or_silent(asked_seconds: float | None) -> str:
    if asked_seconds is None:
        return "is overloaded or does not answer"
    return f"limits this installation and asks for {asked_seconds:.0f} seconds"
