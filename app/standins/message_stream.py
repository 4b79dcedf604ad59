"""The shapes of an answer: a whole message, or the events of a stream."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Block = Mapping[str, Any]
PIECE_CHARACTERS = 200


def message_of(blocks: Sequence[Block], usage: Mapping[str, int], model: str, message_id: str) -> dict[str, Any]:
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list(blocks),
        "stop_reason": stop_reason_of(blocks),
        "stop_sequence": None,
        "usage": dict(usage),
    }


def stop_reason_of(blocks: Sequence[Block]) -> str:
    return "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"


def events_of(message: Mapping[str, Any], raw_json: str | None = None) -> Iterator[bytes]:
    """The message as server-sent events. `raw_json` stands in for the arguments of every tool call."""
    start = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield _event({"type": "message_start", "message": start})
    yield _event({"type": "ping"})
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block, raw_json)
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event(
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": message["usage"]["output_tokens"]}}
    )
    yield _event({"type": "message_stop"})


def error_event(body: Mapping[str, Any]) -> bytes:
    return _event(body)


def _block_events(index: int, block: Block, raw_json: str | None) -> Iterator[bytes]:
    start, deltas = _split(block, raw_json)
    yield _event({"type": "content_block_start", "index": index, "content_block": start})
    for delta in deltas:
        yield _event({"type": "content_block_delta", "index": index, "delta": delta})
    yield _event({"type": "content_block_stop", "index": index})


def _split(block: Block, raw_json: str | None) -> tuple[Block, list[dict[str, str]]]:
    """How a block begins, and what is added to it."""
    match block["type"]:
        case "text":
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
            return {**block, "text": ""}, deltas
        case "thinking":
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"])]
            signature = {"type": "signature_delta", "signature": block.get("signature", "")}
            return {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signature]
        case "tool_use":
            arguments = json.dumps(block["input"]) if raw_json is None else raw_json
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(arguments)]
            return {**block, "input": {}}, deltas
    raise ValueError(f"a script cannot answer with a block of type {block['type']!r}")


def _pieces(text: str) -> Iterator[str]:
    yield from (text[at : at + PIECE_CHARACTERS] for at in range(0, len(text), PIECE_CHARACTERS))


def _event(data: Mapping[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()
