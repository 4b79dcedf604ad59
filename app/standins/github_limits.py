"""GitHub's rate limits: so many requests of an installation in a window, so many writes in another.

https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

import math
import threading
import time
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.standins.github_access import GitHubRefusalError

READS = ("GET", "HEAD")
LAST_SECONDS = 3600.0


@dataclass
class Allowance:
    """So many requests, then none for `seconds`, until a whole second. On GitHub the time runs from the first request;
    here it does from the last one, so that the limit is met however slow the machine is. Spent so many `times`, it
    stays closed for an hour, so that what was served by then can be counted at leisure."""

    requests: int
    seconds: float
    times: int | None = None
    used: int = 0
    reset: int = 0  # seconds since 1970
    times_spent: int = 0

    def take(self, now: float) -> bool:
        """Whether the request is within the limit."""
        if self.is_spent and now < self.reset:
            return False
        self.used = 1 if self.is_spent else self.used + 1
        self.times_spent += self.is_spent
        self.reset = math.ceil(now + (LAST_SECONDS if self.times_spent == self.times else self.seconds))
        return True

    @property
    def is_spent(self) -> bool:
        return self.used >= self.requests

    def headers(self) -> dict[str, str]:
        return {
            "x-ratelimit-limit": str(self.requests),
            "x-ratelimit-remaining": str(self.requests - self.used),
            "x-ratelimit-reset": str(self.reset),
            "x-ratelimit-resource": "core",
        }


@dataclass
class RateLimits:
    """ASGI middleware. The App's own requests, by its JWT, are not counted."""

    app: ASGIApp
    primary: Allowance | None = None
    secondary: Allowance | None = None  # of writes; whoever was told so may not even read
    served: int = 0
    refused: list[str] = field(default_factory=list)  # the requests that were sent too early
    _told_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "ghs_" not in Headers(scope=scope).get("authorization", ""):
            await self.app(scope, receive, send)
            return
        with self._lock:
            refusal = self._refusal(scope, time.time())
            headers = self.primary.headers() if self.primary else {}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        if refusal is None:
            await self.app(scope, receive, send_with_headers)
        else:
            await refusal.response()(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope, now: float) -> GitHubRefusalError | None:
        if self.primary and not self.primary.take(now):
            return self._refused(scope, GitHubRefusalError(403, "API rate limit exceeded for installation ID 4242."))
        if now < self._told_until or (self.secondary and scope["method"] not in READS and not self.secondary.take(now)):
            self._told_until = max(self._told_until, self.secondary.reset if self.secondary else 0.0)
            wait = max(1, math.ceil(self._told_until - now))
            text = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
            return self._refused(scope, GitHubRefusalError(403, text, retry_after=str(wait)))
        self.served += 1
        return None

    def _refused(self, scope: Scope, refusal: GitHubRefusalError) -> GitHubRefusalError:
        self.refused.append(f"{scope['method']} {scope['path']}")
        return refusal
