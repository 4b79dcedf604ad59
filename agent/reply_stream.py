"""Puts the events of a streamed answer together, block by block, exactly as they came.

https://platform.claude.com/docs/en/build-with-claude/streaming
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from agent.model import Block, Reply, Usage
from agent.tools.tool import INVALID_JSON

Event = Mapping[str, Any]

_USAGE_FIELDS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cache_read_tokens",
    "cache_creation_input_tokens": "cache_write_tokens",
}


class StreamCutError(Exception):
    """The stream ended, or broke, before its message did."""


class StreamFailedError(Exception):
    """The provider sent an error in the middle of a stream. `kind` is its type (``overloaded_error``)."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class ReplyStream:
    """One answer in the making. `usage` grows as the provider counts."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, Any]] = []
        self._json: dict[int, list[str]] = {}
        self._counts: dict[str, int] = {}
        self._model = ""
        self._stop_reason: str | None = None
        self._ended = False

    @property
    def usage(self) -> Usage:
        return Usage(**self._counts)

    def read(self, events: Iterable[Event]) -> Reply:
        """Consume `events`. StreamCutError where they end too early, which a cut stream does not say by itself, and for
        what is none of the API's: a gateway in between may send anything."""
        try:
            return self._read(events)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise StreamCutError(f"the stream held what is no event of the API ({type(error).__name__})") from error

    def _read(self, events: Iterable[Event]) -> Reply:
        for event in events:
            self._add(event)
        if not self._ended or self._stop_reason is None:
            raise StreamCutError("the answer was cut off")
        reply = Reply(tuple(self._finished_blocks()), self._stop_reason, self.usage, self._model)
        _ = reply.text, reply.thinking, reply.tool_calls  # each block has what it is to have
        return reply

    def _add(self, event: Event) -> None:
        match event["type"]:
            case "message_start":
                self._model = event["message"]["model"]
                self._count(event["message"].get("usage"))
            case "content_block_start":
                self._blocks.append(dict(event["content_block"]))
            case "content_block_delta":
                self._extend(event["index"], event["delta"])
            case "message_delta":
                self._stop_reason = event["delta"].get("stop_reason")
                self._count(event.get("usage"))
            case "message_stop":
                self._ended = True
            case "error":
                error = event.get("error") or {}
                raise StreamFailedError(str(error.get("type", "api_error")), error.get("message", ""))

    def _extend(self, index: int, delta: Mapping[str, Any]) -> None:
        block = self._blocks[index]
        match delta["type"]:
            case "text_delta":
                block["text"] += delta["text"]
            case "thinking_delta":
                block["thinking"] += delta["thinking"]
            case "signature_delta":
                block["signature"] = delta["signature"]
            case "input_json_delta":
                self._json.setdefault(index, []).append(delta["partial_json"])

    def _count(self, usage: Mapping[str, Any] | None) -> None:
        """Counts are cumulative, and left out where they did not change."""
        for theirs, ours in _USAGE_FIELDS.items():
            if usage and usage.get(theirs) is not None:
                self._counts[ours] = int(usage[theirs])

    def _finished_blocks(self) -> Iterable[Block]:
        for index, block in enumerate(self._blocks):
            words = {name: _whole(value) if isinstance(value, str) else value for name, value in block.items()}
            text = _whole("".join(self._json.get(index, [])))
            yield {**words, "input": _object(text)} if text else words


def _whole(text: str) -> str:
    """`text` with the halves of surrogate pairs joined that two deltas brought. A half that is left alone could never
    be sent back, so that it is replaced here, before anyone has seen it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _object(text: str) -> dict[str, Any]:
    """The arguments of a call; what is no JSON object is kept under `INVALID_JSON`, for the tool to refuse."""
    try:
        value = json.loads(text)
        # What Python reads and no request can carry back: half a surrogate pair, NaN, a number beyond all bounds.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return {INVALID_JSON: text}
    return value if isinstance(value, dict) else {INVALID_JSON: text}
