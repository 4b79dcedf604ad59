"""unittest, and programs that use it (``manage.py test``), with a result that says every test as it ends."""

import json
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import PurePosixPath

from repo_tools.environment.box_programs.unittest_account import UNEXPECTED
from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import merged
from repo_tools.environment.runners.contract import NONE_COLLECTED, SAID, Account, IsFile, Reading, RunOrder
from repo_tools.environment.runners.crashed import beside, crashed, without_it
from repo_tools.environment.selectors import check_selector
from repo_tools.sandbox.contract import WORKSPACE
from repo_tools.test_report import TestCase, TestOutcome

_ACCOUNT = files("repo_tools.environment.box_programs") / "unittest_account.py"
_START = """
import sys
sys.path[:] = sys.path[1:]  # the account's own program is none of the project's
exec(compile(sys.argv.pop(1), "<runner>", "exec"))
"""
_PROGRAM = re.compile(r"(?:\./)?(?:[\w-]+/)*(?:manage|run_?tests?|test_?runner)\.py")
_MODULES = (("-m", "unittest"), ("-m", "django"), ("-m", "zope.testrunner"))
_EMPTY = 5
_VERDICT = 1
"""By which a program that found something ends (https://docs.python.org/3/library/sys.html#sys.exit)."""
_EXIT_CODE = "exit_code"


class UnittestRunner:
    name = "unittest"
    selects = True

    def recognises(self, argv: tuple[str, ...]) -> bool:
        if not argv or not re.fullmatch(r"python[\d.]*", argv[0]):
            return False
        return argv[1:3] in _MODULES or bool(argv[1:] and _PROGRAM.fullmatch(argv[1]))

    def check_selector(self, selector: str) -> None:
        check_selector(selector)

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        whole = any(selector.endswith(f"::{_EXIT_CODE}") for selector in selectors)
        named = [selector.rstrip("/") for selector in selectors if selector.rstrip("/") != "."]
        wanted = json.dumps([] if whole else named)
        without = json.dumps([test for test, _ in command.without])
        program = ("python3", "-c", _START, _ACCOUNT.read_text("utf-8"), SAID, wanted, without)
        variables = {"PYTHONDONTWRITEBYTECODE": "1", "AGENT_FIX_TOP": WORKSPACE}
        return RunOrder((*program, *command.argv[1:]), variables, hand_nonce=True, path_later=True)

    def second_try(self, command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
        """A test that ends the whole process must not hide the others."""
        try:
            _, end = _heard(account)
        except (ValueError, KeyError, TypeError):
            return None
        return without_it(command, account) if end is None else None

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        return beside(command, self._read(account, command, is_file))

    def _read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        try:
            cases, end = _heard(account)
        except (ValueError, KeyError, TypeError):
            return Reading((), "The test runner's account holds lines that are not its own.")
        if end is None or end != account.exit_code:
            lost = Reading((), f"The test run did not come to its end. (exit code {account.exit_code})")
            return (crashed(account) or lost) if end is None else lost
        if end == _EMPTY or not cases:
            return Reading((), f"{NONE_COLLECTED} (exit code {end})")
        if end == _VERDICT and (own := _program(command, is_file)) and not any(map(_is_red, cases)):
            return Reading((*cases, _ends_badly(own)))
        cases = tuple(_as_taken(case) for case in cases) if end == 0 else cases
        red = any(map(_is_red, cases))
        if red is (end == 0):
            said = "failures" if red else "none"
            return Reading(cases, f"The test runner reports {said} and ends as if it were otherwise. (exit code {end})")
        return Reading(cases)


def _is_red(case: TestCase) -> bool:
    return case.outcome in (TestOutcome.FAILED, TestOutcome.ERROR)


def _as_taken(case: TestCase) -> TestCase:
    """Of a run that ends well: Django's ``DiscoverRunner.suite_result`` of before 4.1 takes what was expected to fail,
    and did not, for passed."""
    return replace(case, outcome=TestOutcome.PASSED, message="") if case.message == UNEXPECTED else case


def _program(command: TestCommand, is_file: IsFile) -> str:
    """The file of the repository's own that the command starts; empty where it starts unittest, or the like."""
    words = command.argv[1:3]
    if words in _MODULES or not words:
        return ""
    module = words[1].replace(".", "/") if words[0] == "-m" and len(words) > 1 else ""
    named = (f"{module}.py", f"{module}/__main__.py") if module else words[:1]
    places = (str(PurePosixPath(command.directory, each)) for each in named)
    return next(filter(is_file, places), "")


def _ends_badly(program: str) -> TestCase:
    """One test more: whatever it looks for besides its tests (errors that are logged, say), it has found something."""
    message = f"None of its tests fails, and it ends with exit code {_VERDICT}."
    return TestCase(f"{program}::{_EXIT_CODE}", program, TestOutcome.FAILED, 0.0, message)


def _heard(account: Account) -> tuple[tuple[TestCase, ...], int | None]:
    """(tests, how it ended). ValueError, KeyError, TypeError where a line is none of the runner's."""
    cases: list[TestCase] = []
    end: int | None = None
    for line in account.said.splitlines():
        if not line.startswith(account.nonce) or end is not None:
            raise ValueError(line[:100])
        kind, *words = json.loads(line.removeprefix(account.nonce))
        if kind == "end":
            (end,) = words
        elif kind != "began":
            path, case_id, outcome, seconds, message = words
            cases.append(TestCase(case_id, path, TestOutcome(outcome), float(seconds), message))
    return merged(cases), end
