"""Stack traces in a text. Each language writes a frame in its own way; two things are alike: a place (a path and a
line), and that nothing but marks or a word such as "at" stands before it."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

Frame = tuple[str, int]
"""A path as it is written, and a line of it."""

_WORD_BEFORE = 200
"""Characters before a place in which a word such as "at" is looked for."""

_QUOTED = r'\b[Ff]ile[ ,]\\?"(?P<quoted>[^"]{1,299}[^"\\])\\?"(?:, |\},\{)line[ ,](?P<line>\d{1,6})'
_PATH = r"(?!(?<=!)[a-z])(?:[A-Za-z]:)?(?:[\w./\\+@-]|!(?=[a-z])){1,300}\.[A-Za-z]\w{0,6}"
"""With ``!a`` as Go writes a capital in the path of a module."""

_MARKS = r"[`'\"*]{0,3}(?:</?\w{1,9}>)?"
"""What may stand around a path in Markdown and HTML."""

_BEFORE_NUMBER = (
    r":(?: ?lines? |L|(?P<spelled>[^\W\d_]{1,10}) | ?[\[(](?=\d{1,6}, ?\d))?"
    r"|\(|#L|,? \(?(?:(?:error )?(?:on|at|in) )?(?:lines? (?:<b>)?|L(?=\d))| (?=\d{1,6}:\d{1,4}(?![:\d]))"
)
"""``a.cs:7``, ``a.cs:Zeile 7``, ``A.java:[7,5]``, ``a.kt: (7, 5)``; ``a.cs(7,5)``, ``a.php line 7``, ``a.js 7:5``."""

_PLAIN = (
    rf"(?<![\w./\\+@-])(?:[a-z-]{{2,20}}:/{{0,2}}(?=/))?(?P<plain>{_PATH})"
    rf"(?:\?[\w=&.-]{{0,100}})?{_MARKS}(?:{_BEFORE_NUMBER})(?P<number>\d{{1,6}})\b"
)
_SPACED = r"(?:(?<= in )|(?<=\())(?P<spaced>(?:/|[A-Za-z]:\\)[^()\"':\n]{1,300}\.\w{1,7}):(?:line )?(?P<count>\d{1,6})"
_SAID = (
    r"\b(?:lines? |L)(?P<said>\d{1,6})(?:(?:-L?|\u2013| to | and )\d{1,6})?"
    rf" (?:of|in) (?:the )?(?:file )?{_MARKS}(?P<whose>{_PATH})\b"
)
_PLACE = f"{_QUOTED}|{_SAID}|{_SPACED}|{_PLAIN}"
_LEADS_TO_IT = re.compile(
    r"\A[^A-Za-z]*\Z|\b(?:at|in|from|by|File)\b|❯|@(?: |[a-z-]{2,20}:[/\w().-]{0,60})?\Z|\+ \d+ \(\Z|Trace:\s*\Z"
    r"|\A\W*\(\w{1,60} \d[\w.-]{0,40}\) \Z|(?<!\S)#\d{1,4} {3,8}[^()]{1,100} \((?:package:)?\Z"
)
_ON_JVM = (".java", ".kt", ".kts", ".scala", ".groovy", ".clj", ".cljc")
_PACKAGE = re.compile(r"((?:[a-z_]\w{0,60}\.){1,20})[A-Za-z_][\w$]{0,100}\.[\w$<>-]{1,100}\(\Z")
_GOES_ON = re.compile(r"[ \t│]+\S|[>E_] ")
"""Lines that stand between two frames: indented code, and what pytest shows of it."""

_BEGINS = re.compile(
    r"most recent call|Caused by|Suppressed:|the direct cause of|During handling of|\bIn file included from\b"
)
_INCLUDES = re.compile(r"[\w:|>. -]{0,60}?(?:In file included from| {3,}from) ")
"""What a compiler of C says above an error of the files that include the one with the error."""

_OF_IPYTHON = re.compile(r"(?P<path>(?:[A-Za-z]:)?[^\s:<>]{1,300}\.pyx?) in (?:\w{1,100}\(|<)")
_ARROW = re.compile(r"-{2,6}> {0,6}(?P<line>\d{1,6})(?!\d)")
"""Before its version 8 the line of a frame stands in the code below: ``----> 7     go()``."""

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
    for line, frames in _framed(text.splitlines()):
        begins = _BEGINS.search(line)
        between = 0 if frames or begins else between + (not _GOES_ON.match(line))
        if begins or between > _MOST_BETWEEN:
            if trace:
                yield header, trace
            header, trace = line if begins else "", []
        trace += frames
    if trace:
        yield header, trace


def _framed(lines: Iterable[str]) -> Iterator[tuple[str, list[Frame]]]:
    """Each line with its frames. Those of files that include another one follow those of the error in it, and what
    IPython shows above the code stands where the code has its arrow."""
    above, including = "", list[Frame]()
    for line in lines:
        frames = list(_frames(line))
        if _INCLUDES.match(line) and ("In file" in line or including):
            including += frames
            frames = []
        elif frames:
            frames, including = frames + including, []
        if heads := _OF_IPYTHON.match(line):
            above = heads["path"]
        elif above and (arrow := _ARROW.match(line)):
            frames, above = [(with_slashes(above), int(arrow["line"]))], ""
        yield line, frames


def read_places(text: str) -> tuple[Frame, ...]:
    """Lines of files that a text names in its sentences (``see shop.py:12``), in its order; a trace's are none."""
    named = (
        _frame(found, "") for line in text.splitlines() for found, before in _places(line) if not _leads(found, before)
    )
    return tuple(dict.fromkeys(islice(named, MAX_PLACES)))


def _frames(line: str) -> Iterator[Frame]:
    return (_frame(found, before) for found, before in _places(line) if _leads(found, before))


def _places(line: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each with what stands before it. Most lines have no number, and so no place: to see that is far cheaper."""
    for found in re.finditer(_PLACE, line) if re.search(r"\d", line) else ():
        yield found, line[max(found.start() - _WORD_BEFORE, 0) : found.start()]


def _leads(found: re.Match[str], before: str) -> bool:
    return bool(found["quoted"] or found["spelled"] or (not found["said"] and _LEADS_TO_IT.search(before)))


def _frame(found: re.Match[str], before: str) -> Frame:
    path = found["quoted"] or found["spaced"] or found["whose"] or _of_package(found["plain"], before)
    return with_slashes(path), int(found["line"] or found["count"] or found["said"] or found["number"])


def _of_package(path: str, before: str) -> str:
    """Java and its kin write no folder, but the package, which is one."""
    package = _PACKAGE.search(before) if path.endswith(_ON_JVM) and "/" not in path else None
    return package[1].replace(".", "/") + path if package else path


def with_slashes(path: str) -> str:
    return re.sub("/{2,}", "/", path.replace("\\", "/")).removeprefix("./")
