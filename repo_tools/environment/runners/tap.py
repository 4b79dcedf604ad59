"""Suites that print TAP (tape, brittle, node-tap and others), each file of them run and heard alone."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import shorten_message
from repo_tools.environment.runners.contract import Account, IsFile, Reading, RunOrder
from repo_tools.environment.runners.javascript_account import failed_build, numbered, problem_of, test_id
from repo_tools.environment.runners.javascript_command import ScriptCommand, taken_apart
from repo_tools.environment.runners.javascript_launch import launched_file_by_file
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted
from repo_tools.environment.runners.tap_commands import by_file, runs_suites
from repo_tools.environment.runners.tap_files import FileRun
from repo_tools.environment.runners.tap_text import TapResult, read_tap
from repo_tools.test_report import TestCase, TestOutcome

_SAYS_TAP = re.compile(r"(?m)^(?:TAP version |1\.\.\d|ok +(?:\d|-))|\bnot ok\b|^ok\b(?s:.*)^ok\b|^# +fail")
"""Many a program that only asserts says ``ok`` once, in the end."""
_BY_EXIT_CODE = ("node", "tap")
"""Programs of a repository's own, beside none that print TAP, tell by their exit codes alone; for node-tap any may."""


class TapRunner(JavaScriptRunner):
    name = "tap"

    def starts(self, script: ScriptCommand) -> bool:
        return runs_suites(script.words)

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        """A test's name narrows the run to its file: TAP knows no narrower."""
        start, patterns = by_file(script.words)
        return launched_file_by_file(replace(script, words=start), wanted.places or patterns, patterns)

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        if problem := failed_build(account):
            return Reading((), problem)
        try:
            runs = list(_runs(account.results))
        except (ValueError, KeyError, TypeError, RecursionError):
            return Reading((), "The test runner's results cannot be read.")
        program = taken_apart(command.argv).program
        quiet = [run for run in runs if program in _BY_EXIT_CODE and run.code == 0 and not _SAYS_TAP.search(run.text)]
        cases = [case for run in runs if run not in quiet for case in read_file(run)]
        if program == "tap" or not cases:
            cases += [TestCase(run.path, run.path, TestOutcome.PASSED) for run in quiet]
        every = numbered(cases)
        return Reading(every, problem_of(exit_code_of(account, every), every))


def _runs(results: bytes) -> Iterator[FileRun]:
    for line in results.splitlines():
        yield FileRun(**json.loads(line))


def read_file(run: FileRun) -> list[TestCase]:
    """Its cases; a file that failed without saying so, or whose output cannot be trusted, is a case of its own, beside
    which tests may be missing: it could not be loaded, died, or two lists of tests stand in one another."""
    result = read_tap(run.text)
    cases = [
        TestCase(test_id(run.path, c.names), run.path, c.outcome, c.seconds, shorten_message(c.message))
        for c in result.cases
    ]
    problem = _problem_of_file(run, result)
    if problem is None:
        return cases
    message = f"The file ended with exit code {run.code}: {problem}.\n{run.errors}"
    return [*cases, TestCase(run.path, run.path, TestOutcome.ERROR, 0.0, shorten_message(message.strip()))]


def _problem_of_file(run: FileRun, result: TapResult) -> str | None:
    if not run.whole:
        return "its output is too long to be read"
    if run.code == 0 and result.failed:
        return "it reports failures and ends as if there were none"
    return result.problem or ("no test of it failed" if run.code != 0 and not result.failed else None)


def exit_code_of(account: Account, cases: tuple[TestCase, ...]) -> int:
    """A file that cannot be trusted is red, however it ended."""
    return account.exit_code or int(any(c.outcome is TestOutcome.ERROR and c.id == c.path for c in cases))
