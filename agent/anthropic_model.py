"""The model behind Anthropic's Messages API, by the official SDK.

Answers are streamed, so that long ones meet no time-out of a silent connection. Retries are ours, not the SDK's,
because a stream can break after the SDK has handed it over, and because one deadline holds over all of them.
"""

import json
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import anthropic
import httpx2
from anthropic import Stream

from agent.errors import ModelAccessError, ModelError, ModelUnavailableError, PromptTooLongError
from agent.model import Message, Reply, Request, Usage
from agent.redaction import redact
from agent.reply_stream import Event, ReplyStream, StreamCutError, StreamFailedError
from agent.thinking import thinking_of

ATTEMPTS = 6
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
CONNECT_SECONDS = 10.0
SILENCE_SECONDS = 120.0
"""How long a stream may send nothing; the API pings every few seconds."""

_CACHE_MARK = {"type": "ephemeral"}
_TRANSIENT_KINDS = frozenset({"overloaded_error", "api_error", "rate_limit_error", "timeout_error"})
_TRANSIENT_STATUS = frozenset({408, 409, 429})
_ACCESS_STATUS = frozenset({401, 402, 403})
_NO_CREDIT = re.compile(r"credit balance is too low")  # answers 400
_TOO_LONG = re.compile(r"(?:prompt is too long|exceed context limit): (\d+)(?: tokens| \+ (\d+)) > (\d+)")
"""Of input, or input and output: https://platform.claude.com/docs/en/build-with-claude/context-windows"""


class AnthropicModel:
    """One model by name. Thread-safe as far as the SDK's client is."""

    def __init__(
        self,
        name: str,
        api_key: str,
        base_url: str | None = None,
        *,
        attempts: int = ATTEMPTS,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.name = name
        self._attempts = attempts
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter
        self._client = anthropic.Anthropic(api_key=api_key, base_url=base_url, max_retries=0)

    def query(self, request: Request) -> Reply:
        """One answer within `request.deadline_seconds`, over all attempts; its usage holds what broken ones cost. What
        `request.before_retry` raises propagates."""
        deadline = self._clock() + request.deadline_seconds
        wasted = Usage()
        for attempt in range(1, self._attempts + 1):
            try:
                reply = self._ask(request, deadline)
            except _Failed as failed:
                wasted += failed.error.usage
                self._wait_or_raise(failed, wasted, attempt, deadline)
                request.before_retry()
            else:
                return Reply(reply.blocks, reply.stop_reason, reply.usage + wasted, reply.model)
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        self._client.close()

    def _ask(self, request: Request, deadline: float) -> Reply:
        stream = ReplyStream()
        try:
            with self._client.messages.with_streaming_response.create(
                **self._parameters(request), stream=True, timeout=self._timeout(deadline)
            ) as response:
                return stream.read(self._events(response.http_response, deadline))
        except (anthropic.AnthropicError, httpx2.HTTPError, StreamCutError, StreamFailedError) as error:
            raise _Failed(sort_error(error, stream.usage), _retry_after(error)) from error

    def _events(self, response: httpx2.Response, deadline: float) -> Iterator[Event]:
        """Parsed events; pings count for nothing but show that the deadline is over."""
        for sent in Stream.raw_events(response):
            if self._clock() > deadline:
                raise httpx2.ReadTimeout("the deadline of this call is over")
            if sent.event not in (None, "ping"):
                yield _parsed(sent.data)

    def _timeout(self, deadline: float) -> httpx2.Timeout:
        left = max(0.001, deadline - self._clock())
        return httpx2.Timeout(min(SILENCE_SECONDS, left), connect=min(CONNECT_SECONDS, left))

    def _parameters(self, request: Request) -> dict[str, Any]:
        thinking = thinking_of(self.name)
        return {
            "model": self.name,
            "max_tokens": request.max_output_tokens,
            "system": [{"type": "text", "text": request.system, "cache_control": _CACHE_MARK}],
            "messages": _with_cache_marks(request.messages),
            **({"tools": [asdict(tool) for tool in request.tools]} if request.tools else {}),
            **({"thinking": thinking} if thinking else {}),
        }

    def _wait_or_raise(self, failed: "_Failed", wasted: Usage, attempt: int, deadline: float) -> None:
        """Wait with jitter, or for as long as the provider asks; raise where no attempt or no time is left."""
        error = failed.error
        error.usage = wasted
        wait = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** (attempt - 1)) * (0.5 + self._jitter() / 2)
        wait = max(wait, failed.retry_after_seconds)
        if isinstance(error, ModelUnavailableError) and failed.retry_after_seconds > LONGEST_WAIT_SECONDS:
            error.retry_after_seconds = failed.retry_after_seconds  # longer than any call should hold up its run
        too_late = self._clock() + wait >= deadline or wait > LONGEST_WAIT_SECONDS
        if not isinstance(error, ModelUnavailableError) or attempt == self._attempts or too_late:
            raise error from failed.__cause__
        self._sleep(wait)


