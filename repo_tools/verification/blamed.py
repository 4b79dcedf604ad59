"""What is thrown outside of all tests, as the failure of the change's own test that ran. Pure.

An error that nobody catches, and a promise that is rejected in vain, end a user's process. vitest and ava tell of them
beside tests that pass; vitest knows which test ran, ava its file.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from repo_tools.environment.contract import Environment
from repo_tools.environment.runners.javascript_account import SEPARATOR, shown_name
from repo_tools.test_report import NO_FILE, TestCase, TestOutcome, TestReport
from repo_tools.verification.files_of_reports import uncollectable

_BY_FILE = "ava"
_RAN = re.compile(r"While (?P<name>.+) of (?P<path>\S+) ran: (?P<words>(?s:.*))")


def with_blamed(red: TestReport, baseline: TestReport, environment: Environment) -> TestReport:
    """`red`, of the change's tests on the base's product, with a test that passed red by what was thrown while it ran,
    where the base commit's suite throws nothing so. Of ava, which knows no more, the new tests of its file; a file that
    other runners call broken died, or was not loaded, and what passed in it before is sound."""
    thrown = uncollectable(red) - uncollectable(baseline)
    by_file = any(command.runner == _BY_FILE for command in environment.tests)
    messages = dict(_blamed(red, baseline, thrown if by_file else thrown & {NO_FILE}))
    return replace(red, cases=tuple(_failed(case, messages.get(case.id)) for case in red.cases)) if messages else red


def _blamed(red: TestReport, baseline: TestReport, thrown: frozenset[str]) -> Iterator[tuple[str, str]]:
    for cause in (case for case in red.cases if case.id in thrown):
        ran = _RAN.match(cause.message) if cause.id == NO_FILE else None
        path, name, words = (
            (ran["path"], shown_name(ran["name"]), ran["words"]) if ran else (cause.path, "", cause.message)
        )
        own = (case_id for case_id in red.passed if case_id.startswith(f"{path}::"))
        ends = (f"::{name}", f"{SEPARATOR}{name}")
        found = [each for each in own if (each.endswith(ends) if name else each not in baseline.ids())]
        if not name or len(found) == 1:
            yield from ((each, words) for each in found)


def _failed(case: TestCase, message: str | None) -> TestCase:
    return case if message is None else replace(case, outcome=TestOutcome.FAILED, message=message)
