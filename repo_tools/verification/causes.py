"""What the red tests of a suite have in common: one thing that the set-up or the machine lacks fails many. Pure."""

import re
from collections import Counter

from repo_tools.test_report import TestReport

_ERROR = re.compile(r"(?m)^(?:E\s+)?([A-Za-z][\w.]{0,100}(?:Error|Exception)(?:: [^\n]{0,200})?)$")


def commonest_error(report: TestReport) -> tuple[str, int] | None:
    """What most of several red tests end with, and of how many it is so; None where there is no such cause."""
    found = _errors(report)
    return found if found and found[1] > max(1, len(report.red) // 2) else None


def mostly_red_note(report: TestReport) -> str:
    """For whoever wonders whether the code or its environment is broken; empty where most tests pass."""
    red, passed = len(report.red), len(report.passed)
    if red <= passed or report.problem or report.only_exit_code:
        return ""
    found = _errors(report)
    cause = f" {found[1]} of {red} end with {found[0]}" if found else ""
    told = f"{red} of {red + passed} tests are red" if passed else "No test passes"
    return f"{told} before any work: the environment may lack what they need.{cause}"


def _errors(report: TestReport) -> tuple[str, int] | None:
    red = [case for case in report.cases if case.id in report.red]
    found = Counter(error for case in red for error in _ERROR.findall(case.message)[-1:])
    return next(iter(found.most_common(1)), None)
