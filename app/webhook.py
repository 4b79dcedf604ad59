"""`POST /webhooks/github`: from a signed delivery to a run that waits.

Asynchronous only while the body arrives. The rest happens at once where that takes less than a millisecond, else in a
thread. An ASGI application of its own, in front of FastAPI: that would parse a body whose signature has not been
checked, and its layers cost as much as the work itself.
"""

import asyncio
import logging
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from app.body import LARGE_BYTES, BodyError, BodyReader
from app.payload import Event, IssueLabeled, PayloadError, parse
from app.settings import WebSettings
from app.signature import verify
from app.triggers import decide, ignore_event, stop_orders
from workers.store import IntakeAtOnce, NewDelivery, RunStore, StoreUnavailableError, WouldWaitError
from workers.triggers import Decision, Ignore

SIGNATURE_HEADER = b"x-hub-signature-256"
_DELIVERY_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
_EVENT_NAME = re.compile(r"[a-z0-9_]{1,64}")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Received:
    """A request, read to its end."""

    body: bytearray
    signatures: tuple[bytes, ...]
    delivery_id: str
    event: str


@dataclass(frozen=True)
class Answer:
    """What GitHub's list of deliveries will show."""

    status: int
    content: dict[str, Any]


class Webhook:
    """The endpoint. `ring` is called with the id of each new run and returns at once."""

    def __init__(self, settings: WebSettings, store: RunStore, ring: Callable[[str], None]) -> None:
        self._secrets = settings.webhook_secrets
        self._label = settings.label
        self._allowed_bots = frozenset(login.lower() for login in settings.allowed_bots)
        self._store = store
        self._at_once = store.at_once()
        self._ring = ring
        self._bodies = BodyReader()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read within bounds, answer in a thread."""
        await (await self._response(scope, receive))(scope, receive, send)

    async def _response(self, scope: Scope, receive: Receive) -> Response:
        if scope["method"] != "POST":
            return JSONResponse({"error": "deliveries are posted"}, 405, {"Allow": "POST"})
        try:
            received = await self._read(scope["headers"], receive)
        except BodyError as error:
            return JSONResponse({"error": str(error)}, error.status, {"Connection": "close"})
        answer = await self._answer(received)
        return JSONResponse(answer.content, answer.status)

    async def _read(self, raw_headers: Sequence[tuple[bytes, bytes]], receive: Receive) -> Received:
        headers = dict(raw_headers)
        if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
            raise BodyError(415, "set the webhook's content type to application/json")
        return Received(
            body=await self._bodies.read(headers, receive),
            signatures=tuple([value for name, value in raw_headers if name == SIGNATURE_HEADER]),
            delivery_id=headers.get(b"x-github-delivery", b"").decode("latin-1"),
            event=headers.get(b"x-github-event", b"").decode("latin-1"),
        )

    async def _answer(self, received: Received) -> Answer:
        if self._at_once is not None and len(received.body) <= LARGE_BYTES:
            with suppress(WouldWaitError):
                return self._decided(received, self._at_once)
        return await asyncio.get_running_loop().run_in_executor(None, self._decided, received, self._store)

    def _decided(self, received: Received, store: RunStore | IntakeAtOnce) -> Answer:
        """Verify, parse, decide, write, ring."""
        if not verify(self._secrets, received.body, received.signatures):
            return Answer(401, {"error": "the signature is missing or wrong"})
        if not _DELIVERY_ID.fullmatch(received.delivery_id) or not _EVENT_NAME.fullmatch(received.event):
            return Answer(400, {"error": "X-GitHub-Delivery or X-GitHub-Event is missing or malformed"})
        try:
            return self._act(received, store)
        except PayloadError as error:
            return Answer(400, {"error": str(error)})
        except StoreUnavailableError as error:
            logger.warning("delivery %s could not be written: %s", received.delivery_id, error)
            return Answer(503, {"error": "the run could not be written; redeliver later"})

    def _act(self, received: Received, store: RunStore | IntakeAtOnce) -> Answer:
        event = parse(received.event, received.body)
        delivery = NewDelivery(received.delivery_id, received.event, event.action)
        if isinstance(event, IssueLabeled):
            return self._start(delivery, decide(event, self._label, self._allowed_bots), store)
        orders = [] if isinstance(event, Event) else stop_orders(event, self._label)
        if not orders:
            return self._start(delivery, ignore_event(received.event, event.action), store)
        stopped = store.stop_runs(delivery, *orders)
        logger.info("delivery %s: %s %d runs are stopped", delivery.id, orders[0].why, stopped)
        return Answer(200, {"stopped": stopped})

    def _start(self, delivery: NewDelivery, decision: Decision, store: RunStore | IntakeAtOnce) -> Answer:
        if isinstance(decision, Ignore):
            store.record_ignored(delivery, decision.reason)
            return Answer(200, {"ignored": decision.reason})
        run = store.create_run_once(delivery, decision.issue)
        logger.info("delivery %s: run %s%s", delivery.id, run.run_id, "" if run.created else " (known)")
        if run.created:
            self._ring(run.run_id)
        return Answer(202, {"run": run.run_id, "created": run.created})
