"""Actions of the repository's own, whose steps stand for the one that uses them
(https://docs.github.com/en/actions/sharing-automations/creating-actions/creating-a-composite-action). Pure."""

from collections.abc import Callable, Iterator
from functools import cache
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.ci.files import parsed
from repo_tools.environment.ci.inputs import given_to, with_inputs
from repo_tools.environment.ci.values import items_at, node_at, text_of
from repo_tools.environment.contract import ReadFile
from repo_tools.yaml_text import Node

_MOST_STEPS = 50
_MOST_DEEP = 3
_MOST_ACTIONS = 100
"""That are entered in all: each may use itself and others many times."""
_MAX_ACTION_BYTES = 50_000
_MOST_CHARACTERS = 300_000
"""Of all that steps run: with aliases, and with actions, a file says more than it holds."""

Placed = tuple[str, Node]
"""A step, and the file in which it stands."""
Inline = Callable[[str, Node], Iterator[Placed]]
"""What a step of a file stands for: the steps of the action that it uses, or itself."""


def inlining(tree: Tree, read: ReadFile) -> Inline:
    """For the actions that `tree` has, as far as anybody's workflows go."""
    actions, characters = _MOST_ACTIONS, _MOST_CHARACTERS

    def inline(path: str, step: Node, depth: int = 0) -> Iterator[Placed]:
        nonlocal actions, characters
        own = _action(text_of(step.mapping.get("uses")), tree)
        if own is None:
            characters -= len(text_of(step.mapping.get("run")))
            if characters >= 0:
                yield path, step
        elif depth < _MOST_DEEP and actions > 0:
            actions -= 1
            root = root_of(own)
            given = given_to(step, node_at(root, "inputs"))
            for inner in items_at(root, "runs", "steps")[:_MOST_STEPS]:
                yield from inline(own, with_inputs(inner, given), depth + 1)

    @cache
    def root_of(action: str) -> Node | None:
        content = read(action)
        return parsed(content) if len(content) <= _MAX_ACTION_BYTES else None

    return inline


def _action(uses: str, tree: Tree) -> str | None:
    if not uses.startswith("./"):
        return None
    places = (normpath(f"{uses}/action.{suffix}") for suffix in ("yml", "yaml"))
    return next((place for place in places if place in tree and tree[place].mode.is_file), None)
