"""Which tests of a JavaScript file an edit changes: by their names and the text below them. Pure.

A test's name stands as the first of several arguments, in whatever function the runner has for tests and suites. Its
text ends where a line closes what began there, by the indentation, or where the next one of that depth begins. What
stands in no test's text, and is no suite's head, stands beside the tests of its file, and belongs to each of them.
"""

import re
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import NamedTuple

from repo_tools.environment.runners.javascript_account import SEPARATOR, shown_name, unnumbered
from repo_tools.verification.javascript_source import pieces, same_javascript

_COMMENTS = r"(?>\s*(?:(?:/\*(?>.{0,300}?\*/)|//[^\n]{0,300}\n)\s*){0,8})"
"""Possessive groups of several branches are wrong in Python 3.11.2: https://github.com/python/cpython/issues/106052"""
_STRING = r"""(?:'(?:\\.|[^'\\])*+'|"(?:\\.|[^"\\])*+"|`(?:\\.|[^`\\])*+`)"""
_TITLE = re.compile(
    rf"\({_COMMENTS}(?P<title>{_STRING}(?>(?:{_COMMENTS}\+{_COMMENTS}{_STRING})*)){_COMMENTS},", re.DOTALL
)
_PIECE = re.compile(_STRING, re.DOTALL)
_ESCAPED = re.compile(
    r"\\(?:u\{(?P<point>[0-9a-fA-F]{1,6})\}|[ux](?P<code>[0-9a-fA-F]{4}|[0-9a-fA-F]{2})|(?P<one>.))", re.DOTALL
)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_MADE = re.compile(r"\$\{[^{}]*\}|%[sdifjoOp#$%]|\$\w+(?:\.\w+)*")
"""What a title has for a value: of a template, of ``test.each``."""
_CLOSING = ("}", ")", "]")
_OF_A_TEST = re.compile(
    r"(?<![\w$])(?:[xf]?(?:it|test)|specify|scenario)(?:[A-Z]\w*)?(?![\w$])|\w(?:It|Test)(?![\w$])|^\s*[\])`]{1,3}$"
)
"""What stands before it in a line: ``it``, ``t.test.skip``, ``testIf(x)``; or the end of a table: ``])('%i', …``."""
_BEFORE = 200
_NO_WORD = re.compile(r"[\s(){}\[\];,]*")
_MOST_TITLES = 20_000
_MAX_BYTES = 2 << 20
_MOST_NESTED = 8
"""So many times what a file holds may its tests and suites hold together; where all is one line, nobody tells them."""


class _Title(NamedTuple):
    """Lines from 0: that of the bracket before it, its own, and the first one below its text."""

    text: str
    opens: int
    line: int
    end: int
    is_test: bool


class TestTexts:
    """The tests of one file before and after an edit. `known`: their names, as ids have them."""

    __test__ = False

    def __init__(self, before: bytes, after: bytes, known: frozenset[str] = frozenset()) -> None:
        called = frozenset(unnumbered(name).rpartition(SEPARATOR)[2] for name in known)
        (old, old_beside), (new, new_beside) = _parts(before, called), _parts(after, called)
        self._titles = old.keys() | new.keys()
        self._templates = sorted(title for title in self._titles if _MADE.search(title))
        self._edited = {
            title for title in self._titles if not same_javascript(old.get(title, b""), new.get(title, b""))
        }
        self._is_other_file = not same_javascript(before, after)
        self._is_other_beside = not same_javascript(old_beside, new_beside)

    @property
    def holds_any(self) -> bool:
        """Whether there are tests in it, before or after."""
        return bool(self._titles)

    def holds(self, name: str) -> bool:
        """Whether all of a name, as ids have it, is written in it."""
        return self._titles.issuperset(unnumbered(name).split(SEPARATOR))

    def writes(self, name: str) -> bool:
        """Whether a test that is called so, by its last name, is written in it."""
        return unnumbered(name).rpartition(SEPARATOR)[2] in self._titles

    def maker(self, name: str) -> str:
        """What this test is made by where its own name is made at run time: the title in its nearest suite that has
        values in it and fits, else (names are made elsewhere, of a table, of the code that a test is about) that suite,
        or the file, which has no name; the name, as ids have it, where it is written."""
        names = unnumbered(name).split(SEPARATOR)
        if SEPARATOR.join(names[-2:]) in self._titles or names[-1] in self._titles:
            return name
        fitting = max(filter(partial(_fits, names[-1]), self._templates), key=len, default="")
        suites = (SEPARATOR.join(names[:end]) for end in range(len(names) - 1, 0, -1) if names[end - 1] in self._titles)
        suite = next(suites, "")
        return SEPARATOR.join(filter(None, (suite, fitting)))

    def is_edited(self, name: str) -> bool:
        """Whether the edit changes the test of this name, as ids have it: its own text, else (its name is made when it
        runs) that of the nearest suite whose name is written down, else the file."""
        names = unnumbered(name).split(SEPARATOR)
        written = next((title for title in _likely_titles(names) if title in self._titles), None)
        return self._is_other_file if written is None else written in self._edited

    def is_edited_beside(self, name: str) -> bool:
        """Whether the edit changes what stands beside the test of this name."""
        return self._is_other_beside


