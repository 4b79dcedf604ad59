"""Where the reading of a shell script stands. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager

_DEEPEST = 25
"""Brackets in brackets, blocks in blocks: nobody writes more, and each takes some of Python's own stack."""
_SCANS = 10
"""How often a whole text may be looked through for brackets."""
_REPEATS = 2
"""How often the length of a whole text may be read in vain."""
_COST = 20
"""Of what is left, in characters, however short it is."""
_BLANK = frozenset(" \t\\")
_BLANKS = re.compile(r"(?:[ \t]|\\\n)++")
_COMMENT = re.compile(r"(?<![^ \t\n;&|()])#[^\n]*+")
_WHOLE_LINE = re.compile(rf"""(?:{_COMMENT.pattern}|[^\\\n'"]|\\.|'[^']*'|"(?:[^"\\]|\\.)*+")*+\n""", re.DOTALL)
_BRACKETS = re.compile(rf"""[()]|{_COMMENT.pattern}|'[^']*'|"(?:[^"\\]|\\.)*+"|\\.""", re.DOTALL)


class NotShellError(Exception):
    """What is written at a place stands for nothing there; a reader of the line may go on behind it."""


class EndlessError(NotShellError):
    """A block that begins and does not end: nobody knows what of the rest is inside."""


class Source:
    """`at`: how far it is read. What is looked for in vain is not looked for again, so that a text of many beginnings
    without an end is read in a time in proportion to its length."""

    def __init__(self, text: str, line: int = 0, deep: int = 0) -> None:
        self.text = text
        self.at = 0
        self.deep = deep
        self._behind_documents = -1
        """Where the line goes on that is read, if here-documents stand behind it."""
        self._blanks = 0, 0
        """Where those begin and end that were passed last, with a comment."""
        self._line = line
        self._breaks = [found.start() for found in re.finditer("\n", text)]
        self._missing: set[str] = set()
        self._left_to_scan = _SCANS * len(text)
        self._left_to_repeat = _REPEATS * len(text) + 1_000
        self.problem = ""
        """The first, of the lines that are left."""

    @property
    def is_over(self) -> bool:
        return self.at >= len(self.text)

    def line(self, at: int | None = None) -> int:
        """From 0, of the whole script."""
        return self._line + bisect_right(self._breaks, (self.at if at is None else at) - 1)

    def since(self, start: int) -> str:
        begin, end = self._blanks
        return self.text[start : begin if end == self.at else self.at].rstrip(" \t\n")

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What is next, if it is of this kind."""
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def next(self) -> str:
        """A character; empty at the end."""
        return self.text[self.at : self.at + 1]

    def starts(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def find(self, mark: str, start: int) -> int:
        """Where `mark` comes next; -1 where it does not."""
        at = -1 if mark in self._missing else self.text.find(mark, start)
        if at < 0:
            self._missing.add(mark)
        return at

    def pass_blanks(self) -> None:
        start = self._blanks[0] if self._blanks[1] == self.at else self.at
        if self.next() in _BLANK:
            self.take(_BLANKS)
        self.take(_COMMENT)
        self._blanks = start, self.at

    def pass_lines(self) -> None:
        """Blanks, comments, and lines that end."""
        self.pass_blanks()
        while self.starts("\n"):
            self.at = max(self.at + 1, self._behind_documents)
            self._behind_documents = -1
            self.pass_blanks()

    def document(self, end: str) -> str | None:
        """What stands before the line `end`, behind this one and the documents before; None where it never comes, and
        all the rest is none of the script's. Blanks around it count for nothing: those who take a script out of a file
        may have moved its lines."""
        if self._behind_documents < 0:
            self._behind_documents = self._end_of_whole_line()
        start = min(self._behind_documents, len(self.text))
        ending = re.compile(rf"(?m)^[ \t]*{re.escape(end)}[ \t]*$").search(self.text, start)
        self._behind_documents = min(ending.end() + 1, len(self.text)) if ending else len(self.text)
        self.problem = self.problem if ending else self.problem or f"nothing ends it with `{end}`"
        return self.text[start : ending.start()] if ending else None

    def _end_of_whole_line(self) -> int:
        """Behind the line that is read, with those that quotes of it go on in."""
        end = self.end_of_line(self.at) + 1
        line = _WHOLE_LINE.match(self.text, self.at) if self._left_to_scan > 0 else None
        self._left_to_scan -= (line.end() if line else len(self.text)) - end
        return line.end() if line else end

    def pass_brackets(self) -> bool:
        """To behind the bracket that closes the one that is next; False, and nowhere, where none does."""
        opened, start = 0, self.at
        for found in _BRACKETS.finditer(self.text, start) if self._left_to_scan > 0 else ():
            opened += (found[0] == "(") - (found[0] == ")")
            if not opened:
                self.at = found.end()
                return True
        self._left_to_scan -= len(self.text) - start
        return False

    def leave_line(self, start: int) -> None:
        """To the end of the line that `start` is in, where what begins there is no shell up to here."""
        self._left_to_repeat -= self.at - start + _COST
        if self._left_to_repeat < 0:
            raise EndlessError("too much of it is no shell")
        self.at = self.end_of_line(start)
        self._behind_documents = -1

    def end_of_line(self, at: int) -> int:
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    @contextmanager
    def deeper(self) -> Iterator[None]:
        if self.deep >= _DEEPEST:
            raise EndlessError("blocks in blocks, too many to follow")
        self.deep += 1
        try:
            yield
        finally:
            self.deep -= 1
