"""A file of Azure's pipelines, with what its templates and their expressions stand for put in their places. Pure.

https://learn.microsoft.com/en-us/azure/devops/pipelines/process/templates
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from posixpath import dirname, join, normpath

from repo_tools.environment.ci.azure_expressions import Known, holds, value_of, whole, written
from repo_tools.environment.ci.files import ParsedFiles
from repo_tools.environment.ci.told_jobs import FILE
from repo_tools.environment.ci.values import items_at, node_at, text_of
from repo_tools.yaml_text import Node

_MOST_NODES = 30_000
_MOST_CHARACTERS = 500_000
_MOST_DEEP = 60
_MOST_VALUES = 100
_PARTS = ("stages", "jobs", "steps", "variables")
_PLACED = frozenset(("job", "script", "bash", "pwsh", "powershell", "task"))
_DIRECTIVE = re.compile(r"\$\{\{\s{0,9}(if|elseif|else|each|insert)\b((?:[^}]|\}(?!\})){0,1000})\}\}")
_EACH = re.compile(r"\s{0,9}([\w-]+)\s{1,9}in\s{1,9}(.+)", re.DOTALL)
_PREDEFINED = {"Build.Reason": "PullRequest", "Agent.OS": "Linux"}
_NOTHING = Node(None, 1)


@dataclass(frozen=True)
class _Place:
    """In which file something stands, what is in force there, and how much deeper it may go."""

    path: str
    known: Known
    deep: int = _MOST_DEEP

    def within(self, **more: Node) -> "_Place":
        return replace(self, known={**self.known, **more}, deep=self.deep - 1)


@dataclass
class _Chain:
    """Whether an ``if``, or an ``elseif`` after it, was met before the next ``else``."""

    met: bool = False


@dataclass
class Unfolding:
    """Of all the files of a repository. What is too much, or in another repository, is left out."""

    files: ParsedFiles
    nodes: int = _MOST_NODES
    characters: int = _MOST_CHARACTERS

    def pipeline(self, path: str) -> Node | None:
        """What the file at `path` says; None where there is none. A job, or a step, says itself in which `FILE`."""
        root = self.files.root(path)
        if root is None:
            return None
        place = _Place(path, {"parameters": _given(root, {}), "variables": _variables_of(root)})
        set_by_all = self._unfolded(Node({"variables": root.mapping.get("variables", _NOTHING)}, root.line), place)
        place = place.within(variables=_variables_of(set_by_all))
        base = root.mapping.get("extends")
        extended = self._template(base, place) if base else Node({}, root.line)
        own = self._unfolded(root, place)
        return replace(
            own, value={**own.mapping, **extended.mapping}, key_lines={**own.key_lines, **extended.key_lines}
        )

    def _unfolded(self, node: Node, place: _Place) -> Node:
        self.nodes -= 1
        if self.nodes < 0 or not place.deep:
            return Node(None, node.line)
        if node.mapping:
            return self._mapping(node, place.within())
        if node.items:
            return replace(node, value=list(self._items(node.items, place.within())))
        return self._text(node, place.known) if "${{" in text_of(node) else node

    def _text(self, node: Node, known: Known) -> Node:
        text = text_of(node)
        if self._is_too_much(text):
            return Node(None, node.line)
        found = whole(text, known) or Node(written(text, known), node.line)
        self.nodes -= len(found.items)
        is_too_much = self._is_too_much(text_of(found)) or self.nodes < 0
        return Node(None if is_too_much else found.value, node.line, found.key_lines)

    def _is_too_much(self, text: str) -> bool:
        """Asked before an expression of it is worked out: an ``each`` may ask that often."""
        self.characters -= len(text)
        return self.characters < 0

    def _mapping(self, node: Node, place: _Place) -> Node:
        value: dict[str, Node] = {}
        lines: dict[str, int] = {}
        chain = _Chain()
        for key, inner in node.mapping.items():
            if "${{" in key and self._is_too_much(key):
                break
            opened = _opened(key, inner, place, chain)
            for content, within in opened or ():
                merged = self._unfolded(content, within)
                value |= merged.mapping
                lines |= merged.key_lines
            if opened is None:
                name = written(key, place.known)
                value[name] = self._unfolded(inner, place)
                lines[name] = node.key_lines.get(key, inner.line)
        if not _PLACED.isdisjoint(value):
            value[FILE] = Node(place.path, node.line)
        return replace(node, value=value, key_lines=lines)

    def _items(self, items: Iterable[Node], place: _Place) -> Iterator[Node]:
        """What one of them stands for is put in with the others."""
        chain = _Chain()
        for item in items if place.deep > 0 else ():
            self.nodes -= 1
            key, inner = next(iter(item.mapping.items()), ("", item))
            if self.nodes < 0 or ("${{" in key and self._is_too_much(key)):
                return
            opened = _opened(key, inner, place, chain) if len(item.mapping) == 1 else None
            for content, within in opened or ():
                yield from self._items(content.items or (content,), within)
            if opened is None and "template" in item.mapping:
                yield from self._put_in(item, place)
            elif opened is None:
                unfolded = self._unfolded(item, place)
                yield from unfolded.items if text_of(item) and unfolded.items else (unfolded,)

    def _put_in(self, item: Node, place: _Place) -> Iterator[Node]:
        unfolded = self._template(item, place)
        part = next((part for part in _PARTS if part in unfolded.mapping), "")
        yield from (items_at(unfolded, part) or variables_in(unfolded)) if part else ()

    def _template(self, item: Node, place: _Place) -> Node:
        """The file that `item` names, with what it gives to it; nothing where it is another repository's."""
        named = self._unfolded(Node({k: v for k, v in item.mapping.items() if k != FILE}, item.line), place)
        path = _path(text_of(named.mapping.get("template")), place.path)
        root = self.files.root(path) if path else None
        if root is None:
            return Node({}, item.line)
        given = named.mapping.get("parameters")
        known = {"parameters": _given(root, given.mapping if given else {}), "variables": place.known["variables"]}
        own = {key: node for key, node in root.mapping.items() if key != "parameters"}
        return self._unfolded(replace(root, value=own), _Place(path, known, place.deep - 1))


