"""How an attempt ends, and what can go wrong with a model.

- `AgentStop`: a normal ending of the loop, not an error.
- `ToolFailed`: goes to the model as a tool result, in plain words.
- `ModelError`: the provider refused or failed; with `TransientError`, later may do.
"""

from agent.model import Usage
from repo_tools.errors import TransientError


class AgentStop(Exception):  # noqa: N818 - an ending, not an error
    """The loop ends here."""


class Submitted(AgentStop):
    """The change was verified and earns a pull request."""


class Answered(AgentStop):
    """The question was answered: `text` is for the person who asked, `figures` are (name, value), `files` paths."""

    def __init__(self, text: str, figures: tuple[tuple[str, str], ...] = (), files: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.text = text
        self.figures = figures
        self.files = files


class GaveUp(AgentStop):
    """The model said that it cannot do it; `reason` is its own."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def figure(number: float) -> str:
    """For people: no powers of ten, and few places behind the point."""
    return f"{number:,.{2 if number >= 10 else 4}f}".rstrip("0").removesuffix(".")


class LimitExceeded(AgentStop):
    """A limit ended the run before the next spending; `kept` of it are for what comes after the spending."""

    def __init__(self, kind: str, used: float, limit: float, kept: float = 0.0) -> None:
        super().__init__(f"{kind}: {figure(used)} of {figure(limit)} used")
        self.kind = kind
        self.used = used
        self.limit = limit
        self.kept = kept


class ContextFull(LimitExceeded):
    """The conversation no longer fits the model's window; a limit of kind ``tokens``."""

    def __init__(self, used: int, limit: int) -> None:
        super().__init__("tokens", used, limit)
        self.args = (f"the conversation needs {used} tokens and the model's window holds {limit}",)


class NotProved(AgentStop):
    """The verifications that a run has are used up and none proved the change."""


class NoToolCalls(AgentStop):
    """The model no longer used its tools: replies in a row without a call, in spite of the nudges, or with one and the
    same call that fails."""


class Interrupted(AgentStop):
    """Something other than the loop ended the attempt (`Agent.attempt_so_far`)."""


class ToolFailed(Exception):  # noqa: N818 - the model's own to answer
    """A tool could not do what was asked; the text is for the model."""


class ModelError(Exception):
    """The model's provider refused the request; the operator acts (key, model name, address).

    `usage` is what the failed call is known to have cost all the same; `status` is HTTP's, where it was answered.
    """

    def __init__(self, message: str, usage: Usage = Usage(), status: int | None = None) -> None:  # noqa: B008 - immutable
        super().__init__(message)
        self.usage = usage
        self.status = status


class PromptTooLongError(ModelError):
    """The conversation does not fit the model's window, by the provider's own count; both in tokens."""

    def __init__(self, message: str, usage: Usage, status: int | None, needed: int, window: int) -> None:
        super().__init__(message, usage, status)
        self.needed = needed
        self.window = window


class ModelUnavailableError(ModelError, TransientError):
    """The provider is limited, overloaded or unreachable, after the retries of one call."""


class ModelAccessError(ModelError, TransientError):
    """The provider takes the key no more, or there is nothing left to pay with: each run would hear it, until the
    operator has acted."""
