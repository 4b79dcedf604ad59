"""What can go wrong with GitHub, sorted by who must act. Every foreign exception becomes one of these in `rest`.

GitHubError                  somebody acts: see `remedy`
├── GitHubUnavailableError   nobody: limited, overloaded or unreachable; transient
├── UnauthorizedError        401: the operator; the App's key or the clock is not (or no longer) good; transient
├── ForbiddenError           403: a permission is missing, or the repository is archived
│   └── SuspendedError       403: the installation was suspended
├── NotFoundError            404: not there, or not visible to the App
├── ConflictError            409: the repository's state does not allow it (an empty one has no refs)
├── GoneError                410: issues are disabled, or the issue was deleted
├── InvalidError             422: GitHub refuses the values
└── TokenScopeError          a token reaches further than the one repository and the few permissions asked for
"""

from repo_tools.errors import TransientError


class GitHubError(Exception):
    """`what` was asked for, `status` the answer (None: no answer), `message` GitHub's words, `remedy` for people,
    `told` all but the remedy."""

    default_remedy = "See GitHub's message."

    def __init__(self, what: str, status: int | None = None, message: str = "", remedy: str = "") -> None:
        self.what = what
        self.status = status
        self.message = message
        self.remedy = remedy or self.default_remedy
        answer = f"{status} {message}".strip() if status else message
        self.told = f"{what}: {answer or 'no answer'}"
        super().__init__(f"{self.told}. {self.remedy}")


class GitHubUnavailableError(GitHubError, TransientError):
    """Later may do. `retry_after_seconds` is what GitHub asked for, if it did."""

    default_remedy = "It is tried again later."


class UnauthorizedError(GitHubError, TransientError):
    """Nobody can be told on GitHub, so that what is asked for waits until the operator has acted."""

    default_remedy = "Check AGENT_FIX_GITHUB_APP_ID, the App's private key and this machine's clock."


class ForbiddenError(GitHubError):
    default_remedy = "Check the App's permissions and that the installation has accepted them."


class SuspendedError(ForbiddenError):
    default_remedy = "An owner can resume the App's installation in its settings."


class NotFoundError(GitHubError):
    default_remedy = "Check that the App is installed on the repository."


class ConflictError(GitHubError):
    default_remedy = "The repository's state does not allow it."


class GoneError(GitHubError):
    default_remedy = "The issue was deleted, or issues are disabled."


class InvalidError(GitHubError):
    default_remedy = "GitHub refuses the values as they are."


class TokenScopeError(GitHubError):
    default_remedy = "Nothing was done with the token; report this, with the Enterprise Server version if there is one."


LATER = (GitHubUnavailableError, UnauthorizedError)
"""What the next request would hear too, and a later one may not."""
REFUSED = (ForbiddenError, NotFoundError, ConflictError, GoneError, InvalidError)
"""What GitHub refuses one request, and would refuse again; others may go through."""

BY_STATUS: dict[int, type[GitHubError]] = {
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    422: InvalidError,
}
