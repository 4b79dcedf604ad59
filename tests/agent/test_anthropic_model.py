"""The model behind the official SDK, against the local Messages API."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

import anthropic
import httpx2
import pytest

from agent.anthropic_model import AnthropicModel, sort_error
from agent.errors import ContextFull, ModelAccessError, ModelError, ModelUnavailableError, PromptTooLongError, Submitted
from agent.loop import Agent
from agent.model import Reply, Request, ToolSpec, Usage
from agent.reply_stream import StreamCutError, StreamFailedError
from agent.scripted import text, tool_use
from app.demo.ports import held_port
from app.standins.messages import Fault, MessagesServer, Script, turns_of
from tests.support.memory_workspace import TASK, MemoryWorkspace, Recorder, make_agent

MODEL = "claude-sonnet-5-5"
KEY = "sk-ant-api03-" + "k3Y" * 20
E = TypeVar("E", bound=Exception)
TOOLS = (ToolSpec("look", "Look.", {"type": "object", "properties": {}}),)
HELLO = ({"role": "user", "content": [text("Hello")]},)


class Pace:
    """A clock that only `sleep` moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def model_at(url: str, pace: Pace | None = None, **options: Any) -> AnthropicModel:
    pace = pace or Pace()
    return AnthropicModel(MODEL, KEY, url, clock=pace.clock, sleep=pace.sleep, jitter=lambda: 0.5, **options)


def request(deadline_seconds: float = 600.0) -> Request:
    return Request("Be brief.", HELLO, TOOLS, 1_000, deadline_seconds)


def query(script: Script, pace: Pace | None = None, deadline_seconds: float = 600.0) -> tuple[Reply, MessagesServer]:
    with MessagesServer(script) as server:
        model = model_at(server.url, pace)
        try:
            return model.query(request(deadline_seconds)), server
        finally:
            model.close()


def failing(*faults: Fault) -> Script:
    left: Iterator[Fault] = iter(faults)
    return lambda request: next(left, None) or [text("Hi.")]


def test_blocks_come_back_exactly_as_the_api_sent_them() -> None:
    thinking = {"type": "thinking", "thinking": "Hm. " * 100, "signature": "c2lnbmF0dXJl"}
    call = tool_use("look", path="ä.py", deep={"a": [1, None]})
    reply, server = query(lambda request: [thinking, text("Looking."), call])
    assert reply.blocks == (thinking, text("Looking."), call)
    assert (reply.stop_reason, reply.model) == ("tool_use", MODEL)
    assert reply.usage.output_tokens > 0
    assert reply.tool_calls[0].arguments == {"path": "ä.py", "deep": {"a": [1, None]}}
    assert server.requests[0]["stream"] is True


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=429),
        Fault(status=500),
        Fault(status=503),
        Fault(status=529),
        Fault(cut_after_events=4, blocks=[text("Half")]),
        Fault(cut_after_events=0),
        Fault(cut_after_events=3, error_event="overloaded_error", blocks=[text("Half")]),
    ],
    ids=lambda fault: str(fault.status or fault.error_event or f"cut after {fault.cut_after_events}"),
)
def test_what_may_pass_is_tried_again_after_a_wait(fault: Fault) -> None:
    """Q21: limited, overloaded, broken, cut off."""
    pace = Pace()
    reply, server = query(failing(fault, fault), pace)
    assert reply.text == "Hi."
    assert len(server.requests) == 3
    assert pace.waits == [0.75, 1.5]


def test_what_stays_away_is_given_up_after_the_bounded_attempts() -> None:
    """Q21."""
    pace = Pace()
    with pytest.raises(ModelUnavailableError, match="529"):
        query(lambda request: Fault(status=529), pace)
    assert len(pace.waits) == 5


def test_a_question_that_is_no_longer_to_be_put_is_not_put_again() -> None:
    def before_retry() -> None:
        raise InterruptedError

    with MessagesServer(failing(Fault(status=529), Fault(status=529))) as server:
        model = model_at(server.url)
        with pytest.raises(InterruptedError):
            model.query(replace(request(), before_retry=before_retry))
        assert len(server.requests) == 1
        model.close()


def test_a_cut_stream_costs_what_it_had_counted() -> None:
    reply, _ = query(failing(Fault(cut_after_events=4, blocks=[text("Half")])))
    whole, _ = query(failing())
    assert reply.usage.cache_read_tokens + reply.usage.cache_write_tokens == 2 * whole.usage.cache_write_tokens
    with pytest.raises(ModelUnavailableError) as caught:
        query(lambda request: Fault(cut_after_events=4, blocks=[text("Half")]))
    assert caught.value.usage.total_tokens > 0


def test_the_provider_says_how_long_to_wait() -> None:
    pace = Pace()
    query(failing(Fault(status=429, retry_after_seconds=33)), pace)
    assert pace.waits == [33]


