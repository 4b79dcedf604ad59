"""What tells the cases of one test apart in their ids: values, lines of the product, the layout of code, and what is
another one in each run. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator

from repo_tools.environment.javascript.files import SUFFIXES

_WITHOUT_PARAMETERS = (*SUFFIXES, ".rb")
_OF_GO = re.compile(r"(.*::(?:Test|Fuzz)\w*)/")
_LINE = re.compile(
    r"(?:(?<=[.][a-z]{2}:)|(?<=[.][a-z]{3}:))\d+(?:-\d+)?|(?:(?<=\bline:)|(?<=\bcolumn:)|(?<= \(line ))\d+"
)
"""As a test is called after one: ``shop.py:10-12`` (pytest-examples), ``line:10,column:1`` (Sybil), ``parse (line 3)``
(documentation in Rust)."""
_OF_A_PLACE = re.compile(r"(?:(?<=\[)|(?<=-))([A-Za-z_]\w{0,100}?)(\d{1,6})(?=[-\]])")
"""As pytest calls a case by a value that has no words: ``test_sum[case0-3]``."""
_OF_A_RUN = re.compile(
    r"\b(?:\d{4}([-/])\d{1,2}\1\d{1,2}|\d{1,2}([-/])\d{1,2}\2\d{4}|\d{8}T\d{4,6})(?!\d)|\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?"
    r"|\b1[6-9]\d{8}(?:\d{3}){0,3}(?:\.\d+)?\b|\b0\.\d{10,}"
    r"|\b0x[0-9a-f]{6,}|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|/tmp/[\w.-]+"
)
"""As a test is called after the moment at which it is found, a random number or a place in memory."""


def is_of_a_line(case_id: str) -> bool:
    """Whether a test is called after the line of an example, as in product code, which moves with it."""
    return _LINE.search(case_id.partition("::")[2]) is not None


def steady_form(case_id: str) -> str:
    """What stays of its name from run to run, and where a line moves."""
    path, _, name = case_id.partition("::")
    return f"{path}::{_OF_A_RUN.sub('0', _LINE.sub('0', name))}"


def function_of(case_id: str) -> str:
    """Without what tells its cases apart, and without the layout of code that a test is called after; those of Go are
    called by the test's name, too. In names of JavaScript and Ruby a bracket is a bracket."""
    path, mark, name = case_id.partition("::")
    plain = " ".join((name if path.endswith(_WITHOUT_PARAMETERS) else name.partition("[")[0]).split())
    found = _OF_GO.match(f"{path}{mark}{plain}")
    return found[1] if found else f"{path}{mark}{plain}"


def file_of(case_id: str) -> str:
    return case_id.partition("::")[0]


def under_others(lost: frozenset[str], new: frozenset[str], group: Callable[[str], str]) -> frozenset[str]:
    """Those of `lost` of whose group as many are `new`."""
    fewer, more = Counter(map(group, lost)), Counter(map(group, new))
    return frozenset(case_id for case_id in lost if more[group(case_id)] >= fewer[group(case_id)])


def called_after_places(ids: Iterable[str]) -> frozenset[str]:
    """Those of which pytest counts the rows, so that a row before them gives them another name; `ids` as they ran."""
    of_tests = defaultdict[str, list[str]](list)
    for case_id in ids:
        of_tests[function_of(case_id)].append(case_id)
    return frozenset(case_id for cases in of_tests.values() for case_id in _counted(cases))


def _counted(cases: list[str]) -> Iterator[str]:
    """Those with a number that is their row's, or that all have, from the first to the last: a value's own name hardly
    begins with 0, and lacks none."""
    places = [dict(_OF_A_PLACE.findall(case_id)) for case_id in cases]
    for name in frozenset[str]().union(*places):
        rows = {row: int(place[name]) for row, place in enumerate(places) if name in place}
        numbers = {*rows.values()}
        complete = len(rows) == len(cases) and numbers == {*range(len(numbers))}
        if len(numbers) > 1 and (complete or all(row == number for row, number in rows.items())):
            yield from (cases[row] for row in rows)
