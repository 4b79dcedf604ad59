"""Which tests of a file in Go, Java, Kotlin, Groovy, Ruby or Rust a change edits. Pure.

A test is the lines from its head to the one that closes it at the same depth, as everybody indents them in these
languages. Where no head bears a test's name, which is then made at run time, it is the whole file.
"""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from posixpath import dirname

from repo_tools.verification.test_names import stands_in_product

_BRACES = ("}",)
_NOTED = r"(?:@\w+(?:\([^)]{0,200}\))? ){0,9}"
_JAVA = _NOTED + r"(?:public|protected|private|static|final|void|def)\b[^=;()]{0,200}?\b(?P<name>\w+) ?\("
_RUBY = r"def (?P<name>test\w*)|(?:it|specify|example|scenario|test|should)[ (]+(?P<quote>['\"])(?P<told>.+?)(?P=quote)"
_LANGUAGES = {
    ".go": (r"func (?P<name>\w+)\(|var (?P<told>\w+) ", _BRACES),
    ".rs": (r"(?:pub |async )*fn (?P<name>\w+)", _BRACES),
    ".java": (_JAVA, _BRACES),
    ".groovy": (_JAVA, _BRACES),
    ".kt": (_NOTED + r"(?:\w+ ){0,9}?fun (?:(?P<name>\w+)\(|`(?P<told>[^`\n]+)`)", _BRACES),
    ".rb": (_RUBY, ("end", "}")),
}
SUFFIXES = tuple(_LANGUAGES)
_MOST_LINES = 1_000
_MOST_WORDS = 40
_COUNTED = re.compile(r"test_\d{4}_")
"""Minitest's specs are called after their place, too."""


def place_of(path: str) -> str:
    """As its tests' cases have it: of Go, the package."""
    return dirname(path) or "." if path.endswith(".go") else path


@dataclass(frozen=True)
class TestBlocks:
    """The test file `path`, before and after."""

    __test__ = False

    path: str
    before: bytes
    after: bytes

    def is_edited(self, names: str) -> bool:
        """Whether the test that the runner calls `names` is; of Go and Rust's crates it need not be this file's."""
        own = _called(names) & self._old.keys()
        if not own:
            return not (self.path.endswith(".go") or stands_in_product(self.path)) and self.before != self.after
        used = own.union(*(re.findall(r"\w+", self._old[name]) for name in own))
        return not used.isdisjoint(self._changed)

    @cached_property
    def _changed(self) -> frozenset[str]:
        new = _blocks(self.path, self.after)
        return frozenset(name for name, lines in self._old.items() if new.get(name) != lines)

    @cached_property
    def _old(self) -> dict[str, str]:
        return _blocks(self.path, self.before)


def _called(names: str) -> set[str]:
    """By what its head may call it: ``TestAdd/empty``, ``StackTest#test_add``, ``tests::adds``,
    ``Nested::adds{int}[1]``, ``Stack adds one``."""
    inner = re.split(r"[\[({]", names.rpartition("::")[2].rpartition("#")[2])[0]
    plain = _COUNTED.sub("", inner).removeprefix("test: ")
    words = names.split(" ")[-_MOST_WORDS:]
    return {names.partition("/")[0], inner, plain, *(" ".join(words[start:]) for start in range(len(words)))}


def _blocks(path: str, source: bytes) -> dict[str, str]:
    """Name -> its lines; those of one name together. What a sentence of Ruby names, Rails calls by an identifier."""
    found = defaultdict[str, list[str]](list)
    head, closing = next(language for suffix, language in _LANGUAGES.items() if path.endswith(suffix))
    for match, lines in _each_block(source.decode("utf-8", "replace").split("\n"), re.compile(head), closing):
        told = match.groupdict().get("told")
        for name in [told, f"test_{'_'.join(told.split())}"] if told else [match["name"]]:
            found[name] += ["", *lines]
    return {name: "\n".join(lines) for name, lines in found.items()}


def _each_block(
    lines: list[str], head: re.Pattern[str], closing: tuple[str, ...]
) -> Iterator[tuple[re.Match[str], list[str]]]:
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
            yield found, lines[number : min(last + 1, number + _MOST_LINES)]
