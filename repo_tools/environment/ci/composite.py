"""Actions of the repository's own, whose steps stand for the one that uses them
(https://docs.github.com/en/actions/sharing-automations/creating-actions/creating-a-composite-action). Pure."""

from collections.abc import Callable, Iterator
from itertools import count
from posixpath import normpath

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.ci.values import text_of
from repo_tools.environment.contract import ReadFile
from repo_tools.yaml_text import Node, YamlError, parse_yaml

MAX_BYTES = 200_000
_MOST_STEPS = 50
_MOST_DEEP = 3
_MOST_ACTIONS = 300
"""That are entered in all: each may use itself and others many times."""
_FILES = (FileMode.REGULAR, FileMode.EXECUTABLE)

Placed = tuple[str, Node]
"""A step, and the file in which it stands."""
Inline = Callable[[str, Node], Iterator[Placed]]
"""What a step of a file stands for: the steps of the action that it uses, or itself."""


def inlining(tree: Tree, read: ReadFile) -> Inline:
    """For the actions that `tree` has."""
    left = count(_MOST_ACTIONS, -1)

    def inline(path: str, step: Node, depth: int = 0) -> Iterator[Placed]:
        own = _action(text_of(step.mapping.get("uses")), tree)
        if own is None:
            yield path, step
        if own is None or depth == _MOST_DEEP or next(left) < 0:
            return
        root = parsed(read(own))
        runs = root.mapping.get("runs") if root else None
        steps = runs.mapping.get("steps") if runs else None
        for inner in steps.items[:_MOST_STEPS] if steps else ():
            yield from inline(own, inner, depth + 1)

    return inline


def parsed(content: bytes) -> Node | None:
    """A workflow's or an action's file; None where it cannot be read."""
    if len(content) > MAX_BYTES:
        return None
    try:
        return parse_yaml(content.decode("utf-8", "replace"), follow_aliases=True).root
    except YamlError:
        return None


def _action(uses: str, tree: Tree) -> str | None:
    if not uses.startswith("./"):
        return None
    places = (normpath(f"{uses}/action.{suffix}") for suffix in ("yml", "yaml"))
    return next((place for place in places if place in tree and tree[place].mode in _FILES), None)