def _fits(name: str, template: str) -> bool:
    """Whether a title with values in it may be this one: what stands between them, which may be empty, stands there, in
    that order."""
    first, *others = map(str.strip, _MADE.split(template))
    if not name.startswith(first) or not others or not name.endswith(others[-1]):
        return False
    at = len(first)
    for piece in others[:-1]:
        at = name.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return at + len(others[-1]) <= len(name)


def _said(title: str) -> str:
    """What the string, or the sum of strings, of a title is."""
    return "".join(_ESCAPED.sub(_unescaped, piece[1:-1]) for piece in _PIECE.findall(title))


def _unescaped(escape: re.Match[str]) -> str:
    number = escape["point"] or escape["code"]
    if number:
        return chr(min(int(number, 16), sys.maxunicode))
    return _CONTROLS.get(escape["one"], escape["one"])


def _likely_titles(names: list[str]) -> Iterator[str]:
    """The innermost first; a name may hold what ids have between two."""
    for start in reversed(range(len(names))):
        yield names[start]
        yield SEPARATOR.join(names[start:])


def _parts(source: bytes, called: frozenset[str]) -> tuple[Mapping[str, bytes], bytes]:
    """By its name, the text of each test and suite; of several of the same name, one after the other. And what stands
    beside the tests. None of a file that is too large, or whose lines do not tell them apart."""
    if len(source) > _MAX_BYTES:
        return {}, b""
    text = source.decode("utf-8", "replace")
    lines = text.split("\n")
    texts: defaultdict[str, list[str]] = defaultdict(list)
    left, titles = _MOST_NESTED * len(text), list[_Title]()
    for title in _titles(text, lines, called):
        own = "\n".join(lines[title.line : title.end])
        texts[title.text].append(own)
        titles.append(title)
        left -= len(own)
        if left < 0:
            return {}, b""
    return {title: "".join(each).encode() for title, each in texts.items()}, _beside(lines, titles)


def _titles(text: str, lines: list[str], called: frozenset[str]) -> Iterator[_Title]:
    line_of = _lines_of(text)
    quoted = frozenset(_quoted(text, line_of))
    found = list(islice(_TITLE.finditer(text), _MOST_TITLES))
    begins = frozenset(line_of(title.start("title")) for title in found) - quoted
    closing = frozenset(_closing(lines)) - quoted
    for title in found:
        name = shown_name(_said(title["title"]))
        line = line_of(title.start("title"))
        before = text[max(title.start() - _BEFORE, 0) : title.start()].rpartition("\n")[2]
        is_test = name in called or bool(_OF_A_TEST.search(before))
        yield _Title(name, line_of(title.start()), line, _end(lines, line, begins, closing), is_test)


def _beside(lines: list[str], titles: list[_Title]) -> bytes:
    """Neither the texts of tests, nor the heads of suites, nor what only closes something."""
    tests = sorted(title.line for title in titles if title.is_test)
    inside = set[int]()
    for title in titles:
        inner = bisect_right(tests, title.line)
        is_suite = inner < len(tests) and tests[inner] < title.end
        if is_suite or title.is_test:
            inside.update(range(title.opens, title.line + 1 if is_suite else title.end))
    left = (line for number, line in enumerate(lines) if number not in inside)
    return "\n".join(line for line in left if not _NO_WORD.fullmatch(line)).encode()


def _end(lines: list[str], first: int, begins: frozenset[int], closing: frozenset[int]) -> int:
    depth = _depth(lines[first])
    for number in range(first + 1, len(lines)):
        if number in begins and _depth(lines[number]) == depth:
            return number
        if number in closing and _depth(lines[number]) <= depth:
            return number + 1
    return len(lines)


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
