"""A repository of a few lines with a bug, and the turns that mend it."""

from typing import Any

from agent.scripted import text, tool_use

FILES: dict[str, bytes] = {
    "calc.py": b"def total(prices):\n    return sum(prices[1:])\n",
    "test_calc.py": b"from calc import total\n\n\ndef test_of_nothing_is_nothing():\n    assert total([]) == 0\n",
    "README.md": b"# calc\n",
}

NEW_TEST = "from calc import total\n\n\ndef test_the_first_price_counts():\n    assert total([1, 2, 3]) == 6\n"

Blocks = list[dict[str, Any]]

PLAN: Blocks = [text("Success criterion: the first price counts.\n\nPlan: a test, the correction, the suite.")]


def write_test(content: str = NEW_TEST) -> dict[str, Any]:
    return tool_use("write_file", path="test_first_price.py", content=content)


def mend() -> dict[str, Any]:
    return tool_use("edit_file", path="calc.py", old="sum(prices[1:])", new="sum(prices)")


def add_a_name() -> Blocks:
    """A function `grand_total` that mends nothing, and a test that is red before only because it is not there."""
    test = "from calc import grand_total\n\n\ndef test_all():\n    assert grand_total([1, 2]) == 3\n"
    added = "def grand_total(prices):\n    return sum(prices)\n\n\ndef total(prices):"
    return [
        tool_use("write_file", path="test_grand_total.py", content=test),
        tool_use("edit_file", path="calc.py", old="def total(prices):", new=added),
    ]


def finish() -> dict[str, Any]:
    return tool_use("finish", summary="The first price was left out of the sum. It is counted now.")


def mended(*extra: dict[str, Any]) -> list[Blocks]:
    """The turns of a proved fix; `extra` calls are made before it is handed in."""
    return [[*PLAN, write_test(), mend(), *extra], [finish()]]
