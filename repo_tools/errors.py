"""The errors of this package, and the two that every package shares, sorted by who must act.

- `TransientError` (mixin): nobody; the same call may succeed later. The only kind that is retried.
- `ConfigError`: the operator, at start-up: a setting, what is wrong with it, what to do.
- `RepoError`: the people of the repository: it cannot be read, installed or tested as it is.
- `SandboxError`: the operator of the machine: the box failed. Never shown to a model as a command's output.
"""


class TransientError(Exception):
    """Mixin: trying again later may succeed; not before `retry_after_seconds`, where that is known."""

    retry_after_seconds: float | None = None


class ConfigError(Exception):
    """A setting is missing or wrong; the operator acts.

    `setting` is the name as the operator writes it (``AGENT_FIX_LABEL``); the value is never part of the text,
    because it may be a secret.
    """

    def __init__(self, setting: str, problem: str, remedy: str) -> None:
        super().__init__(f"{setting}: {problem}. {remedy}")
        self.setting = setting
        self.problem = problem
        self.remedy = remedy


class RepoError(Exception):
    """The repository cannot be read, prepared or tested."""


class RepoUnavailableError(RepoError, TransientError):
    """The repository cannot be reached just now."""


class RepoTooLargeError(RepoError):
    """It takes more room than it may."""


class SandboxError(Exception):
    """The sandbox failed (not the command inside it, whose failure is an `ExecResult`)."""


class SandboxUnavailableError(SandboxError, TransientError):
    """The engine cannot be reached or has no room just now."""


class LayerGoneError(SandboxUnavailableError):
    """A prepared environment was evicted between its finding and its use; the next try makes it again."""


class DiskFullError(SandboxUnavailableError):
    """This machine's own disk, not a box's volume, takes no more."""


class ServiceError(SandboxError):
    """A server that the tests need did not come up as the repository asks for it. The text is for its people too."""


class ServiceMissingError(ServiceError):
    """This sandbox cannot offer a server that the tests need; the text names it and the operator's remedy."""
