"""Faults on demand: what GitHub and the network do on a bad day."""

import asyncio
import re
import threading
from dataclasses import dataclass, field
from enum import StrEnum

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.standins.github_access import GitHubRefusalError


class FaultKind(StrEnum):
    DROP_ANSWER = "drop_answer"  # the effect happens, the connection ends before the answer
    SERVER_ERROR = "server_error"  # no effect, 502
    ERROR_AFTER_EFFECT = "error_after_effect"  # the effect happens, the answer is a 502
    FORBIDDEN = "forbidden"  # no effect, 403
    NOT_FOUND = "not_found"  # no effect, 404
    RULE = "rule"  # no effect, 409: a rule of the repository
    UNRESOLVED = "unresolved"  # no effect, 422: what was just made is not known everywhere
    SECONDARY_LIMIT = "secondary_limit"  # no effect, 403 with Retry-After


@dataclass
class Fault:
    """The next `times` requests with this method whose path `path` (a regular expression) is found in."""

    kind: FaultKind
    method: str
    path: str
    times: int = 1
    retry_after_seconds: int = 1


@dataclass
class Hold:
    """The next request with this method and path stands still, before any effect, until `released` is set; its effect
    comes then, whether or not its sender still waits. `client_port` is the sender's, from `arrived` on."""

    method: str
    path: str
    arrived: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)
    client_port: int = 0


class Faults:
    """ASGI middleware that holds the faults still to come."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._waiting: list[Fault] = []
        self._holds: list[Hold] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._waiting.append(fault)

    def hold(self, method: str, path: str) -> Hold:
        """Have the next such request stand still."""
        hold = Hold(method, path)
        with self._lock:
            self._holds.append(hold)
        return hold

    def withdraw(self, hold: Hold) -> bool:
        """Forget a hold that nothing ran into; False where something did."""
        with self._lock:
            waits = hold in self._holds
            self._holds = [other for other in self._holds if other is not hold]
        return waits

    def withdraw_fault(self, fault: Fault) -> bool:
        """Forget what is left of a fault; False where nothing is."""
        with self._lock:
            waits = any(other is fault for other in self._waiting)
            self._waiting = [other for other in self._waiting if other is not fault]
        return waits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hold = self._next_hold(scope) if scope["type"] == "http" else None
        if hold is not None:
            await self._stand_still(hold, scope, receive, send)
            return
        fault = self._next(scope) if scope["type"] == "http" else None
        if fault is None:
            await self._app(scope, receive, send)
        elif fault.kind in (FaultKind.DROP_ANSWER, FaultKind.ERROR_AFTER_EFFECT):
            await self._app(scope, receive, _swallow)
            if fault.kind is FaultKind.DROP_ANSWER:
                # A body that never comes: the server then closes the connection.
                await send({"type": "http.response.start", "status": 201, "headers": [(b"content-length", b"1000")]})
            else:
                await GitHubRefusalError(502, "Server Error").response()(scope, receive, send)
        else:
            await _refusal(fault).response()(scope, receive, send)

    async def _stand_still(self, hold: Hold, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _whole_body(receive)  # now: a sender that goes away would take it along
        hold.client_port = scope["client"][1]
        hold.arrived.set()
        while not hold.released.is_set():
            await asyncio.sleep(0.01)
        await self._app(scope, _giving(body), send)
        hold.done.set()

    def _next_hold(self, scope: Scope) -> Hold | None:
        with self._lock:
            for hold in self._holds:
                if hold.method == scope["method"] and re.search(hold.path, scope["path"]):
                    self._holds.remove(hold)
                    return hold
        return None

    def _next(self, scope: Scope) -> Fault | None:
        with self._lock:
            for fault in self._waiting:
                if fault.method == scope["method"] and re.search(fault.path, scope["path"]):
                    fault.times -= 1
                    self._waiting = [waiting for waiting in self._waiting if waiting.times > 0]
                    return fault
        return None


async def _swallow(_: Message) -> None:
    return


async def _whole_body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def _giving(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


_REFUSALS = {
    FaultKind.SERVER_ERROR: (502, "Server Error"),
    FaultKind.FORBIDDEN: (403, "Resource not accessible by integration"),
    FaultKind.NOT_FOUND: (404, "Not Found"),
    FaultKind.RULE: (409, "Repository rule violations found"),
    FaultKind.UNRESOLVED: (422, "Could not resolve to a node with the global id of 'PR_kwDOA'."),
}


def _refusal(fault: Fault) -> GitHubRefusalError:
    if fault.kind in _REFUSALS:
        return GitHubRefusalError(*_REFUSALS[fault.kind])
    text = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    return GitHubRefusalError(403, text, retry_after=str(fault.retry_after_seconds))
