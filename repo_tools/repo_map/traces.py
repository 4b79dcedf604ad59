"""Stack traces in a text. Each language writes a frame in its own way; two things are alike: a place (a path and a
line), and that nothing but marks or a word such as "at" stands before it."""

import re
from collections.abc import Iterator
from itertools import islice

Frame = tuple[str, int]
"""A path as it is written, and a line of it."""

_WORD_BEFORE = 200
"""Characters before a place in which a word such as "at" is looked for."""

_QUOTED = r'\bFile \\?"(?P<quoted>[^"]{1,299}[^"\\])\\?", line (?P<line>\d{1,6})'
_PLAIN = (
    r"(?<![\w./\\+@-])(?:[a-z-]{2,20}:/{0,2}(?=/))?(?P<plain>(?:[A-Za-z]:)?[\w./\\+@-]{1,300}\.[A-Za-z]\w{0,6})"
    r"(?:\?[\w=&.-]{0,100})?(?:(?::line |:|\(| on line |,? line |#L)(?P<number>\d{1,6})\b)"
)
_SPACED = r"(?:(?<= in )|(?<=\())(?P<spaced>(?:/|[A-Za-z]:\\)[^()\"':\n]{1,300}\.\w{1,7}):(?:line )?(?P<count>\d{1,6})"
_PLACE = re.compile(f"{_QUOTED}|{_SPACED}|{_PLAIN}")
_LEADS_TO_IT = re.compile(r"\A[^A-Za-z]*\Z|\b(?:at|in|from|by|File)\b|❯|@ ?\Z|\+ \d+ \(\Z")
_JAVA_PACKAGE = re.compile(r"((?:[a-z_]\w{0,60}\.){1,20})[A-Z][\w$]{0,100}\.[\w$<>]{1,100}\(\Z")
_GOES_ON = re.compile(r"[ \t│]+\S|[>E_] ")
"""Lines that stand between two frames: indented code, and what pytest shows of it."""

_BEGINS = re.compile(r"most recent call|Caused by|Suppressed:|the direct cause of|During handling of")
_MOST_BETWEEN = 2
"""Other lines between two frames of one trace, such as the names of Go's functions."""


MAX_TRACES, MAX_FRAMES = 20, 50
"""The first traces of a text, and the innermost frames of each: more are a log."""

MAX_PLACES = 50
"""The first places of a text that are named in its sentences."""


def read_traces(text: str) -> tuple[tuple[Frame, ...], ...]:
    """Those of a text, each with its innermost frame first; a frame that recurs stands there once."""
    return tuple(_from_innermost(header, trace) for header, trace in islice(_apart(text), MAX_TRACES))


def _from_innermost(header: str, trace: list[Frame]) -> tuple[Frame, ...]:
    ordered = reversed(trace) if _is_last_innermost(header, trace) else trace
    return tuple(dict.fromkeys(ordered))[:MAX_FRAMES]


def _is_last_innermost(header: str, trace: list[Frame]) -> bool:
    """Python and pytest end with it, and so does what says so; all others begin with it."""
    return "call last" in header or (trace[0][0].endswith(".py") and "call first" not in header)


def _apart(text: str) -> Iterator[tuple[str, list[Frame]]]:
    """(what stood above it, if that is known to, a trace in the order of the text)"""
    header, trace, between = "", list[Frame](), 0
    for line in text.splitlines():
        frames = list(_frames(line))
        begins = _BEGINS.search(line)
        between = 0 if frames or begins else between + (not _GOES_ON.match(line))
        if begins or between > _MOST_BETWEEN:
            if trace:
                yield header, trace
            header, trace = line if begins else "", []
        trace += frames
    if trace:
        yield header, trace


def read_places(text: str) -> tuple[Frame, ...]:
    """Lines of files that a text names in its sentences (``see shop.py:12``), in its order; a trace's are none."""
    named = (
        _frame(found, "") for line in text.splitlines() for found, before in _places(line) if not _leads(found, before)
    )
    return tuple(dict.fromkeys(islice(named, MAX_PLACES)))


def _frames(line: str) -> Iterator[Frame]:
    return (_frame(found, before) for found, before in _places(line) if _leads(found, before))


def _places(line: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each with what stands before it."""
    for found in _PLACE.finditer(line):
        yield found, line[max(found.start() - _WORD_BEFORE, 0) : found.start()]


def _leads(found: re.Match[str], before: str) -> bool:
    return bool(found["quoted"] or _LEADS_TO_IT.search(before))


def _frame(found: re.Match[str], before: str) -> Frame:
    path = found["quoted"] or found["spaced"] or _of_package(found["plain"], before)
    return with_slashes(path), int(found["line"] or found["count"] or found["number"])


def _of_package(path: str, before: str) -> str:
    """Java writes no folder, but the package, which is one."""
    package = _JAVA_PACKAGE.search(before) if path.endswith(".java") else None
    return package[1].replace(".", "/") + path if package else path


def with_slashes(path: str) -> str:
    return re.sub("/{2,}", "/", path.replace("\\", "/")).removeprefix("./")
