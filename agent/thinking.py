"""How a model is asked to think. https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking"""

from collections.abc import Mapping

ADAPTIVE = {"type": "adaptive", "display": "summarized"}
"""Without it, newer models keep to themselves what they write between tool calls."""
WITHOUT_ADAPTIVE = (
    "claude-3",
    "claude-haiku-4",
    *(f"claude-{family}-4-{minor}" for family in ("opus", "sonnet") for minor in (0, 1, 2, 5)),
)
"""How names of models begin that know nothing of it."""


def thinking_of(model: str) -> Mapping[str, str] | None:
    """The request's parameter for this model; None where it has none."""
    adaptive = model.startswith("claude-") and not model.startswith(WITHOUT_ADAPTIVE)
    return ADAPTIVE if adaptive else None
