"""A model that says what it was told to say: for tests, benchmarks and a demo without a key."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

from agent.model import Block, Reply, Request, Usage

Scripted = Reply | Exception | Callable[[Request], Reply]
"""A reply; an error to raise; or a function that answers to the request."""

_CALL_IDS = count(1)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def tool_use(name: str, /, **arguments: Any) -> dict[str, Any]:
    """A call of the tool `name`. Arguments that are keywords: ``tool_use("move_file", **{"from": "a", "to": "b"})``."""
    return {"type": "tool_use", "id": f"toolu_{next(_CALL_IDS):06}", "name": name, "input": arguments}


def reply(*blocks: Block, usage: Usage = Usage(100, 20), stop_reason: str | None = None) -> Reply:  # noqa: B008 - immutable
    called = any(block["type"] == "tool_use" for block in blocks)
    return Reply(tuple(blocks), stop_reason or ("tool_use" if called else "end_turn"), usage, "scripted")


class ScriptedModel:
    """Answers with `replies`, one after the other; `requests` are those it was asked, as they were then."""

    name = "scripted"

    def __init__(self, replies: Iterable[Scripted]) -> None:
        self._replies: Iterator[Scripted] = iter(replies)
        self.requests: list[Request] = []

    def query(self, request: Request) -> Reply:
        """AssertionError when the script is at its end: the test asked for more turns than it wrote."""
        self.requests.append(Request(**{**vars(request), "messages": tuple(request.messages)}))
        scripted = next(self._replies, None)
        if scripted is None:
            raise AssertionError("the script of this model has no reply left")
        if isinstance(scripted, Exception):
            raise scripted
        return scripted if isinstance(scripted, Reply) else scripted(request)