def test_no_wait_goes_beyond_the_deadline_of_the_call() -> None:
    """Q21."""
    pace = Pace()
    with pytest.raises(ModelUnavailableError):
        query(failing(Fault(status=429, retry_after_seconds=33)), pace, deadline_seconds=20)
    assert pace.waits == []


def test_a_server_that_hangs_ends_at_the_deadline() -> None:
    """Q21."""
    with MessagesServer(lambda request: Fault(hang_seconds=60, blocks=[text("x")])) as server:
        model = AnthropicModel(MODEL, KEY, server.url)
        with pytest.raises(ModelUnavailableError, match="APITimeoutError"):
            model.query(request(deadline_seconds=0.3))
        model.close()


def test_a_stream_that_only_pings_ends_at_the_deadline() -> None:
    pace = Pace()

    def script(request: dict[str, Any]) -> list[Any]:
        pace.now += 700  # while the answer is on its way
        return [text("too late")]

    with pytest.raises(ModelUnavailableError, match="deadline"):
        query(script, pace)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_what_the_operator_must_mend_is_not_tried_again(status: int) -> None:
    asked: list[object] = []

    def script(request: dict[str, Any]) -> Fault:
        asked.append(request)
        return Fault(status=status)

    with pytest.raises(ModelError) as caught:
        query(script)
    assert not isinstance(caught.value, ModelUnavailableError)
    assert len(asked) == 1


def test_a_conversation_that_the_provider_counts_as_too_long_ends_as_one() -> None:
    """Our own guess of its length is too low for some scripts and models: no fault of the operator's key or model."""

    def script(request: dict[str, Any]) -> list[Any]:
        return [text("Plan."), tool_use("read_file", path="a.txt")]

    with MessagesServer(script, window_tokens=4_000) as server:
        agent: Agent = make_agent([], MemoryWorkspace({"a.txt": b"words and words\n" * 700}))
        agent.model = model = model_at(server.url)
        attempt = agent.run(TASK)
        model.close()
    assert isinstance(attempt.ending, ContextFull)
    assert "window holds 4000" in str(attempt.ending)


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        ("prompt is too long: 203451 tokens > 200000 maximum", 203_451),
        ("input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease them", 222_000),
    ],
)
def test_each_way_in_which_the_api_says_that_a_prompt_is_too_long_is_known(words: str, needed: int) -> None:
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": words}}
    error = sort_error(anthropic.BadRequestError(words, response=httpx2.Response(400, request=SDK_REQUEST), body=body))
    assert isinstance(error, PromptTooLongError)
    assert (error.needed, error.window) == (needed, 200_000)


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with held_port() as held:
        model = model_at(f"http://127.0.0.1:{held.getsockname()[1]}")
        with pytest.raises(ModelUnavailableError, match=r"APIConnectionError: .*Connection refused"):
            model.query(request())
        model.close()


def test_arguments_that_are_no_json_reach_the_loop_as_an_error_for_the_model() -> None:
    """Q21: each of them costs a turn."""

    def script(request: dict[str, Any]) -> Any:
        if turns_of(request) == 0:
            return Fault(raw_json='{"path": "a.py", ', blocks=[tool_use("read_file", path="a.py")])
        return [tool_use("give_up", reason="enough")]

    with MessagesServer(script) as server:
        agent: Agent = make_agent([])
        agent.model = model = model_at(server.url)
        attempt = agent.run(TASK)
        model.close()
    assert not server.refusals
    assert "not valid JSON" in attempt.transcript.turns[0].tools[0].result
    assert agent.budget.turns == 2


def test_a_whole_attempt_is_accepted_by_an_api_that_refuses_what_the_real_one_refuses() -> None:
    turns: list[list[Any]] = [
        [text("Criterion and plan."), tool_use("read_file", path="calc.py"), tool_use("nonsense")],
        [],
        [text("  "), tool_use("edit_file", path="calc.py", old="a - b", new="a + b"), tool_use("run_tests")],
        [text("no call")],
        [{"type": "thinking", "thinking": "Done?", "signature": "c2ln"}, tool_use("finish", summary="sign")],
    ]
    workspace = MemoryWorkspace({"calc.py": b"def add(a, b):\r\n    return a - b\r\n"})
    with MessagesServer(lambda request: turns[len(record.data("reply"))]) as server:
        record = Recorder()
        agent: Agent = make_agent([], workspace, record=record)
        agent.model = model = model_at(server.url)
        attempt = agent.run(TASK)
        model.close()
    assert isinstance(attempt.ending, Submitted)
    assert [refusal.message for refusal in server.refusals] == []
    assert workspace.files["calc.py"] == b"def add(a, b):\r\n    return a + b\r\n"