def variables_in(owner: Node) -> list[Node]:
    """Each with its `name` and its `value`."""
    node = owner.mapping.get("variables")
    if node is None or not node.mapping:
        return list(node.items) if node else []
    return [Node({"name": Node(name, each.line), "value": each}, each.line) for name, each in node.mapping.items()]


def _variables_of(root: Node) -> Node:
    own = {text_of(node_at(each, "name")): each.mapping.get("value") for each in variables_in(root)[:_MOST_VALUES]}
    known = {name: Node(value, 1) for name, value in _PREDEFINED.items()}
    return Node(known | {name: value for name, value in own.items() if name and value}, root.line)


def _given(template: Node, given: Mapping[str, Node]) -> Node:
    """With the defaults of what is not given, which stand in a list, or in a mapping."""
    declared = template.mapping.get("parameters") or Node(None, template.line)
    each_listed = declared.items[:_MOST_VALUES]
    listed = {text_of(each.mapping.get("name")): each.mapping.get("default") for each in each_listed}
    defaults = {name: node for name, node in listed.items() if name and node}
    mapped = dict(islice(declared.mapping.items(), _MOST_VALUES))
    return Node({**defaults, **mapped, **given}, template.line)


def _path(name: str, where: str) -> str:
    """Of the template that a file `where` calls so; empty where it is none of this repository's."""
    name, _, repository = name.partition("@")
    if repository not in ("", "self"):
        return ""
    path = normpath(name.lstrip("/") if name.startswith("/") else join(dirname(where), name))
    return path if not path.startswith(("..", "/")) else ""


def _opened(key: str, content: Node, place: _Place, chain: _Chain) -> list[tuple[Node, _Place]] | None:
    """`content` each time that it counts, and what is in force there; None where `key` is no directive. Of what only a
    run would know, nothing counts."""
    found = _DIRECTIVE.fullmatch(key)
    if found is None:
        return None
    word, rest = found.groups()
    if word == "insert":
        return [(content, place.within())]
    if word == "each":
        return [(content, place.within(**{name: value})) for name, value in _elements(rest, place.known)]
    met = (word == "if" or not chain.met) and (word == "else" or holds(rest, place.known) is True)
    chain.met = met or (word != "if" and chain.met)
    return [(content, place.within())] if met else []


def _elements(rest: str, known: Known) -> Iterator[tuple[str, Node]]:
    found = _EACH.fullmatch(rest)
    owner = value_of(found[2], known) if found else None
    if found and owner:
        pairs = ({"key": Node(key, each.line), "value": each} for key, each in owner.mapping.items())
        yield from ((found[1], each) for each in owner.items[:_MOST_VALUES])
        yield from ((found[1], Node(dict(pair), owner.line)) for pair in islice(pairs, _MOST_VALUES))
