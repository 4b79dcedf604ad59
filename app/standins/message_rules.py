"""What the Messages API refuses, and in which words. Pure.

Rules and error shapes: https://platform.claude.com/docs/en/api/errors, and prompt caching in the same documentation.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_CACHE_MARKS = 4
REMOVED_PARAMETERS = ("temperature", "top_p", "top_k")


@dataclass(frozen=True)
class Refusal:
    """An error answer: HTTP status, the API's error type, the text."""

    status: int
    kind: str
    message: str

    def body(self, request_id: str) -> dict[str, Any]:
        return {
            "type": "error",
            "error": {"type": self.kind, "message": self.message},
            "request_id": request_id,
        }


def refusal_of(headers: Mapping[str, str], request: Any, window_tokens: int) -> Refusal | None:
    """Why this request would not be answered, if it would not. `headers` by lower-case names."""
    if not headers.get("x-api-key") and not headers.get("authorization"):
        return Refusal(401, "authentication_error", "x-api-key header is required")
    problem = _problem(headers, request, window_tokens)
    return Refusal(400, "invalid_request_error", problem) if problem else None


def estimated_tokens(value: Any) -> int:
    """About four characters of JSON text make a token."""
    return sum(len(text) for text in _texts(value)) // 4


def _problem(headers: Mapping[str, str], request: Any, window_tokens: int) -> str | None:
    if not headers.get("anthropic-version"):
        return "anthropic-version: header is required"
    if not isinstance(request, dict):
        return "The request body is not valid JSON"
    return (
        _parameter_problem(request)
        or next(_message_problems(request["messages"]), None)
        or _cache_problem(request)
        or _length_problem(request, window_tokens)
    )


def _parameter_problem(request: Mapping[str, Any]) -> str | None:
    for name in ("model", "max_tokens", "messages"):
        if name not in request:
            return f"{name}: Field required"
    if not isinstance(request["max_tokens"], int) or request["max_tokens"] < 1:
        return "max_tokens: Input should be greater than or equal to 1"
    removed = next((name for name in REMOVED_PARAMETERS if name in request), None)
    if removed:
        return f"{removed}: Extra inputs are not permitted"
    if not isinstance(request["messages"], list) or not request["messages"]:
        return "messages: at least one message is required"
    return None


def _message_problems(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """In order, so that the first is the one that the API names."""
    if messages[0].get("role") != "user":
        yield 'messages: first message must use the "user" role'
    if messages[-1].get("role") != "user":
        yield "This model does not support assistant message prefill. The conversation must end with a user message."
    for index, message in enumerate(messages):
        yield from _content_problems(index, message)
        before = messages[index - 1] if index else {}
        yield from _result_problems(index, message, before)
        after = messages[index + 1] if index + 1 < len(messages) else {}
        yield from _call_problems(index, message, after)


def _content_problems(index: int, message: Mapping[str, Any]) -> Iterator[str]:
    if message.get("role") not in ("user", "assistant"):
        yield f"messages.{index}.role: Input should be 'user' or 'assistant'"
    if not message.get("content"):
        yield f"messages.{index}: {message.get('role')} messages must have non-empty content"
    for place, block in enumerate(_blocks(message)):
        if block.get("type") == "text" and not block.get("text"):
            yield f"messages.{index}.content.{place}.text: text content blocks must be non-empty"
        elif block.get("type") == "text" and not block["text"].strip():
            yield f"messages.{index}.content.{place}.text: text content blocks must contain non-whitespace text"
        elif block.get("type") == "tool_use" and not isinstance(block.get("input"), dict):
            yield f"messages.{index}.content.{place}.tool_use.input: Input should be a valid dictionary"


def _result_problems(index: int, message: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    called = [b["id"] for b in _blocks(before) if b.get("type") == "tool_use"]
    answered = [b["tool_use_id"] for b in _blocks(message) if b.get("type") == "tool_result"]
    for place, block_id in enumerate(answered):
        if block_id not in called:
            yield (
                f"messages.{index}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: "
                f"{block_id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous "
                "message."
            )
    kinds = [block.get("type") for block in _blocks(message)]
    if answered and kinds[: len(answered)] != ["tool_result"] * len(answered):
        yield f"messages.{index}: `tool_result` blocks must come before any other content"
    if len(set(answered)) != len(answered):
        yield f"messages.{index}.content: each tool_use must have a single result. Found multiple `tool_result` blocks"


def _call_problems(index: int, message: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    called = [b["id"] for b in _blocks(message) if b.get("type") == "tool_use"]
    if len(set(called)) != len(called):
        yield f"messages.{index}.content: `tool_use` ids must be unique"
    answered = {b["tool_use_id"] for b in _blocks(after) if b.get("type") == "tool_result"}
    missing = [call for call in called if call not in answered]
    if missing:
        yield (
            f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message."
        )


def _cache_problem(request: Mapping[str, Any]) -> str | None:
    marks = sum("cache_control" in part for part in parts(request))
    if marks > MAX_CACHE_MARKS:
        return f"A maximum of {MAX_CACHE_MARKS} blocks with cache_control may be provided. Found {marks}."
    return None


def _length_problem(request: Mapping[str, Any], window_tokens: int) -> str | None:
    tokens = sum(estimated_tokens(part) for part in parts(request))
    if tokens > window_tokens:
        return f"prompt is too long: {tokens} tokens > {window_tokens} maximum"
    return None


def parts(request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Everything that a cache mark can stand on, in the order in which the cache sees it: tools, system, messages."""
    yield from request.get("tools") or []
    system = request.get("system") or []
    yield from [{"type": "text", "text": system}] if isinstance(system, str) else system
    for message in request["messages"]:
        yield from _blocks(message)


def _blocks(message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key != "cache_control":
                yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