def test_each_turn_reads_what_came_before_from_the_cache() -> None:
    record = Recorder()

    def script(request: dict[str, Any]) -> list[Any]:
        assert sum("cache_control" in str(part) for part in (request["system"], *request["messages"])) <= 4
        return (
            [text("On."), tool_use("read_file", path="a.txt")]
            if turns_of(request) < 6
            else [tool_use("give_up", reason="x")]
        )

    with MessagesServer(script) as server:
        agent: Agent = make_agent([], MemoryWorkspace({"a.txt": b"words and words\n" * 200}), record=record)
        agent.model = model = model_at(server.url)
        agent.run(TASK)
        model.close()
    usages = [Usage(**data["usage"]) for data in record.data("reply")]
    for before, after in pairwise(usages):
        assert after.input_tokens == 0
        assert after.cache_read_tokens == before.cache_read_tokens + before.cache_write_tokens


def test_thinking_is_asked_for_only_where_the_model_knows_it() -> None:
    for name, expected in (("claude-haiku-4-5-20251001", False), ("claude-opus-4-6", True), ("local/llama", False)):
        with MessagesServer(lambda request: [text("Hi.")]) as server:
            model = AnthropicModel(name, KEY, server.url)
            model.query(request())
            model.close()
        assert ("thinking" in server.requests[0]) is expected, name


def test_the_key_is_in_no_log_no_repr_and_no_error(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with MessagesServer(lambda request: Fault(status=401)) as server:
        model = model_at(server.url)
        with pytest.raises(ModelError) as caught:
            model.query(request())
        model.close()
    assert KEY not in caplog.text + repr(model) + str(vars(model)) + str(caught.value) + repr(caught.value.__cause__)


def all_subclasses(kind: type[E]) -> set[type[E]]:
    return {kind} | {below for child in kind.__subclasses__() for below in all_subclasses(child)}


SDK_REQUEST = httpx2.Request("POST", "http://localhost/v1/messages")
PERMANENT = {400, 401, 402, 403, 404, 412, 413, 422, 431, 499}


def test_every_error_that_the_sdk_answers_a_status_with_is_sorted() -> None:
    kinds = {k for k in all_subclasses(anthropic.APIStatusError) if isinstance(getattr(k, "status_code", None), int)}
    assert len(kinds) > 15
    for kind in kinds:
        response = httpx2.Response(kind.status_code, request=SDK_REQUEST)
        sorted_error = sort_error(kind("no", response=response, body=None))
        assert sorted_error.status == response.status_code
        assert isinstance(sorted_error, ModelUnavailableError) is (kind.status_code not in PERMANENT), kind


def test_every_other_error_of_the_sdk_and_of_the_connection_is_sorted() -> None:
    with_status = all_subclasses(anthropic.APIStatusError)
    others = all_subclasses(anthropic.AnthropicError) - with_status
    transient = {k.__name__ for k in others if isinstance(sort_error(made(k)), ModelUnavailableError)}
    assert transient == {"APIConnectionError", "APITimeoutError", "RetryableError"}
    assert isinstance(sort_error(httpx2.ReadError("cut")), ModelUnavailableError)
    assert isinstance(sort_error(StreamCutError("cut")), ModelUnavailableError)
    assert isinstance(sort_error(StreamFailedError("overloaded_error", "")), ModelUnavailableError)
    assert not isinstance(sort_error(StreamFailedError("invalid_request_error", "")), ModelUnavailableError)


def made(kind: type[Exception]) -> Exception:
    """An instance, whatever its constructor asks for."""
    error = kind.__new__(kind, "words")
    vars(error).update(message="words", request_id=None)
    return error


def test_a_spending_limit_is_for_the_operator_although_it_answers_429() -> None:
    body = {"error": {"type": "rate_limit_error", "details": {"error_code": "enforced_spend_limit_reached"}}}
    error = anthropic.RateLimitError("no", response=httpx2.Response(429, request=SDK_REQUEST), body=body)
    assert isinstance(sort_error(error), ModelAccessError)


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (401, "invalid x-api-key", ModelAccessError),
        (402, "There is a problem with your billing", ModelAccessError),
        (403, "Your API key may not use this resource", ModelAccessError),
        (400, "Your credit balance is too low to access the Anthropic API.", ModelAccessError),
        (400, "messages: at least one is required", ModelError),
        (404, "model: claude-none", ModelError),
    ],
)
def test_what_only_the_operator_can_mend_is_told_from_a_request_that_is_wrong(
    status: int, words: str, kind: type[ModelError]
) -> None:
    response = httpx2.Response(status, request=SDK_REQUEST)
    error = sort_error(anthropic.APIStatusError(words, response=response, body={"error": {"message": words}}))
    assert type(error) is kind
