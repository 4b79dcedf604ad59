"""The commands of a script, and under which conditions they stand."""

import pytest

from repo_tools.environment.shell.parse import parse
from repo_tools.environment.shell.walk import Placed, When, commands_in


def walked(text: str) -> dict[str, Placed]:
    return {placed.command.text: placed for placed in commands_in(parse(text).body)}


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("x", When.ALWAYS),
        ("a; x", When.ALWAYS),
        ("a && x", When.AFTER_SUCCESS),
        ("a || x", When.AFTER_FAILURE),
        ("a && b || x", When.AFTER_SUCCESS | When.AFTER_FAILURE),
        ("[ -f a ] && x", When.ON_CONDITION | When.AFTER_SUCCESS),
        ("! a && x", When.ON_CONDITION | When.AFTER_SUCCESS),
        ("if a; then x; fi", When.ON_CONDITION),
        ("if x; then a; fi", When.ALWAYS),
        ("if a; then b; elif x; then c; fi", When.ON_CONDITION),
        ("if a; then b; else x; fi", When.ON_CONDITION),
        ("case a in b) x ;; esac", When.ON_CONDITION),
        ("for a in b; do x; done", When.IN_LOOP),
        ("f() { x; }", When.IN_FUNCTION),
        ("a && (b; x)", When.AFTER_SUCCESS),
        ("{ a && b; }; x", When.ALWAYS),
    ],
)
def test_a_command_stands_under_conditions(text: str, when: When) -> None:
    assert walked(text)["x"].when is when


def test_shells_pipes_and_what_nothing_waits_for_are_told() -> None:
    found = walked("(a; (b)) & c | d\nif e; then f; fi")
    assert [found[name].shells for name in "abc"] == [1, 2, 0]
    assert [name for name in found if found[name].is_beside] == ["a", "b"]
    assert [name for name in found if found[name].feeds] == ["c"]
    assert [name for name in found if found[name].is_fed] == ["d"]
    assert [name for name in found if found[name].is_asked] == ["e"]
