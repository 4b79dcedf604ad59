"""Product code that newly asks for the very text, number or name that the change's tests hold. Pure.

What is done for one case of a test alone makes that pass, whatever else is wrong. A plain word (``gzip``) tells
nothing: both have it for what it means.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.verification.read_as_text import added_lines
from repo_tools.verification.sides import Sides
from repo_tools.verification.test_names import SOURCE_SUFFIXES

_QUOTED = rb"(?:\"((?:[^\"\\\n]|\\.){0,200}+)\"|'((?:[^'\\\n]|\\.){0,200}+)'|`((?:[^`\\\n]|\\.){0,200}+)`)"
_TEXT = re.compile(_QUOTED)
_ASKED = re.compile(
    rb"(?:[=!]==?|\b(?:in|is|case|when)\b|\b(?:includes|equals\w{0,10}|[Ss]tarts?_?[Ww]ith\??|[Ee]nds?_?[Ww]ith\??"
    rb"|get|has|pop|replace(?:All)?|sub|(?:full)?match|search)\("
    rb"|\b(?:HasPrefix|HasSuffix|EqualFold)\([^,\n]{1,80},)\s{0,20}[\[({]?\s{0,20}[rbu]?"
    + _QUOTED
    + rb"|"
    + _QUOTED
    + rb"\s{0,20}(?:[=!]=|=>|\.equals|:(?![:=]))"
    rb"|(?<=[\s(=,:!?&|\[{;])/((?:[^/\\\n]|\\.){1,200}+)/[a-z]{0,9}(?=[.,;:)\]}\n])"
)
"""Keys of a table, and patterns, too: `_as_text` tells what these find."""
_NUMBER = re.compile(rb"(?<![\w.])(\d[\d_.]{3,40})\b")
_ASKED_NUMBER = re.compile(
    rb"(?:[=!]==?|\b(?:in|is|case|when)\b)\s{0,20}[\[({]?\s{0,20}(\d[\d_.]{3,40})\b|[{,]\s{0,20}(\d[\d_.]{3,40})\s?:"
)
"""Of shorter ones many a code of HTTP's is asked for by both."""
_ESCAPED = re.compile(rb"\\(?=\W)")
_PLAIN = re.compile(rb"[\w-]+(?:[.:][\w-]+)?")
_LEAST = 4
_SEE = "see that more than this case is mended."
_DEFINED = re.compile(rb"\b(?:class|struct)\s+([A-Z]\w{3,100})")


def special_cases(sides: Sides, base: Tree, read: ReadFile) -> Iterator[str]:
    """What a reviewer is told of them."""
    tests = b"\n".join(added_lines(p, sides, base, read) for p in sides.test_files if p.endswith(SOURCE_SUFFIXES))
    ends, names = sorted(text[::-1] for text in _all(_TEXT, tests)), {*_DEFINED.findall(tests), *_all(_NUMBER, tests)}
    for path in (path for path in sides.product if tests and path.endswith(SOURCE_SUFFIXES)):
        new, old = sides.product.files[path], read(path) if path in base else b""
        content = new.content if new else b""
        asked = {*map(_as_text, _all(_ASKED, content) - _all(_ASKED, old))} - _all(_TEXT, old)
        asked |= _all(_ASKED_NUMBER, content) - _all(_NUMBER, old)
        if found := sorted(text for text in asked if text in names or _ends_one(text, ends)):
            shown = ", ".join(f"`{text.decode('utf-8', 'replace')}`" for text in found[:3])
            yield f"{path} newly asks for {shown}, as the change's tests have it: {_SEE}"


def _ends_one(asked: bytes, ends: list[bytes]) -> bool:
    """Or is one: of an address the product may see the path alone. `ends`: texts, each from its end on, sorted."""
    first = bisect_left(ends, asked[::-1])
    found = ends[first : first + 1]
    return len(asked) >= _LEAST and not _PLAIN.fullmatch(asked) and any(text.startswith(asked[::-1]) for text in found)


def _as_text(pattern: bytes) -> bytes:
    """What is asked for in whole; of another text the same."""
    return _ESCAPED.sub(b"", pattern.removeprefix(b"^").removesuffix(b"$"))


def _all(pattern: re.Pattern[bytes], source: bytes) -> set[bytes]:
    return {text for found in pattern.finditer(source) for text in found.groups() if text and len(text) >= _LEAST}
