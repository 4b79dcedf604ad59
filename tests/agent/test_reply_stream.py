"""The events of an answer put together: what nothing could carry back is mended before anyone has seen it."""

from typing import Any

import pytest

from agent.reply_stream import ReplyStream, StreamCutError, StreamFailedError
from agent.tools.tool import INVALID_JSON


def read(start: dict[str, Any], *deltas: dict[str, str]) -> dict[str, Any]:
    """The one block of an answer that begins with `start`."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    (block,) = ReplyStream().read(events).blocks
    return dict(block)


def said(*pieces: str) -> str:
    words: str = read({"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))[
        "text"
    ]
    return words


def called(*pieces: str) -> Any:
    start = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
    return read(start, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))["input"]


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (("a\0b",), "a\0b"),
        (("\ufeffa", "\r\n"), "\ufeffa\r\n"),
        (("\ud83e", "\uddea"), "🧪"),
        (("a\ud83e", "b"), "a\ufffdb"),
        (("\uddea\ud83e",), "\ufffd\ufffd"),
    ],
)
def test_text_is_as_it_came_but_for_halves_of_characters(pieces: tuple[str, ...], whole: str) -> None:
    assert said(*pieces) == whole
    thought = ({"type": "thinking_delta", "thinking": piece} for piece in pieces)
    assert read({"type": "thinking", "thinking": "", "signature": ""}, *thought)["thinking"] == whole


def test_arguments_are_as_they_came() -> None:
    assert called('{"a": "\\u0000", ', '"b": [1.5, 10000000000000000000000, null]}') == {
        "a": "\0",
        "b": [1.5, 10**22, None],
    }


@pytest.mark.parametrize(
    "arguments",
    ['{"a": "\\ud83d"}', '{"a": NaN}', '{"a": -Infinity}', '{"a": 1e999}', '{"a"', "[1]", "[" * 100_000],
)
def test_arguments_that_no_request_could_carry_back_are_kept_as_text(arguments: str) -> None:
    assert called(arguments) == {INVALID_JSON: arguments}


def test_half_a_character_in_arguments_that_are_no_json_is_replaced() -> None:
    assert called('{"a\ud83d') == {INVALID_JSON: '{"a\ufffd'}


START = {"type": "message_start", "message": {"model": "m"}}


@pytest.mark.parametrize(
    "events",
    [
        [None],
        [[1]],
        [{}],
        [{"type": "message_start", "message": {}}],
        [START, {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}],
        [START, {"type": "content_block_start", "index": 1, "content_block": None}],
        [START, {"type": "content_block_start", "index": 0, "content_block": "text"}],
        [{"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": "many"}}}],
        [{"type": "error", "error": "boom"}],
        [
            START,
            {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "name": "look"}},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
            {"type": "message_stop"},
        ],
    ],
    ids=str,
)
def test_what_is_no_event_of_the_api_cuts_the_stream(events: list[Any]) -> None:
    """Q21: a gateway may send anything; the call is tried again, and is no fault of ours."""
    with pytest.raises(StreamCutError):
        ReplyStream().read(events)


def test_a_kind_of_error_that_is_no_text_is_told_as_one() -> None:
    with pytest.raises(StreamFailedError) as raised:
        ReplyStream().read([{"type": "error", "error": {"type": {"code": 1}, "message": "boom"}}])
    assert isinstance(raised.value.kind, str)
