"""What the expressions of Azure's pipelines come to, as far as it is known without a run. Pure.

https://learn.microsoft.com/en-us/azure/devops/pipelines/process/expressions
"""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from repo_tools.environment.ci.values import MAX_CHARACTERS, text_of
from repo_tools.yaml_text import Node

_MOST_WORDS = 200
_MOST_DEEP = 20
_LONGEST_PUT = 100
_MOST_PUT = 20
_MOST_NAMES = 500
_WORD = re.compile(r"\s{0,99}(?:('(?:[^']|'')*')|([A-Za-z_][\w-]*)|(-?\d[\w.]*)|([()\[\],.]))")
_EXPRESSION = re.compile(r"\$\{\{((?:[^}$]|\}(?!\})){0,1000})\}\}")
_HOLE = re.compile(r"\{\{|\}\}|\{(\d)\}")
_NOTHING = Node("", 1)
"""What nobody gave: https://learn.microsoft.com/en-us/azure/devops/pipelines/process/expressions#dereference-operators"""
_NOT_KNOWN = "${{ azure }}"
"""What the reader of a job takes for an expression that only a run would know."""
_ALWAYS = {
    **dict.fromkeys(("always", "succeeded", "succeededorfailed"), True),
    **dict.fromkeys(("failed", "canceled"), False),
}
"""What the steps before came to, where all goes well."""

Known = Mapping[str, Node]
"""What is in force: ``parameters``, ``variables``, and what an ``each`` goes through."""
Value = Node | None
"""None: only a run would know."""


def value_of(expression: str, known: Known) -> Value:
    words = list(islice(_words(expression[:MAX_CHARACTERS]), _MOST_WORDS))
    try:
        return _Reader(words, known).value()
    except (IndexError, RecursionError):
        return None


def holds(condition: str, known: Known) -> bool | None:
    """Where nothing is said it does; None where only a run would know."""
    return _truth(value_of(condition, known)) if condition.strip() else True


def whole(text: str, known: Known) -> Value:
    """The list, the mapping or the text that `text` stands for, if it is one expression and no more."""
    found = _EXPRESSION.fullmatch(text.strip()) if len(text) <= MAX_CHARACTERS else None
    return value_of(found[1], known) if found else None


def written(text: str, known: Known) -> str:
    """`text` with its expressions replaced."""

    def value(found: re.Match[str]) -> str:
        node = value_of(found[1], known)
        return _NOT_KNOWN if node is None else text_of(node)[:MAX_CHARACTERS]

    lines = (_EXPRESSION.sub(value, line, 20) if "${{" in line else line for line in text.split("\n"))
    return "\n".join(lines)


def entry_of(owner: Node, name: str) -> Node:
    """Whatever the case of its letters."""
    if name in owner.mapping:
        return owner.mapping[name]
    name, entries = name.lower(), islice(owner.mapping.items(), _MOST_NAMES)
    return next((node for key, node in entries if key.lower() == name), _NOTHING)


def _words(expression: str) -> Iterator[str]:
    at = 0
    while found := _WORD.match(expression, at):
        yield found[0].strip()
        at = found.end()
    if expression[at:].strip():
        yield "?"


class _Reader:
    """`value` raises IndexError where the words end too soon, or where one stands that none may."""

    def __init__(self, words: list[str], known: Known) -> None:
        self._words = words[::-1]
        self._known = {name.lower(): node for name, node in known.items()}

    def value(self, deep: int = _MOST_DEEP) -> Value:
        word = self._words.pop()
        if not deep or word in "()[],.?":
            raise IndexError(word)
        if word.startswith("'"):
            return Node(word[1:-1].replace("''", "'"), 1)
        if not (word[0].isalpha() or word[0] == "_"):
            return Node(word, 1)
        if self._words[-1:] == ["("]:
            self._words.pop()
            return _called(word.lower(), self._given(deep - 1))
        if word.lower() in ("true", "false", "null"):
            return Node("" if word.lower() == "null" else word.lower(), 1)
        return self._inside(self._known.get(word.lower()), deep)

    def _given(self, deep: int) -> list[Value]:
        found: list[Value] = []
        while self._words[-1] != ")":
            found.append(self.value(deep))
            if self._words[-1] == ",":
                self._words.pop()
        self._words.pop()
        return found

    def _inside(self, node: Value, deep: int) -> Value:
        """``parameters.a['b']``"""
        while self._words[-1:] in (["."], ["["]):
            if self._words.pop() == ".":
                key: Value = Node(self._words.pop(), 1)
            else:
                key = self.value(deep - 1)
                self._words.pop()
            node = None if node is None or key is None else entry_of(node, text_of(key))
        return node


def _truth(node: Value) -> bool | None:
    if node is None:
        return None
    return bool(node.value) if isinstance(node.value, list | dict) else text_of(node).lower() not in ("", "false")


def _called(name: str, given: list[Value]) -> Value:
    if name in _ALWAYS:
        return _said(_ALWAYS[name])
    if name in ("and", "or"):
        truths = [_truth(each) for each in given]
        decided = name == "or"
        return _said(decided) if decided in truths else None if None in truths else _said(not decided)
    if name == "coalesce":
        return next((each for each in given if each is not None and each.value not in ("", None)), _NOTHING)
    known = [each for each in given if each is not None]
    if len(known) < len(given) or not known:
        return None
    if name == "not":
        return _said(not _truth(known[0]))
    if name == "length":
        return Node(str(len(known[0].items or text_of(known[0]))), 1)
    texts = [text_of(each)[:MAX_CHARACTERS] for each in known]
    if name in _TESTS and len(texts) > 1:
        return _said(_TESTS[name]([text.lower() for text in texts]))
    return Node(_TEXTS[name](texts)[:MAX_CHARACTERS], 1) if name in _TEXTS else None


def _said(truth: bool) -> Node:
    return Node(str(truth).lower(), 1)


def _formatted(given: list[str]) -> str:
    def put(found: re.Match[str]) -> str:
        return found[0][0] if not found[1] else next(iter(given[1 + int(found[1]) :]), "")

    return _HOLE.sub(put, given[0], _MOST_PUT)


def _number(text: str) -> float:
    return float(text) if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?", text) else 0.0


_TESTS: Mapping[str, Callable[[list[str]], bool]] = {
    "eq": lambda given: given[0] == given[1],
    "ne": lambda given: given[0] != given[1],
    "in": lambda given: given[0] in given[1:],
    "notin": lambda given: given[0] not in given[1:],
    "gt": lambda given: _number(given[0]) > _number(given[1]),
    "ge": lambda given: _number(given[0]) >= _number(given[1]),
    "lt": lambda given: _number(given[0]) < _number(given[1]),
    "le": lambda given: _number(given[0]) <= _number(given[1]),
    "contains": lambda given: given[1] in given[0],
    "startswith": lambda given: given[0].startswith(given[1]),
    "endswith": lambda given: given[0].endswith(given[1]),
}
_TEXTS: Mapping[str, Callable[[list[str]], str]] = {
    "format": _formatted,
    "lower": lambda given: given[0].lower(),
    "upper": lambda given: given[0].upper(),
    "replace": lambda given: given[0].replace(given[1], given[2][:_LONGEST_PUT]) if len(given) > 2 else given[0],
    "trim": lambda given: given[0].strip(),
}
