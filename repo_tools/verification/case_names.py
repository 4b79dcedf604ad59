"""What tells the cases of one test apart in their ids: values, lines of the product, the layout of code, and what is
another one in each run. Pure."""

import re

from repo_tools.verification.javascript_source import SUFFIXES

_WITHOUT_PARAMETERS = (*SUFFIXES, ".rb")
_OF_GO = re.compile(r"(.*::(?:Test|Fuzz)\w*)/")
_LINE = re.compile(
    r"(?:(?<=[.][a-z]{2}:)|(?<=[.][a-z]{3}:))\d+(?:-\d+)?|(?:(?<=\bline:)|(?<=\bcolumn:)|(?<= \(line ))\d+"
)
"""As a test is called after one: ``shop.py:10-12`` (pytest-examples), ``line:10,column:1`` (Sybil), ``parse (line 3)``
(documentation in Rust)."""
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
