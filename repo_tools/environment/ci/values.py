"""What the expressions of a workflow stand for, as far as it can be known without running it.

https://docs.github.com/en/actions/reference/workflows-and-actions/expressions
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.yaml_text import Node

MAX_CHARACTERS = 4_000
MOST_VARIABLES = 100

UNKNOWN = "\0"
"""Stands in a line of a script for what an expression in it comes to, where that cannot be known."""
_EXPRESSION = re.compile(r"\$\{\{((?:[^}]|\}(?!\})){0,1000})\}\}")
_SWITCH = frozenset({"0", "1"})
_CONTEXT = re.compile(r"(matrix|env)\.([\w-]+(?:\.[\w-]+|\[\d+\])?)|(matrix|env)\['([\w-]+)'\]")
_SERVICE_PORT = re.compile(
    r"job\.services\.([\w-]+)\.ports(?:\[?\.?['\"]?(\d+)['\"]?\]?|\[\s*((?:matrix|env)\.[\w-]+)\s*\])"
)
_INPUT = re.compile(r"(?:github\.event\.)?inputs\.[\w-]+")
"""What somebody who starts the workflow by hand may give."""
_QUOTED = re.compile(r"'([^'&]*)'")
_IF = re.compile(r"((?:matrix|env)\.[\w-]+)\s*(==|!=)\s*'([^']*)'\s*&&\s*'([^']*)'")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FINAL_VERSION = re.compile(r"(?!\d{4,5}$)v?(\d+)((?:\.(?:\d+|x|\*))*)")
"""A port is none: sorted by itself, it would be another job's than the image beside it."""


@dataclass(frozen=True)
class Scope:
    """What expressions of one job or step may name. `matrix`: every value of each dimension, the newest first, and an
    empty one at an end where some of its jobs have none; `ports`: (service, port inside) -> port that tests use."""

    matrix: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    ports: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def resolve(self, text: str) -> str | None:
        """`text` with its expressions replaced, a dimension of the matrix by its newest value; None where one cannot be
        known (secrets, functions, other jobs)."""
        if len(text) > MAX_CHARACTERS:
            return None
        unknown = False

        def value(found: re.Match[str]) -> str:
            nonlocal unknown
            known = self._value(found[1].strip())
            unknown |= known is None
            return known or ""

        resolved = _EXPRESSION.sub(value, text)
        return None if unknown or "${{" in resolved else resolved

    def resolve_in_part(self, line: str) -> str:
        """`line` of a script, with `UNKNOWN` for each expression that `resolve` cannot know."""
        known = self.resolve(line)
        if known is not None:
            return known
        if len(line) > MAX_CHARACTERS:
            return UNKNOWN
        return _EXPRESSION.sub(lambda found: value if (value := self.resolve(found[0])) is not None else UNKNOWN, line)

    def values(self, text: str) -> tuple[str, ...]:
        """Every value that `text` may have, the newest first: those of a dimension where it names just that."""
        whole = _EXPRESSION.fullmatch(text.strip()) if len(text) <= MAX_CHARACTERS else None
        named = _CONTEXT.fullmatch(whole[1].strip()) if whole else None
        if named and "matrix" in (named[1], named[3]):
            return tuple(filter(None, self._dimension(named)))
        known = self.resolve(text)
        return (known,) if known else ()

    def _value(self, expression: str) -> str | None:
        if expression == "github.workspace":
            return WORKSPACE
        if port := _SERVICE_PORT.fullmatch(expression):
            inside = port[2] or self._value(port[3])
            return self.ports.get((port[1], inside), inside) if inside else None
        first, *others = (part.strip() for part in expression.split("||"))
        if others:
            return self._either(first, others)
        if asked := _IF.fullmatch(expression):
            known = self._value(asked[1])
            return None if known is None else asked[4] if (known == asked[3]) is (asked[2] == "==") else ""
        if not (named := _CONTEXT.fullmatch(expression)):
            return None
        if "env" in (named[1], named[3]):
            return self.env.get(named[2] or named[4])
        values = self._dimension(named)
        return values[0] if any(values) else None

    def _either(self, first: str, others: list[str]) -> str | None:
        """Where only some jobs of a matrix set a value, the others are the plain ones: they have the default."""
        named = _CONTEXT.fullmatch(first)
        lacking = _INPUT.fullmatch(first) or (named and "" in self._dimension(named))
        known = "" if lacking else self._value(first)
        quoted = [_QUOTED.fullmatch(other) for other in others]
        if known is None or not all(quoted):
            return None
        return next(filter(None, (known, *(found[1] for found in quoted if found))), "")

    def _dimension(self, named: re.Match[str]) -> tuple[str, ...]:
        return self.matrix.get(named[2] or named[4], ()) if "matrix" in (named[1], named[3]) else ()


def node_at(node: Node | None, *keys: str) -> Node | None:
    """What stands at `keys`, one mapping within another; None where nothing does."""
    for key in keys:
        node = node.mapping.get(key) if node else None
    return node


def items_at(node: Node | None, *keys: str) -> tuple[Node, ...]:
    """The elements of the list at `keys`; none where there is no such list."""
    found = node_at(node, *keys)
    return found.items if found else ()


def text_of(node: Node | None) -> str:
    """A scalar as text, as GitHub would put it into an expression; empty for everything else."""
    if node is None or isinstance(node.value, (list, dict)) or node.value is None:
        return ""
    return str(node.value).lower() if isinstance(node.value, bool) else str(node.value)


def variables_of(owner: Node | None, scope: Scope) -> dict[str, str]:
    """The `env` of a workflow, a job or a step; what cannot be known is left out."""
    env = node_at(owner, "env")
    found = {}
    for name, node in list(env.mapping.items() if env else ())[:MOST_VARIABLES]:
        value = None if isinstance(node.value, (list, dict)) else scope.resolve(text_of(node))
        if value is not None and _NAME.fullmatch(name) and "\0" not in value:
            found[name] = value
    return found


def newest_first(values: Iterable[str]) -> tuple[str, ...]:
    """Each once; final versions by their numbers, a line of them (``3`` beside ``3.12``) as its newest, then what is
    none (``pypy-3.10``, ``sqlite``) as it was given. Switches, 0 and 1, are no versions: they stay as they were."""
    each = tuple(dict.fromkeys(values))
    if _SWITCH.issuperset(each):
        return each
    final = final_versions(each)
    return (*sorted(final, key=_numbers, reverse=True), *(value for value in each if value not in final))


def final_versions(values: Iterable[str]) -> tuple[str, ...]:
    """Only what names a released version, as ``3.12``, ``20.x`` or ``v18``."""
    return tuple(value for value in values if _FINAL_VERSION.fullmatch(value))


def _numbers(version: str) -> tuple[float, ...]:
    own = [float(part) for part in re.findall(r"\d{1,9}", version)]
    return (*own, math.inf) if version[-1:].isdigit() else (*own,)
