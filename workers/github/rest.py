"""The one border to githubkit and httpx: JSON in, JSON out, and every foreign exception mapped to `GitHubError`."""

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any

import httpx
from githubkit import GitHub
from githubkit.auth import BaseAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.exception import GitHubException, RateLimitExceeded, RequestError, RequestFailed
from githubkit.typing import RetryOption

from workers.github.errors import BY_STATUS, GitHubError, GitHubUnavailableError, NotFoundError, SuspendedError
from workers.github.quota import Quota, Quotas
from workers.longest_wait import capped

FOREIGN = (GitHubException, httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, ValueError, OverflowError)
"""Everything that a call may raise; ValueError is an answer that is no JSON (a proxy's page) or a header that is
no number, OverflowError a header that is too large a number."""
PAGE_SIZE = 100


class Rest:
    """JSON over one connection pool with one authorization."""

    def __init__(self, github: GitHub[Any], quota: Quota, max_wait_seconds: float) -> None:
        self._github = github
        self._quota = quota
        self._max_wait_seconds = max_wait_seconds

    def get(self, path: str, **params: str | int) -> Any:
        return self._call("GET", path, params=params)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._call("POST", path, body=body)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._call("PATCH", path, body=body)

    def delete(self, path: str) -> None:
        self._call("DELETE", path)

    def pages(self, path: str, *, items_in: str | None = None, **params: str | int) -> Iterator[Any]:
        """The items of every page of a list, in GitHub's order; `items_in` names the list where it is not all. A page
        may be short in the middle: what may not be seen is left out after the list was cut."""
        for number in range(1, 1_000):
            asked = {**params, "per_page": PAGE_SIZE, "page": number}
            answer, following = self._asked("GET", path, params=asked)
            items = answer if items_in is None else answer[items_in]
            yield from items
            if len(items) < PAGE_SIZE and not following:
                return

    def cursor_pages(self, path: str, **params: str | int) -> Iterator[Any]:
        """The same of a list whose pages are numbered by nobody: each names the next in its `Link` header."""
        cursor: dict[str, str] = {}
        for _ in range(1_000):
            items, following = self._asked("GET", path, params={**params, **cursor, "per_page": PAGE_SIZE})
            yield from items
            named = httpx.QueryParams(following.partition("?")[2])
            if "cursor" not in named:
                return
            cursor = {"cursor": named["cursor"]}

    def _call(
        self, method: str, path: str, *, params: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> Any:
        return self._asked(method, path, params=params, body=body)[0]

    def _asked(
        self, method: str, path: str, *, params: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> tuple[Any, str]:
        """The answer, and the address of the page after it; empty where there is none."""
        what = f"{method} {path}"
        self._quota.enter(what, self._max_wait_seconds)
        try:
            response = self._github.request(method, path, params=dict(params or {}), json=body)
            self._quota.answered(response.headers)
            if not response.is_success or response.raw_response.request.method != method:
                raise NotFoundError(what, response.status_code, "it has moved")  # a redirect to nowhere
            value = response.json() if response.status_code != httpx.codes.NO_CONTENT else None
            return value, response.raw_response.links.get("next", {}).get("url", "")
        except FOREIGN as error:
            failed = mapped(what, error)
            self._quota.refused(failed)
            raise failed from error


@dataclass(frozen=True)
class Connection:
    """How GitHub is reached. `max_wait_seconds`: the longest `Retry-After` that a call sits out itself; beyond it the
    call fails as transient and the run waits instead, and so do later calls until the time that GitHub gave."""

    api_url: str
    timeout_seconds: float = 20.0
    max_wait_seconds: float = 15.0
    transport: httpx.BaseTransport | None = None
    quotas: Quotas = field(default_factory=Quotas)

    @contextmanager
    def open(self, auth: BaseAuthStrategy) -> Iterator[Rest]:
        # The default cache is shared by the whole process and keyed by App id: one of our own keeps keys apart.
        github = GitHub(
            auth,
            base_url=self.api_url,
            user_agent="agent-fix",
            timeout=self.timeout_seconds,
            transport=self.transport,
            ssl_verify=_trusted(),
            http_cache=False,
            cache_strategy=MemCacheStrategy(),
            auto_retry=self._retry,
        )
        with github:
            yield Rest(github, self.quotas.of(auth), self.max_wait_seconds)

    def _retry(self, error: GitHubException, count: int) -> RetryOption:
        """Limits were refused before any effect: wait as asked. A 5xx may have had one: only reading is repeated."""
        if isinstance(error, RateLimitExceeded) and count < 2:
            wait = max(error.retry_after, timedelta(seconds=1))
            return RetryOption(wait.total_seconds() <= self.max_wait_seconds, wait)
        if isinstance(error, RequestError) and count < 2 and _method(error) == "GET" and _server_failed(error):
            return RetryOption(True, timedelta(seconds=0.5 * (count + 1)))
        return RetryOption(False)


@cache
def _trusted() -> ssl.SSLContext:
    """The CAs of httpx and of `SSL_CERT_FILE`, read once: reading them takes longer than a call."""
    return httpx.create_ssl_context()


def mapped(what: str, error: Exception) -> GitHubError:
    """Our own error for a foreign one."""
    if isinstance(error, RateLimitExceeded):
        unavailable = GitHubUnavailableError(what, error.response.status_code, "rate limited")
        unavailable.retry_after_seconds = capped(what, error.retry_after.total_seconds())
        return unavailable
    if isinstance(error, RequestFailed):
        return _refused(what, error.response.status_code, _message(error.response.raw_response))
    cause = error.exc if isinstance(error, RequestError) else error
    if isinstance(cause, httpx.TransportError | httpx.StreamError | httpx.DecodingError):
        return GitHubUnavailableError(what, None, why_silent(cause))
    if isinstance(cause, ValueError | OverflowError):
        return GitHubUnavailableError(what, None, "the answer was not GitHub's")
    return GitHubError(what, None, type(cause).__name__)


def why_silent(error: Exception) -> str:
    """Of a connection that did not come about the reason, too: refused, or a certificate that is not trusted."""
    kind = type(error).__name__
    return f"{kind}: {error}" if isinstance(error, httpx.ConnectError) and str(error) else kind


def _refused(what: str, status: int, message: str) -> GitHubError:
    lowered = message.lower()
    if status >= 500 or status in (408, 429) or "rate limit" in lowered:
        return GitHubUnavailableError(what, status, message)
    if status == 403 and "suspended" in lowered:
        return SuspendedError(what, status, message)
    return BY_STATUS.get(status, GitHubError)(what, status, message)


def _message(response: httpx.Response) -> str:
    """GitHub's sentence and those of its `errors` list, which may hold strings or objects."""
    try:
        body = response.json()
    except ValueError:
        return response.reason_phrase
    if not isinstance(body, dict):
        return response.reason_phrase
    details = body.get("errors") or []
    parts = [str(body.get("message", "")), *(_detail(d) for d in details if isinstance(details, list))]
    return "; ".join(part for part in parts if part)[:1000]


def _detail(error: object) -> str:
    if not isinstance(error, dict):
        return str(error)
    return str(error.get("message") or f"{error.get('field')} {error.get('code')}")


def _method(error: RequestError[Any]) -> str:
    request = getattr(error, "request", None) or getattr(error.exc, "_request", None)
    return request.method if isinstance(request, httpx.Request) else ""


def _server_failed(error: RequestError[Any]) -> bool:
    if isinstance(error, RequestFailed):
        return error.response.status_code >= 500
    return isinstance(error.exc, httpx.TransportError)
