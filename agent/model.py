"""The model as the loop sees it: a request in, a reply out, with what it cost in tokens."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

Block = Mapping[str, Any]
"""A content block of the Messages API, kept exactly as received or sent."""
Message = Mapping[str, Any]
"""``{"role": "user" | "assistant", "content": [Block, ...]}``."""


@dataclass(frozen=True)
class Usage:
    """Tokens of one call or of many."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*(a + b for a, b in zip(asdict(self).values(), asdict(other).values(), strict=True)))

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass(frozen=True)
class ToolSpec:
    """A tool as the model is told of it; `input_schema` is JSON Schema."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """One tool use of a reply. `arguments` is whatever JSON the model sent: not yet checked."""

    id: str
    name: str
    arguments: Any


@dataclass(frozen=True)
class Reply:
    """One answer. `blocks` are kept as received (thinking and its signatures too)."""

    blocks: tuple[Block, ...]
    stop_reason: str
    usage: Usage
    model: str

    @property
    def text(self) -> str:
        return "\n".join(b["text"] for b in self.blocks if b["type"] == "text")

    @property
    def thinking(self) -> str:
        return "\n".join(b["thinking"] for b in self.blocks if b["type"] == "thinking")

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(ToolCall(b["id"], b["name"], b["input"]) for b in self.blocks if b["type"] == "tool_use")


def _no_objection() -> None:
    return None


@dataclass(frozen=True)
class Request:
    """One question to the model. `before_retry` is called before it is put once more, and raises where it is no longer
    to be put."""

    system: str
    messages: Sequence[Message]
    tools: Sequence[ToolSpec]
    max_output_tokens: int
    deadline_seconds: float
    before_retry: Callable[[], None] = _no_objection


class Model(Protocol):
    """A language model behind some provider."""

    name: str

    def query(self, request: Request) -> Reply:
        """Raises ModelError, or ModelUnavailableError when its own bounded retries did not help."""
        ...
