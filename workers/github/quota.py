"""When GitHub may be asked again: nothing is sent before the time that it gave.

https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from githubkit import AppAuthStrategy, TokenAuthStrategy
from githubkit.auth import BaseAuthStrategy

from workers.github.errors import GitHubUnavailableError
from workers.longest_wait import capped


@dataclass
class Quotas:
    """What GitHub said last to each authorization of one process. `clock` never goes back; `wall` is what GitHub's
    times are told by, and may be set."""

    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    _closed_until: dict[str, float] = field(default_factory=dict)

    def of(self, auth: BaseAuthStrategy) -> "Quota":
        if isinstance(auth, TokenAuthStrategy):
            return Quota(self, auth.token)
        return Quota(self, f"app {auth.app_id}" if isinstance(auth, AppAuthStrategy) else "")

    def closed_seconds(self, name: str) -> float:
        return max(0.0, self._closed_until.get(name, 0.0) - self.clock())

    def close(self, name: str, until: float) -> None:
        now = self.clock()
        self._closed_until = {other: end for other, end in self._closed_until.items() if end > now} | {name: until}


@dataclass(frozen=True)
class Quota:
    """The quota of one authorization."""

    quotas: Quotas
    name: str = field(repr=False)  # it may be a token

    def enter(self, what: str, max_wait_seconds: float) -> None:
        """Before a request: sits out a short time; GitHubUnavailableError for a longer one, and nothing is sent."""
        seconds = self.quotas.closed_seconds(self.name)
        if seconds > max_wait_seconds:
            limited = GitHubUnavailableError(what, None, "rate limited")
            limited.retry_after_seconds = seconds
            raise limited
        if seconds:
            self.quotas.sleep(seconds)

    def answered(self, headers: Mapping[str, str]) -> None:
        """The request may have been the last one for now."""
        if headers.get("x-ratelimit-remaining") == "0":
            left = float(headers.get("x-ratelimit-reset", "0")) - self.quotas.wall()
            self.quotas.close(self.name, until=self.quotas.clock() + capped("GitHub", left))

    def refused(self, error: Exception) -> None:
        """For a time, if GitHub said so."""
        if isinstance(error, GitHubUnavailableError) and error.retry_after_seconds is not None:
            self.quotas.close(self.name, until=self.quotas.clock() + error.retry_after_seconds)
