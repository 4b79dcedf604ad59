"""JUnit XML into test cases. Every runner writes another dialect of it: how a case is named is the caller's to say.

The text comes out of a box in which untrusted code ran: its size is bounded by the caller, what says nothing of a case
is not kept, and a document type (the only way to entities) is refused, so that the standard library's parser is enough.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from xml.etree import ElementTree

from repo_tools.test_report import TestCase, TestOutcome

MAX_MESSAGE_CHARACTERS = 8_000
MAX_ELEMENTS = 500_000
"""240,000 tests took 300 MB and 4 s on a busy machine of two cores."""
_PIECE_BYTES = 1 << 20
"""Parsed at once, while no other thread runs, such as the one that keeps the run's lease."""
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_CONTROLS = bytes({*range(32)} - set(b"\t\n\r"))
"""No XML may hold them (https://www.w3.org/TR/xml/#charsets)."""

_WORST_FIRST = (TestOutcome.ERROR, TestOutcome.FAILED, TestOutcome.SKIPPED, TestOutcome.PASSED)
_OUTCOMES = {
    "error": TestOutcome.ERROR,
    "failure": TestOutcome.FAILED,
    "skipped": TestOutcome.SKIPPED,
    "disabled": TestOutcome.SKIPPED,
}

_KEPT = frozenset({"testsuites", "testsuite", "testcase", "system-out", *_OUTCOMES})

Address = Callable[[ElementTree.Element], tuple[str, tuple[str, ...]]]
"""The file of a ``<testcase>``, root-relative, and the names below it."""


class JUnitError(ValueError):
    """The text is not a JUnit report."""


class _Builder(ElementTree.TreeBuilder):
    """Keeps what cases are read from: a test may write properties without end."""

    def __init__(self) -> None:
        super().__init__()
        self._elements = 0
        self._left_out = 0  # how deep the parser stands in what is not kept

    def start(self, tag: str, attrs: dict[str, str], /) -> ElementTree.Element:
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise JUnitError(f"it has more than {MAX_ELEMENTS:,} elements")
        is_root = self._elements == 1
        if self._left_out or not (is_root or tag in _KEPT):
            self._left_out += 1
            return _NOTHING
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> ElementTree.Element:
        if self._left_out:
            self._left_out -= 1
            return _NOTHING
        return super().end(tag)

    def data(self, data: str, /) -> None:
        if not self._left_out:
            super().data(data)

    def doctype(self, *_: str | None) -> None:
        raise JUnitError("it declares a document type")


_NOTHING = ElementTree.Element("nothing")


def parse_junit(xml: bytes, address: Address) -> tuple[TestCase, ...]:
    """Every case once; what was written twice (a failing tear-down, subtests, re-runs) counts with its worst outcome.

    JUnitError where the text is not such a report, or is cut off.
    """
    return merged(cases_of(junit_root(xml), address))


def junit_root(xml: bytes) -> ElementTree.Element:
    """JUnitError as for `parse_junit`. Control characters are left out: pytest 6 lets them by, in the message of a
    set-up that fails, where that is coloured."""
    try:
        root = _parsed(xml)
    except JUnitError:
        plain = xml.translate(None, _CONTROLS)
        if len(plain) == len(xml):
            raise
        root = _parsed(plain)
    if root.tag not in ("testsuites", "testsuite"):
        raise JUnitError(f"its root is <{root.tag[:50]}>")
    return root


def _parsed(xml: bytes) -> ElementTree.Element:
    try:
        parser = ElementTree.XMLParser(target=_Builder())  # noqa: S314 - see the module's text
        for start in range(0, len(xml), _PIECE_BYTES):
            parser.feed(xml[start : start + _PIECE_BYTES])
        return parser.close()
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # the latter two of its encoding
        raise JUnitError(str(error)) from None


def cases_of(root: ElementTree.Element, address: Address) -> Iterator[TestCase]:
    """All of them, as often as they are written."""
    finished = (element for element in root.iter("testcase") if element.get("name") is not None)  # else interrupted
    return (_case(element, address) for element in finished)


def _case(element: ElementTree.Element, address: Address) -> TestCase:
    path, names = address(element)
    outcome, message = _outcome(element)
    return TestCase("::".join((path, *names)), path, outcome, _seconds(element.get("time", "")), message)


def _seconds(text: str) -> float:
    """0.0 where it is none."""
    try:
        seconds = float(text)
    except ValueError:
        return 0.0
    return seconds if 0.0 <= seconds < math.inf else 0.0


def _outcome(element: ElementTree.Element) -> tuple[TestOutcome, str]:
    for tag, outcome in _OUTCOMES.items():
        found = element.find(tag)
        if found is not None:
            said = (found.text or "").strip() or found.get("message") or element.findtext("system-out") or ""
            return outcome, shorten_message(said.strip())
    return TestOutcome.PASSED, ""


def shorten_message(text: str, most: int = MAX_MESSAGE_CHARACTERS) -> str:
    """At most `most` characters, cut in the middle."""
    if len(text) <= most:
        return text
    half = most // 2 - 30
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"


def without_colours(text: str) -> str:
    """As it was before its program coloured it for a terminal."""
    return _COLOUR.sub("", text)


def merged(cases: Iterable[TestCase]) -> tuple[TestCase, ...]:
    """Every id once, with its worst outcome."""
    worst: dict[str, TestCase] = {}
    for case in cases:
        known = worst.get(case.id)
        if known is None or _WORST_FIRST.index(case.outcome) < _WORST_FIRST.index(known.outcome):
            worst[case.id] = case
    return tuple(worst.values())