class _Failed(Exception):  # noqa: N818 - one attempt's failure, already sorted
    def __init__(self, error: ModelError, retry_after_seconds: float) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after_seconds = retry_after_seconds


def sort_error(error: Exception, usage: Usage = Usage()) -> ModelError:  # noqa: B008 - immutable
    """The one border where the SDK's and the connection's errors become ours. Texts are redacted."""
    status = error.status_code if isinstance(error, anthropic.APIStatusError) else None
    message = f"{type(error).__name__}: {redact(_message(error))}"
    if _is_transient(error):
        return ModelUnavailableError(message, usage, status)
    if status in _ACCESS_STATUS or _spent(error) or _NO_CREDIT.search(message):
        remedy = "Check ANTHROPIC_API_KEY, and the credit and limits of its account"
        return ModelAccessError(f"{message}. {remedy}", usage, status)
    if found := _TOO_LONG.search(message):
        return PromptTooLongError(message, usage, status, int(found[1]) + int(found[2] or 0), int(found[3]))
    return ModelError(message, usage, status)


def _is_transient(error: Exception) -> bool:
    if isinstance(error, StreamFailedError):
        return error.kind in _TRANSIENT_KINDS
    if isinstance(error, anthropic.APIStatusError):
        return not _spent(error) and (error.status_code in _TRANSIENT_STATUS or error.status_code >= 500)
    return isinstance(
        error, anthropic.APIConnectionError | anthropic.RetryableError | httpx2.TransportError | StreamCutError
    )


def _spent(error: Exception) -> bool:
    """A spending limit answers 429 too, and only the operator can raise it."""
    return isinstance(error, anthropic.APIStatusError) and (error.error_code or "").endswith("spend_limit_reached")


def _message(error: Exception) -> str:
    if isinstance(error, anthropic.APIStatusError):
        return f"{error.status_code} {error.api_message or error.message}"
    cause = error.__cause__  # the SDK says no more than "Connection error.", of a certificate too
    return f"{error} ({cause})" if isinstance(error, anthropic.APIConnectionError) and cause else str(error)


def _retry_after(error: Exception) -> float:
    """Seconds that the provider asks to wait; 0 where it does not say."""
    if not isinstance(error, anthropic.APIStatusError):
        return 0.0
    try:
        return max(0.0, float(error.response.headers.get("retry-after", 0)))
    except ValueError:
        return 0.0


def _parsed(data: str) -> Event:
    try:
        event: Event = json.loads(data)
    except ValueError:
        raise StreamCutError("the stream carried something other than JSON") from None
    return event


def _with_cache_marks(messages: Sequence[Message]) -> list[Message]:
    """The same messages, the last two of the user marked: this turn writes the cache up to the last one and reads it up
    to the one before. (A look-up goes back only 20 blocks from a mark, which one turn can exceed.)"""
    marked = list(messages)
    from_user = [i for i in range(len(marked) - 1, max(-1, len(marked) - 8), -1) if marked[i]["role"] == "user"]
    for index in from_user[:2]:
        *before, last = marked[index]["content"]
        marked[index] = {**marked[index], "content": [*before, {**last, "cache_control": _CACHE_MARK}]}
    return marked
