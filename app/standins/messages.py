"""A local Messages API whose answers come from a script: for tests, and for a demo without a key.

It refuses what the real one refuses (`message_rules`), streams as the real one streams, counts tokens and cache as
plausibly as a stand-in can, and has the real one's faults on request.
"""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from app.standins.message_rules import Refusal, estimated_tokens, parts, refusal_of
from app.standins.message_stream import Block, error_event, events_of, message_of

WINDOW_TOKENS = 1_000_000
START_SECONDS = 60.0
STOP_SECONDS = 10.0
_IDS = count(1)


@dataclass(frozen=True)
class Fault:
    """Something other than an answer.

    `status`: an HTTP error. `hang_seconds`: silence before that, or before the stream. `blocks` is what the rest
    spoils: `cut_after_events` ends the stream there, as if all were well; `raw_json` stands in every tool call instead
    of its arguments; `error_event` is the type of an error that ends the stream.
    """

    status: int | None = None
    retry_after_seconds: float | None = None
    hang_seconds: float = 0.0
    cut_after_events: int | None = None
    raw_json: str | None = None
    error_event: str | None = None
    blocks: Sequence[Block] = ()


Script = Callable[[dict[str, Any]], Sequence[Block] | Fault]
"""Answers one request (its JSON body): the blocks of the reply, or a fault."""

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def turns_of(request: Mapping[str, Any]) -> int:
    """How many replies the conversation holds already: what most scripts choose by."""
    return sum(message["role"] == "assistant" for message in request["messages"])


class MessagesServer:
    """The server, in a thread of its own for as long as the context lasts. `requests` are all JSON bodies that came in,
    refused ones too."""

    def __init__(self, script: Script, *, window_tokens: int = WINDOW_TOKENS) -> None:
        self.requests: list[dict[str, Any]] = []
        self.refusals: list[Refusal] = []
        self._script = script
        self._window_tokens = window_tokens
        self._cached: set[int] = set()
        app = Starlette(routes=[Route("/v1/messages", self._answer, methods=["POST"])])
        self._port = 0
        self._server = uvicorn.Server(
            uvicorn.Config(app, port=0, log_level="critical", access_log=False, timeout_graceful_shutdown=1)
        )
        self._thread = threading.Thread(target=self._server.run, name="messages-stand-in", daemon=True)

    @property
    def url(self) -> str:
        """The base URL for the SDK; the context must have been entered."""
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        self._thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("the Messages stand-in did not start")
            time.sleep(0.005)
        self._port = self._server.servers[0].sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.should_exit = True
        self._thread.join(STOP_SECONDS)

    async def _answer(self, http: Request) -> Response:
        request = _json(await http.body())
        refusal = refusal_of(http.headers, request, self._window_tokens)
        self.requests.append(request)
        if refusal is not None:
            self.refusals.append(refusal)
            return _refused(refusal)
        answer = await run_in_threadpool(self._script, request)  # 40 at once: asyncio has processors + 4
        fault = answer if isinstance(answer, Fault) else Fault(blocks=answer)
        return await self._respond(request, fault)

    async def _respond(self, request: Mapping[str, Any], fault: Fault) -> Response:
        await asyncio.sleep(fault.hang_seconds)
        if fault.status is not None:
            kind = _KINDS.get(fault.status, "api_error")
            return _refused(Refusal(fault.status, kind, f"scripted {fault.status}"), fault.retry_after_seconds)
        message = message_of(fault.blocks, self._usage(request, fault.blocks), request["model"], f"msg_{next(_IDS):08}")
        if not request.get("stream"):
            return JSONResponse(message, headers=_ids())
        return StreamingResponse(_stream(message, fault), media_type="text/event-stream", headers=_ids())

    def _usage(self, request: Mapping[str, Any], blocks: Sequence[Block]) -> dict[str, int]:
        """Prompt tokens by what the cache marks say: read up to the longest prefix that an earlier request marked,
        written from there to the last mark, uncached after it."""
        read = marked = total = 0
        prefix = hash(request["model"])
        for part in parts(request):
            total += estimated_tokens(part)
            plain = {key: value for key, value in part.items() if key != "cache_control"}
            prefix = hash((prefix, json.dumps(plain, sort_keys=True)))
            read = total if prefix in self._cached else read
            if "cache_control" in part:
                self._cached.add(prefix)
                marked = total
        return {
            "input_tokens": total - max(marked, read),
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": max(0, marked - read),
            "output_tokens": max(1, sum(estimated_tokens(block) for block in blocks)),
        }


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _refused(refusal: Refusal, retry_after_seconds: float | None = None) -> Response:
    headers = _ids() | ({} if retry_after_seconds is None else {"retry-after": f"{retry_after_seconds:g}"})
    return JSONResponse(refusal.body(headers["request-id"]), refusal.status, headers)


def _ids() -> dict[str, str]:
    return {"request-id": f"req_{next(_IDS):08}"}


async def _stream(message: Mapping[str, Any], fault: Fault) -> AsyncIterator[bytes]:
    events: Iterator[bytes] = events_of(message, fault.raw_json)
    for event in islice(events, fault.cut_after_events):
        yield event
    if fault.error_event is not None:
        yield error_event(Refusal(200, fault.error_event, "scripted").body("req_stream"))
