"""What is wrong with a `.github/agent-fix.yml`, in words: where it stands, what it is, and what to do."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from repo_tools.environment.ci.services import kind_of, version_of
from repo_tools.yaml_text import Node
from workers.configuration.schema import (
    BudgetsPart,
    CommandPart,
    ConfigurationFile,
    ServiceKind,
    ServicePart,
)

Place = Sequence[str | int]
"""The keys and the indices (from 0) that lead to a value."""

_PARTS: dict[str, type[BaseModel]] = {
    "setup": CommandPart,
    "tests": CommandPart,
    "services": ServicePart,
    "budgets": BudgetsPart,
}
_OTHER_WORDS = {
    "command": "run", "commands": "run", "cmd": "run", "cwd": "directory", "working-directory": "directory",
    "install": "setup", "env": "environment", "paths": "scope", "limits": "budgets", "dollars": "usd", "cost": "usd",
    "minutes": "seconds", "timeout": "seconds", "ports": "port", "image": "version", "type": "kind",
    "exclude": "protected", "ignore": "protected",
}  # fmt: skip
"""What people write whom no likeness of letters would lead to the right key."""
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_SHOWN = 60


@dataclass(frozen=True, order=True)
class Problem:
    """`line` counts from 1; 0 where it is about the whole file."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


def node_at(root: Node, place: Place) -> Node | None:
    """None where it is only the reading's: a short form (text for `run`), a key that is missing."""
    node: Node | None = root
    for step in place:
        if node is None:
            break
        node = node.mapping.get(step) if isinstance(step, str) else (*node.items[step : step + 1], None)[0]
    return node


def line_of(root: Node, place: Place) -> int:
    """Where the value at `place` is given: the line of its key, or of itself in a list."""
    node, line = root, root.line
    for step in place:
        if isinstance(step, str) and step in node.mapping:
            node, line = node.mapping[step], node.key_lines[step]
        elif isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            line = node.line
        else:
            break  # a short form (text for `run`) or a missing key: the place of what it is missing in
    return line


def schema_problems(error: ValidationError, root: Node) -> list[Problem]:
    """Each of pydantic's errors, but for those about values that are empty, which `empty_values` tells."""
    found = []
    errors = [(tuple(step for step in one["loc"] if step != "[key]"), one) for one in error.errors(include_url=False)]
    split = {place[:-1] for place, one in errors if _splits_a_command(one["type"], place)}
    for place, one in errors:
        if one["input"] is None or (one["type"] == "missing" and place[:-1] in split):
            continue
        node = node_at(root, place)
        value = node.written if node and node.written else one["input"]
        told = _words(one["type"], place, value, one["msg"], one.get("ctx", {}))
        if one["type"] in ("int_type", "float_type") and _is_quoted_number(one["input"]):
            told += ", in quotes: leave them out"
        found.append(Problem(line_of(root, place), told))
    return found


def _is_quoted_number(value: object) -> bool:
    """Whether it is text, which looks like a number."""
    return isinstance(value, str) and bool(_NUMBER.fullmatch(value))


def _splits_a_command(kind: str, place: Place) -> bool:
    """Whether a command became a mapping by a ``: `` within it."""
    return kind == "extra_forbidden" and place[0] in ("setup", "tests") and " " in str(place[-1])


def empty_values(node: Node, place: tuple[str | int, ...] = ()) -> list[Problem]:
    """Keys and list entries with nothing behind them. Only for a document whose aliases were not followed."""
    if node.value is None:
        told = f"{_named(place)} has no value: write one, or take the line out"
        return [Problem(node.line, told)]
    entries: list[tuple[str | int, Node]] = [*node.mapping.items(), *enumerate(node.items)]
    return [problem for key, value in entries for problem in empty_values(value, (*place, key))]


