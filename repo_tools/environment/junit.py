"""JUnit XML, as pytest writes it (family ``xunit1``), into test cases with pytest's own ids.

pytest writes ``classname`` as its node id with the slashes, the ``.py`` and the ``::`` turned into dots, and ``file``
as the place where the function is defined, which for an inherited test is another file. Both together give the id back.

The text comes out of a box in which untrusted code ran: its size is bounded by the caller, and a document type (the
only way to entities) is refused, so that the standard library's parser is enough.
"""

from collections.abc import Callable, Iterable
from xml.etree import ElementTree

from repo_tools.test_report import TestCase, TestOutcome

MAX_MESSAGE_CHARACTERS = 8_000

_WORST_FIRST = (TestOutcome.ERROR, TestOutcome.FAILED, TestOutcome.SKIPPED, TestOutcome.PASSED)
_OUTCOMES = {"error": TestOutcome.ERROR, "failure": TestOutcome.FAILED, "skipped": TestOutcome.SKIPPED}

IsFile = Callable[[str], bool]
"""Whether a root-relative path is a file of the tested tree."""


class JUnitError(ValueError):
    """The text is not a JUnit report."""


class _Builder(ElementTree.TreeBuilder):
    def doctype(self, *_: str | None) -> None:
        raise JUnitError("it declares a document type")


def parse_junit(xml: bytes, is_file: IsFile) -> tuple[TestCase, ...]:
    """Every case once; what was written twice (a failing tear-down, subtests, re-runs) counts with its worst outcome.

    JUnitError where the text is not such a report, or is cut off.
    """
    try:
        root = ElementTree.XML(xml, ElementTree.XMLParser(target=_Builder()))  # noqa: S314 - see the module's text
    except ElementTree.ParseError as error:
        raise JUnitError(str(error)) from None
    if root.tag not in ("testsuites", "testsuite"):
        raise JUnitError(f"its root is <{root.tag[:50]}>")
    finished = (element for element in root.iter("testcase") if element.get("name"))  # an interrupted one has no name
    return _merged(_case(element, is_file) for element in finished)


def _case(element: ElementTree.Element, is_file: IsFile) -> TestCase:
    path, names = _address(element, is_file)
    outcome, message = _outcome(element)
    return TestCase("::".join((path, *names)), path, outcome, _seconds(element.get("time", "")), message)


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _outcome(element: ElementTree.Element) -> tuple[TestOutcome, str]:
    for tag, outcome in _OUTCOMES.items():
        found = element.find(tag)
        if found is not None:
            return outcome, _cut((found.text or found.get("message") or "").strip())
    return TestOutcome.PASSED, ""


def _cut(text: str) -> str:
    if len(text) <= MAX_MESSAGE_CHARACTERS:
        return text
    half = MAX_MESSAGE_CHARACTERS // 2 - 30
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"


def _address(element: ElementTree.Element, is_file: IsFile) -> tuple[str, tuple[str, ...]]:
    """The file and the names below it. A collection error has only a name: the dotted file."""
    classname, name = element.get("classname", ""), element.get("name", "")
    dotted = classname or name
    path = _path(dotted, element.get("file"), is_file)
    below = dotted[len(_dotted(path)) + 1 :]
    names = tuple(below.split(".")) if below else ()
    return path, (*names, name) if classname else names


def _dotted(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _path(dotted: str, defined_in: str | None, is_file: IsFile) -> str:
    if defined_in and f"{dotted}.".startswith(f"{_dotted(defined_in)}."):
        return defined_in
    parts = dotted.split(".")
    candidates = ["/".join(parts[:end]) + ".py" for end in range(len(parts), 0, -1)]
    return next((path for path in candidates if is_file(path)), defined_in or candidates[0])


def _merged(cases: Iterable[TestCase]) -> tuple[TestCase, ...]:
    worst: dict[str, TestCase] = {}
    for case in cases:
        known = worst.get(case.id)
        if known is None or _WORST_FIRST.index(case.outcome) < _WORST_FIRST.index(known.outcome):
            worst[case.id] = case
    return tuple(worst.values())
