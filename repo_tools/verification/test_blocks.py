"""Which tests of a file in Go, Java, Kotlin, Groovy, Ruby or Rust a change edits. Pure.

A test is the lines from its head, with the annotations above it, to the one that closes it at the same depth, as
everybody indents them in these languages. Where no head bears a test's name, which is then made at run time, it is the
whole file. What stands in no test, comments excepted, stands beside the tests of its file, and belongs to each of them.
"""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from posixpath import dirname
from typing import NamedTuple

from repo_tools.verification.test_names import stands_in_product

_BRACES = ("}",)
_NOTED = r"(?:@\w+(?:\([^)]{0,200}\))? ){0,9}"
_JAVA = _NOTED + r"(?:public|protected|private|static|final|void|def)\b[^=;()]{0,200}?\b(?P<name>\w+) ?\("
_OF_GO = r"func (?:\([^)]{0,200}\) )?(?:Test(?!Main\()|Fuzz|Benchmark|Example)"
_OF_JAVA = r"@(?!Before|After)\w*Test|\b(?:void|def|fun) +test"
_RUBY = (
    r"def (?P<name>test\w*)|(?:it|specify|example|scenario|test|should)[ (]+(?P<quote>['\"])(?P<told>.+?)(?P=quote)"
    r"|(?:it|specify|example)(?: do\b| ?\{)|its\("
)
_LANGUAGES = {
    ".go": (r"func (?:\([^)]{0,200}\) )?(?P<name>\w+)\(", _BRACES, _OF_GO),
    ".rs": (r"(?:pub |async )*fn (?P<name>\w+)", _BRACES, r"#\[(?!cfg\b)[^\]]{0,200}test"),
    ".java": (_JAVA, _BRACES, _OF_JAVA),
    ".groovy": (_JAVA, _BRACES, _OF_JAVA),
    ".kt": (_NOTED + r"(?:\w+ ){0,9}?fun (?:(?P<name>\w+)\(|`(?P<told>[^`\n]+)`)", _BRACES, _OF_JAVA),
    ".rb": (_RUBY, ("end", "}"), ""),
}
"""What the head of a function is, what closes it, and what there is in the head of one that is a test, or above it."""
SUFFIXES = tuple(_LANGUAGES)
_MOST_LINES = 1_000
_MOST_WORDS = 40
_MOST_NOTES = 40
_NOTE = ("@", "#[")
_COUNTED = re.compile(r"test_\d{4}_")
"""Minitest's specs are called after their place, too."""
_NO_CODE = re.compile(r"(?:end\b)?[\s(){}\[\];,]*|//.*|/\*.*|\*(?:[ /].*)?|#(?!!?\[).*", re.DOTALL)


def place_of(path: str) -> str:
    """As its tests' cases have it: of Go, the package."""
    return dirname(path) or "." if path.endswith(".go") else path


class _Block(NamedTuple):
    """`names`: what it may be called; none of a test without a name. Lines from 0; `end` is the first one below."""

    names: tuple[str, ...]
    first: int
    end: int
    is_test: bool


@dataclass(frozen=True)
class TestBlocks:
    """The test file `path`, before and after. `known`: names of its tests, as the runner calls them."""

    __test__ = False

    path: str
    before: bytes
    after: bytes
    known: frozenset[str] = frozenset()

    def is_edited(self, names: str) -> bool:
        """Whether the test that the runner calls `names` is; of Go and Rust's crates it need not be this file's."""
        own = _called(names) & self._old[0].keys()
        if not own:
            return not self._shares_names and self.before != self.after
        return any(self._old[0][name] != self._new[0].get(name) for name in own)

    def is_edited_beside(self, names: str) -> bool:
        """Whether what stands beside it is."""
        is_here = not self._shares_names or bool(_called(names) & self._old[0].keys())
        return is_here and self._old[1] != self._new[1]

    @property
    def _shares_names(self) -> bool:
        return self.path.endswith(".go") or stands_in_product(self.path)

    @cached_property
    def _old(self) -> tuple[dict[str, str], list[str]]:
        return _parts(self.path, self.before, self._functions)

    @cached_property
    def _new(self) -> tuple[dict[str, str], list[str]]:
        return _parts(self.path, self.after, self._functions)

    @cached_property
    def _functions(self) -> frozenset[str]:
        return frozenset(map(_function, self.known))


def _called(names: str) -> set[str]:
    """By what its head may call it: ``TestAdd/empty``, ``TestSuite/TestAdd``, ``StackTest#test_add``, ``tests::adds``,
    ``Nested::adds{int}[1]``, ``Stack adds one``."""
    plain = _COUNTED.sub("", _function(names)).removeprefix("test: ")
    words = names.split(" ")[-_MOST_WORDS:]
    own = {*names.split("/")[:2], _function(names), plain}
    return own.union(" ".join(words[start:]) for start in range(len(words)))


def _function(names: str) -> str:
    return re.split(r"[\[({]", names.rpartition("::")[2].rpartition("#")[2])[0]


def _parts(path: str, source: bytes, functions: frozenset[str]) -> tuple[dict[str, str], list[str]]:
    """Name -> its lines; those of one name together. And the lines that stand beside the tests."""
    found = defaultdict[str, list[str]](list)
    lines = source.decode("utf-8", "replace").split("\n")
    beside, last = list[str](), 0
    for block in _blocks(path, lines):
        for name in block.names:
            found[name] += ["", *lines[block.first : block.end]]
        if block.is_test or not functions.isdisjoint(block.names):
            beside += lines[last : block.first]
            last = max(last, block.end)
    left = map(str.strip, (*beside, *lines[last:]))
    return {name: "\n".join(text) for name, text in found.items()}, [s for s in left if not _NO_CODE.fullmatch(s)]


def _blocks(path: str, lines: list[str]) -> Iterator[_Block]:
    """What a sentence of Ruby names, Rails calls by an identifier."""
    language = next(language for suffix, language in _LANGUAGES.items() if path.endswith(suffix))
    head, of_a_test = re.compile(language[0]), re.compile(language[2])
    for match, first, head_line, end in _each_block(lines, head, language[1]):
        told = match.groupdict().get("told")
        names = (told, f"test_{'_'.join(told.split())}") if told else (match["name"],) if match["name"] else ()
        yield _Block(names, first, end, bool(of_a_test.search("\n".join(lines[first : head_line + 1]))))


def _each_block(
    lines: list[str], head: re.Pattern[str], closing: tuple[str, ...]
) -> Iterator[tuple[re.Match[str], int, int, int]]:
    texts = [line.lstrip(" \t") for line in lines]
    depths = [len(line) - len(text) for line, text in zip(lines, texts, strict=True)]
    closed = defaultdict[int, list[int]](list)  # depth -> numbers of lines that close something there
    for number, text in enumerate(texts):
        if text.startswith(closing):
            closed[depths[number]].append(number)
    for number, text in enumerate(texts):
        if found := head.match(text):
            ends = closed[depths[number]]
            place = len(ends) if text.rstrip().endswith(closing) else bisect(ends, number)  # in one line
            last = ends[place] if place < len(ends) else number
            yield found, _first(texts, depths, number), number, min(last + 1, number + _MOST_LINES)


def _first(texts: list[str], depths: list[int], head: int) -> int:
    """Of the annotations above a head, which may be of several lines each; else the head."""
    first = head
    for number in range(head - 1, max(head - _MOST_NOTES, -1), -1):
        text = texts[number].rstrip()
        if depths[number] < depths[head] or not text or text.endswith(("}", "end", ";")):
            break
        if depths[number] == depths[head] and text.startswith(_NOTE):
            first = number
    return first
