"""Which tests of a JavaScript file an edit changes: by their names and the text below them. Pure.

A test's name stands as the first of several arguments, in whatever function the runner has for tests and suites. Its
text ends where a line closes what began there, by the indentation, or where the next one of that depth begins.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from repo_tools.environment.runners.javascript_account import SEPARATOR, shown_name, unnumbered
from repo_tools.verification.javascript_source import pieces, same_javascript

_TITLE = re.compile(r"""\(\s*(?P<quote>['"`])(?P<title>(?:\\.|(?!(?P=quote))[^\\])*+)(?P=quote)\s*,""", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_CLOSING = ("}", ")", "]")
_MOST_TITLES = 20_000
_MAX_BYTES = 2 << 20
_MOST_NESTED = 8
"""So many times what a file holds may its tests and suites hold together; where all is one line, nobody tells them."""


class TestTexts:
    """The tests of one file before and after an edit."""

    __test__ = False

    def __init__(self, before: bytes, after: bytes) -> None:
        old, new = _texts(before), _texts(after)
        self._titles = old.keys() | new.keys()
        self._edited = {
            title for title in self._titles if not same_javascript(old.get(title, b""), new.get(title, b""))
        }
        self._is_other_file = not same_javascript(before, after)

    @property
    def holds_any(self) -> bool:
        """Whether there are tests in it, before or after."""
        return bool(self._titles)

    def is_edited(self, name: str) -> bool:
        """Whether the edit changes the test of this name, as ids have it: its own text, else (its name is made when it
        runs) that of the nearest suite whose name is written down, else the file."""
        names = unnumbered(name).split(SEPARATOR)
        written = next((title for title in _likely_titles(names) if title in self._titles), None)
        return self._is_other_file if written is None else written in self._edited

    def is_edited_here(self, name: str) -> bool:
        """Whether the edit changes a test of this name, of which nobody tells the file: all of its name is written in
        this one."""
        return self._titles.issuperset(unnumbered(name).split(SEPARATOR)) and self.is_edited(name)


def _likely_titles(names: list[str]) -> Iterator[str]:
    """The innermost first; a name may hold what ids have between two."""
    for start in reversed(range(len(names))):
        yield names[start]
        yield SEPARATOR.join(names[start:])


def _texts(source: bytes) -> Mapping[str, bytes]:
    """By its name, the text of each test and suite; of several of the same name, one after the other. None of a file
    that is too large, or whose lines do not tell them apart."""
    if len(source) > _MAX_BYTES:
        return {}
    text = source.decode("utf-8", "replace")
    lines, line_of = text.split("\n"), _lines_of(text)
    quoted = frozenset(_quoted(text, line_of))
    found = islice(_TITLE.finditer(text), _MOST_TITLES)
    titles = [(line_of(title.start("title")), title["title"]) for title in found]
    ends = frozenset(line for line, _ in titles) - quoted, frozenset(_closing(lines)) - quoted
    texts: defaultdict[str, list[str]] = defaultdict(list)
    left = _MOST_NESTED * len(text)
    for line, title in titles:
        own = "\n".join(_below(lines, line, *ends))
        texts[shown_name(_ESCAPED.sub(r"\1", title))].append(own)
        left -= len(own)
        if left < 0:
            return {}
    return {title: "".join(each).encode() for title, each in texts.items()}


def _below(lines: list[str], first: int, begins: frozenset[int], closing: frozenset[int]) -> Iterator[str]:
    depth = _depth(lines[first])
    yield lines[first]
    for number in range(first + 1, len(lines)):
        if number in begins and _depth(lines[number]) == depth:
            return
        yield lines[number]
        if number in closing and _depth(lines[number]) <= depth:
            return


def _closing(lines: list[str]) -> Iterator[int]:
    return (number for number, line in enumerate(lines) if line.lstrip()[:1] in _CLOSING)


def _quoted(text: str, line_of: Callable[[int], int]) -> Iterator[int]:
    """Lines that begin inside of a template."""
    for start, end in pieces(text):
        if text[start] == "`":
            yield from range(line_of(start) + 1, line_of(end) + 1)


def _lines_of(text: str) -> Callable[[int], int]:
    """The number, from 0, of the line that holds a place in the text."""
    ends = [found.start() for found in re.finditer("\n", text)]
    return lambda place: bisect_left(ends, place)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
