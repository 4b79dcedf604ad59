"""The Messages stand-in, asked by the official SDK."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx
import pytest

from agent.scripted import text, tool_use
from app.standins.messages import Fault, MessagesServer, Script, turns_of

MODEL = "claude-sonnet-5-5"
HELLO: list[Any] = [{"role": "user", "content": "Hello"}]


def ask(server: MessagesServer, messages: list[Any] = HELLO, **parameters: Any) -> Any:
    client = anthropic.Anthropic(api_key="sk-ant-test", base_url=server.url, max_retries=0)
    with client:
        return client.messages.create(model=MODEL, max_tokens=100, messages=messages, **parameters)


def stream(server: MessagesServer) -> Any:
    client = anthropic.Anthropic(api_key="sk-ant-test", base_url=server.url, max_retries=0)
    with client, client.messages.stream(model=MODEL, max_tokens=100, messages=HELLO) as events:
        return events.get_final_message()


def always(*blocks: Any) -> Script:
    return lambda request: list(blocks)


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with MessagesServer(always(text("Hi."))) as running:
        yield running


def refusal(server: MessagesServer, messages: list[Any], **parameters: Any) -> str:
    with pytest.raises(anthropic.BadRequestError) as caught:
        ask(server, messages, **parameters)
    assert caught.value.type == "invalid_request_error"
    assert caught.value.request_id
    return str(caught.value.api_message)


def called(*ids: str) -> dict[str, Any]:
    calls = [{"type": "tool_use", "id": i, "name": "look", "input": {}} for i in ids]
    return {"role": "assistant", "content": calls}


def answered(*ids: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": "ok"} for i in ids]}


def test_the_sdk_gets_a_whole_message(server: MessagesServer) -> None:
    message = ask(server)
    assert (message.content[0].text, message.stop_reason, message.model) == ("Hi.", "end_turn", MODEL)
    assert message.usage.input_tokens > 0


def test_the_sdk_gets_the_same_message_streamed() -> None:
    call = tool_use("write_file", path="a.py", content="x = 1\n" * 200)
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    with MessagesServer(always(thinking, text("Writing."), call)) as server:
        message = stream(server)
    assert [block.to_dict() for block in message.content] == [thinking, text("Writing."), call]
    assert message.stop_reason == "tool_use"
    assert message.usage.output_tokens > 100


def test_the_script_chooses_by_the_turns_so_far() -> None:
    with MessagesServer(lambda request: [text(f"turn {turns_of(request)}")]) as server:
        first = ask(server)
        second = ask(server, [*HELLO, {"role": "assistant", "content": "x"}, {"role": "user", "content": "y"}])
    assert [first.content[0].text, second.content[0].text] == ["turn 0", "turn 1"]
    assert len(server.requests) == 2


def test_a_result_without_its_call_is_refused(server: MessagesServer) -> None:
    assert "toolu_2" in refusal(server, [*HELLO, called("toolu_1"), answered("toolu_1", "toolu_2")])


def test_a_call_without_its_result_is_refused(server: MessagesServer) -> None:
    said = refusal(server, [*HELLO, called("toolu_1", "toolu_2"), answered("toolu_1")])
    assert "without `tool_result` blocks immediately after: toolu_2" in said


def test_words_before_the_results_are_refused(server: MessagesServer) -> None:
    mixed = {"role": "user", "content": [text("Here:"), *answered("toolu_1")["content"]]}
    assert "before any other content" in refusal(server, [*HELLO, called("toolu_1"), mixed])


def test_two_results_for_one_call_are_refused(server: MessagesServer) -> None:
    assert "single result" in refusal(server, [*HELLO, called("toolu_1"), answered("toolu_1", "toolu_1")])


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], "at least one message"),
        ([{"role": "assistant", "content": "Hi"}, *HELLO], "first message must use"),
        ([*HELLO, {"role": "assistant", "content": "The answer is ("}], "prefill"),
        ([{"role": "user", "content": ""}], "non-empty content"),
        ([{"role": "user", "content": []}], "non-empty content"),
        ([{"role": "user", "content": [text("")]}], "must be non-empty"),
        ([{"role": "user", "content": [text(" \n")]}], "non-whitespace"),
    ],
)
def test_what_the_api_takes_no_message_of_is_refused(server: MessagesServer, messages: list[Any], words: str) -> None:
    assert words in refusal(server, messages)


def test_more_than_four_cache_marks_are_refused(server: MessagesServer) -> None:
    marked = [{**text(str(n)), "cache_control": {"type": "ephemeral"}} for n in range(5)]
    assert "maximum of 4" in refusal(server, [{"role": "user", "content": marked}])


def test_sampling_parameters_are_refused(server: MessagesServer) -> None:
    assert "temperature" in refusal(server, HELLO, extra_body={"temperature": 0.5})


def test_a_prompt_longer_than_the_window_is_refused() -> None:
    with MessagesServer(always(text("x")), window_tokens=100) as server:
        assert "prompt is too long" in refusal(server, [{"role": "user", "content": "word " * 100}])


@pytest.mark.parametrize("missing", ["max_tokens", "model", "messages"])
def test_required_parameters_are_required(server: MessagesServer, missing: str) -> None:
    client = anthropic.Anthropic(api_key="sk-ant-test", base_url=server.url, max_retries=0)
    body = {"model": MODEL, "max_tokens": 1, "messages": HELLO}
    del body[missing]
    with client, pytest.raises(anthropic.BadRequestError, match=f"{missing}: Field required"):
        client.post("/v1/messages", body=body, cast_to=object)


def test_a_request_without_a_key_or_a_version_is_refused(server: MessagesServer) -> None:
    body = {"model": MODEL, "max_tokens": 1, "messages": HELLO}
    no_key = httpx.post(f"{server.url}/v1/messages", json=body, headers={"anthropic-version": "2026-10-21"})
    no_version = httpx.post(f"{server.url}/v1/messages", json=body, headers={"x-api-key": "k"})
    assert (no_key.status_code, no_key.json()["error"]["type"]) == (401, "authentication_error")
    assert (no_version.status_code, no_version.json()["error"]["type"]) == (400, "invalid_request_error")


@pytest.mark.parametrize(
    ("status", "kind"),
    [(429, anthropic.RateLimitError), (500, anthropic.InternalServerError), (529, anthropic.OverloadedError)],
)
def test_scripted_errors_have_the_shape_that_the_sdk_knows(status: int, kind: type[anthropic.APIStatusError]) -> None:
    with (
        MessagesServer(lambda request: Fault(status=status, retry_after_seconds=7)) as server,
        pytest.raises(kind) as caught,
    ):
        ask(server)
    assert caught.value.response.headers["retry-after"] == "7"


def test_a_cut_stream_raises_nothing_and_has_no_stop_reason() -> None:
    with MessagesServer(lambda request: Fault(cut_after_events=4, blocks=[text("Half an ans")])) as server:
        assert stream(server).stop_reason is None


def test_a_hanging_server_times_out() -> None:
    with (
        MessagesServer(lambda request: Fault(hang_seconds=30, blocks=[text("x")])) as server,
        pytest.raises(anthropic.APITimeoutError),
    ):
        ask(server, timeout=0.2)


def test_each_turn_reads_from_the_cache_what_the_turn_before_marked() -> None:
    def marked(words: str) -> dict[str, Any]:
        return {**text(words), "cache_control": {"type": "ephemeral"}}

    system = [marked("rules " * 100)]
    first = [{"role": "user", "content": [marked("issue " * 100)]}]
    reply = {"role": "assistant", "content": [text("Yes.")]}
    with MessagesServer(always(text("Yes."))) as server:
        before = ask(server, first, system=system).usage
        second = [
            {"role": "user", "content": [text("issue " * 100)]},
            reply,
            {"role": "user", "content": [marked("go " * 100)]},
        ]
        after = ask(server, second, system=system).usage
    assert before.cache_read_input_tokens == 0
    assert before.cache_creation_input_tokens > 290
    assert after.cache_read_input_tokens == before.cache_creation_input_tokens
    assert 70 < after.cache_creation_input_tokens < 90
    assert after.input_tokens == 0


def test_the_stand_in_does_not_need_the_sdk() -> None:
    code = "import sys, app.standins.messages; assert 'anthropic' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
