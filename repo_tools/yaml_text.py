"""YAML as data with line numbers, within bounds. Pure.

Only the core types of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema): PyYAML's own loader follows YAML 1.1,
where ``on`` is a boolean and ``1:30`` is ninety. Nothing is constructed but text, numbers, booleans, null, lists and
mappings; aliases are shared, never copied.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

MAX_DEPTH = 40
MAX_NODES = 50_000
MAX_SHARED = 200_000
"""Characters and values that aliases stand for, each time anew: more than anybody writes."""

FOREIGN = "holds a character that YAML does not take"

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml where PyYAML was built with it
_CONSTANTS: Mapping[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]{1,30}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]{1,30}|[0-9]{1,30}(?:\.[0-9]{0,30})?)(?:[eE][-+]?[0-9]{1,3})?")
_TEXT_TAG = "tag:yaml.org,2002:str"
_OR_QUOTES = ", or put quotes around text that begins so"


class YamlError(ValueError):
    """No document can be read; `line` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem


@dataclass(frozen=True, eq=False)
class Node:
    """One value. `line` is where it begins; `key_lines`, of a mapping, where each of its keys stands; `written`, of a
    number or a constant, how it is spelt."""

    value: "str | int | float | bool | list[Node] | dict[str, Node] | None"
    line: int
    key_lines: Mapping[str, int] = field(default_factory=dict)
    written: str = ""

    @property
    def mapping(self) -> "Mapping[str, Node]":
        """Its entries; none where it is no mapping."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> "tuple[Node, ...]":
        """Its elements; none where it is no list."""
        return tuple(self.value) if isinstance(self.value, list) else ()

    def data(self) -> Any:
        """Plain values. Not for a document whose aliases were followed: a list within itself has no end."""
        if isinstance(self.value, dict):
            return {key: node.data() for key, node in self.value.items()}
        return [node.data() for node in self.value] if isinstance(self.value, list) else self.value


@dataclass(frozen=True)
class Document:
    """`root` is None where the text holds nothing but comments. `oddities` are (line, what) of that which strict
    readers refuse: keys given twice, anchors, tags, keys that are no text, a second document."""

    root: Node | None
    oddities: tuple[tuple[int, str], ...] = ()


def parse_yaml(text: str, *, follow_aliases: bool = False) -> Document:
    """The first document of `text`; an alias is null where it is not followed. YamlError where it is no YAML, or
    nested, split into parts or repeated beyond all reason."""
    try:
        return _Builder(follow_aliases, text.split("\n")).build(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        raise _in_our_words(error, text) from None
    except yaml.reader.ReaderError as error:
        raise YamlError(text.count("\n", 0, error.position) + 1, FOREIGN) from None
    except UnicodeEncodeError as error:
        raise YamlError(text.count("\n", 0, error.start) + 1, FOREIGN) from None


@dataclass
class _Open:
    """A list or a mapping whose end has not come yet."""

    node: Node
    key: str | None = None
    key_line: int = 0
    size: int = 1


class _Builder:
    def __init__(self, follow_aliases: bool, lines: list[str]) -> None:
        self._follow_aliases = follow_aliases
        self._lines = lines
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._oddities: list[tuple[int, str]] = []
        self._nodes = 0
        self._sizes: dict[int, int] = {}
        self._shared = 0
        self._root: Node | None = None

    def build(self, events: Iterator[Event]) -> Document:
        documents = 0
        for event in events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._odd(event, "a second document (`---`) is not read: keep one")
                    break
            self._take(event)
        empty = self._root is None or self._root.value is None
        return Document(None if empty else self._root, tuple(self._oddities))

    def _take(self, event: Event) -> None:
        match event:
            case ScalarEvent():
                value = self._scalar(event)
                node = Node(value, _line(event), written="" if isinstance(value, str) else event.value)
                self._add(node, event)
                self._count(node, 1 + len(event.value))
            case SequenceStartEvent():
                self._begin(Node([], _line(event)), event)
            case MappingStartEvent():
                self._begin(Node({}, _line(event), {}), event)
            case SequenceEndEvent() | MappingEndEvent():
                closed = self._open.pop()
                self._count(closed.node, closed.size)
            case AliasEvent():
                self._odd(event, f"an alias (`*{event.anchor}`) is not read: write out what it stands for{_OR_QUOTES}")
                self._add(self._named(event), event)

    def _named(self, event: AliasEvent) -> Node:
        found = self._anchors.get(event.anchor or "") if self._follow_aliases else None
        node = found or Node(None, _line(event))
        size = self._sizes.get(id(node), 1)
        self._shared += size
        if self._shared > MAX_SHARED:
            raise YamlError(_line(event), f"has aliases that stand for more than {MAX_SHARED:,} characters")
        self._count(node, size)
        return node

    def _count(self, node: Node, size: int) -> None:
        """`size`: with what its aliases stand for."""
        self._sizes[id(node)] = size
        if self._open:
            self._open[-1].size += size

    def _begin(self, node: Node, event: Any) -> None:
        if event.tag is not None:
            self._odd(event, f"a tag (`{event.tag}`) is not read: take it out{_OR_QUOTES}")
        self._add(node, event)
        self._open.append(_Open(node))
        if len(self._open) > MAX_DEPTH:
            raise YamlError(_line(event), f"is nested more than {MAX_DEPTH} deep")

    def _add(self, node: Node, event: Any) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise YamlError(_line(event), f"holds more than {MAX_NODES:,} values")
        if not isinstance(event, AliasEvent) and event.anchor is not None:
            self._odd(event, f"an anchor (`&{event.anchor}`) is not read: take it out{_OR_QUOTES}")
            self._anchors[event.anchor] = node
        if not self._open:
            self._root = node
        elif isinstance(self._open[-1].node.value, list):
            self._open[-1].node.value.append(node)
        else:
            self._add_to_mapping(self._open[-1], node, event)

    def _add_to_mapping(self, place: _Open, node: Node, event: Event) -> None:
        entries, lines = place.node.value, place.node.key_lines
        assert isinstance(entries, dict) and isinstance(lines, dict)  # noqa: S101, PT018 - made so in `_take`
        if place.key is None:
            if not isinstance(node.value, str):
                self._odd(event, f"the key `{_shown(node)}` is no text: write it in quotes")
            place.key, place.key_line = _shown(node), _line(event)
            return
        if place.key in entries:
            twice = f"the key `{place.key}` is given twice (first in line {lines[place.key]}): keep one"
            self._odd_at(place.key_line, twice)
        entries[place.key], lines[place.key] = node, place.key_line
        place.key = None

    def _scalar(self, event: ScalarEvent) -> str | int | float | bool | None:
        text: str = event.value
        if event.tag is not None:
            if event.tag not in (_TEXT_TAG, "!"):
                self._odd(event, f"a tag (`{event.tag}`) is not read: take it out{_OR_QUOTES}")
            return text
        if not event.implicit[0]:  # in quotes, or a block
            return text
        if any(line.lstrip().startswith("- ") for line in self._lines[_line(event) : _last_line(event)]):
            told = "is read as one text: indent each `- ` like the one above it, or put quotes around it"
            self._odd(event, f"`{text[:60]}` {told}")
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        return float(text) if _FLOAT.fullmatch(text) else text

    def _odd(self, event: Event, what: str) -> None:
        self._odd_at(_line(event), what)

    def _odd_at(self, line: int, what: str) -> None:
        if len(self._oddities) < 100:
            self._oddities.append((line, what))


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _last_line(event: Any) -> int:
    return int(event.end_mark.line) + 1


def _shown(node: Node) -> str:
    """A key as text: what is no text is shown as YAML writes it."""
    match node.value:
        case None:
            return "null"
        case bool():
            return str(node.value).lower()
        case list() | dict():
            return "…"
    return str(node.value)


def _in_our_words(error: yaml.MarkedYAMLError, text: str) -> YamlError:
    mark: Any = error.problem_mark or error.context_mark
    problem, context = error.problem or "", error.context or ""
    if (problem.startswith(_NEVER_CLOSED) and "flow" in context) or "quoted scalar" in context:
        mark = error.context_mark or mark  # where it was opened; it ends nowhere
    number = mark.line if mark else 0
    lines = text.split("\n")
    line = lines[number] if number < len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return YamlError(number + 1, "begins with a tab; YAML is indented with spaces")
    remedy = next((words for part, words in _REMEDIES if part in f"{context} {problem}"), "")
    return YamlError(number + 1, f"is no YAML ({problem or context}){remedy}")


_NEVER_CLOSED = ("did not find expected ','", "expected ','")
_REMEDIES = (
    ("quoted scalar", ": a quote that is opened here is not closed"),
    ("flow", ": a bracket that is opened here is not closed; put quotes around text that begins with one"),
    ("start any token", ": put quotes around text that begins so"),
    ("alphabetic or numeric", ": put quotes around text that begins so"),
    ("mapping values", ": put quotes around text that holds `: `, and indent the lines of one mapping alike"),
    ("block collection", ": put quotes around all of a text, not a part of it, and indent entries alike"),
    ("block mapping", ": put quotes around all of a text, not a part of it, and indent keys alike"),
)
"""(what the parser says, what to do)."""
