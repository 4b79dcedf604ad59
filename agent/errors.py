"""How an attempt ends, and what can go wrong with a model.

- `AgentStop`: a normal ending of the loop, not an error.
- `ToolFailed`: goes to the model as a tool result, in plain words.
- `ModelError`: the provider refused or failed; with `TransientError`, later may do.
"""

from repo_tools.errors import TransientError


class AgentStop(Exception):  # noqa: N818 - an ending, not an error
    """The loop ends here."""


class Submitted(AgentStop):
    """The change was verified and earns a pull request."""


class GaveUp(AgentStop):
    """The model said that it cannot do it; `reason` is its own."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class LimitExceeded(AgentStop):
    """A limit ended the run before the next spending."""

    def __init__(self, kind: str, used: float, limit: float) -> None:
        super().__init__(f"{kind}: {used:g} of {limit:g} used")
        self.kind = kind
        self.used = used
        self.limit = limit


class NotProved(AgentStop):
    """The verifications that a run has are used up and none proved the change."""


class NoToolCalls(AgentStop):
    """The model stopped calling tools: nudged, and silent again, three times in a row."""


class ToolFailed(Exception):  # noqa: N818 - the model's own to answer
    """A tool could not do what was asked; the text is for the model."""


class ModelError(Exception):
    """The model's provider refused the request; the operator acts (key, model name, address)."""


class ModelUnavailableError(ModelError, TransientError):
    """The provider is limited, overloaded or unreachable, after the retries of one call."""