def suggestion(word: str, known: Sequence[str]) -> str:
    """``; did you mean `x`?``, or all that there is."""
    plain = word.lower().replace("-", "_").strip("_")
    near = get_close_matches(plain, known, n=1, cutoff=0.6) or [k for k in known if plain and _begins(plain, k)]
    meant = near[0] if near else _OTHER_WORDS.get(word.lower())
    if meant in known:
        return f"; did you mean `{meant}`?"
    return f"; there is {', '.join(f'`{name}`' for name in known)}"


def _service_hint(value: object) -> str:
    """For an image as workflows name it, what to write in its place; empty where it has no tag, or no kind is known."""
    image = str(value)
    kind, version = kind_of(image), version_of(image)
    return f'`kind: {kind}` and `version: "{version}"`' if kind and version else ""


def _begins(word: str, other: str) -> bool:
    return other.startswith(word) or word.startswith(other)


def _words(kind: str, place: Place, value: object, message: str, context: Mapping[str, Any]) -> str:
    name = _named(place)
    match kind:
        case "extra_forbidden" if _splits_a_command(kind, place):
            return f"{_named(place[:-1])} became a mapping by the `: ` in it: put quotes around the whole command"
        case "extra_forbidden" if place[0] == "services" and place[-1] == "image":
            return f"an image cannot be named here: write {_service_hint(value) or '`kind` and `version`'}"
        case "extra_forbidden":
            return f"unknown key `{_cut(str(place[-1]))}`{suggestion(str(place[-1]), _keys_at(place[:-1]))}"
        case "missing":
            return f"{name} is missing"
        case "too_long":
            return f"{name} has {context['actual_length'] or 'more'} entries; {context['max_length']} is the most"
        case "literal_error":
            if hint := _service_hint(value):
                return f"{name} is {_shown(value)}: write {hint}"
            return f"{name} is {_shown(value)}{suggestion(str(value), get_args(ServiceKind))}"
        case "value_error":
            return f"{name} {message.removeprefix('Value error, ')}"
        case "string_type" | "model_type" if not isinstance(value, (list, dict)) and place[0] != "budgets":
            return f'{name} must be text, but is {_shown(value)}: write it in quotes, "{_plain(value)}"'
        case "int_type" | "float_type" if place[0] == "budgets" and value == "none":
            return f"{name} cannot be `none`: budgets here only tighten the operator's; take the line out"
        case "string_pattern_mismatch":
            return f"{name} is {_shown(value)}, which is none: letters, digits, `-` and `_`"
        case "too_short" | "string_too_short":
            return f"{name} is empty: write something, or take the line out"
    return f"{name} {_EXPECTED.get(kind) or _in_our_words(message)}, but is {_shown(value)}"


_EXPECTED = {
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "list_type": "must be a list (each entry on a line of its own, after `- `)",
    "dict_type": "must be a mapping (`name: value`)",
    "model_type": "must be a mapping (`name: value`)",
    "string_too_long": "must be shorter",
}


def _in_our_words(message: str) -> str:
    for theirs, ours in _BOUNDS:
        message = message.replace(f"Input should be {theirs}", f"must be {ours}")
    return message[:1].lower() + message[1:]


_BOUNDS = (
    ("greater than or equal to", "at least"),
    ("less than or equal to", "at most"),
    ("greater than", "more than"),
)


def _keys_at(place: Place) -> list[str]:
    part = _PARTS.get(str(place[0])) if place else ConfigurationFile
    return list(part.model_fields) if part else []


def _named(place: Place) -> str:
    """``setup[1].run`` as a person counts, from 1."""
    name = ""
    for step in place:
        name += f"[{step + 1}]" if isinstance(step, int) else f".{step}"
    return f"`{_cut(name.removeprefix('.'))}`" if name else "the file"


def _shown(value: Any) -> str:
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a mapping"
    return f"`{_plain(value)}`"


def _plain(value: object) -> str:
    return _cut(str(value).lower() if isinstance(value, bool) else str(value))


def _cut(text: str) -> str:
    line = " ".join(text.replace("`", "'").split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
