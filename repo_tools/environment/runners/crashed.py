"""Tests that bring the whole process down: each is red, and the others are run without it. Pure."""

import signal
from dataclasses import replace
from pathlib import PurePosixPath

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.junit import merged
from repo_tools.environment.runners.contract import Account, Reading
from repo_tools.environment.runners.unfinished import unfinished
from repo_tools.test_report import TestCase, TestOutcome

CRASHED = "A test ended the whole process:"
KILLED = 128 + signal.SIGKILL
WHY_KILLED = "It was killed, most likely because it wanted more memory than a sandbox has."
_BY_ITSELF = (signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV)
"""What a process comes to by what it does. Others come from outside: for want of memory, for instance."""
_SIGNALS = {128 + number: number.name for number in signal.Signals}


def without_it(command: TestCommand, account: Account) -> tuple[TestCommand, str] | None:
    """The same command but for the test that ended the process, or the file of tests whose loading did; None where none
    can be told to have done it. That it was this one is shown by the others, if they come to their end now."""
    test = _ended_by(account)
    if not test or test in dict(command.without):
        return None
    why = f" {WHY_KILLED}" if account.exit_code == KILLED else ""
    told = f"It ended the whole process. ({_ending(account.exit_code)}){why}"
    note = f"The others were run without {test}: it ended the whole process ({_ending(account.exit_code)})."
    return replace(command, without=(*command.without, (test, told))), note


def beside(command: TestCommand, reading: Reading) -> Reading:
    """With what is not run any more, red."""
    return replace(reading, cases=merged((*reading.cases, *(_red(test, told) for test, told in command.without))))


def crashed(account: Account) -> Reading | None:
    """The one test that ended the process by what it did, red; None where no test can be told to have done it. What ran
    before it, or would have run after it, is not told."""
    test = _ended_by(account)
    if not test or account.exit_code - 128 not in _BY_ITSELF:
        return None
    told = _ending(account.exit_code)
    return Reading((_red(test, f"It ended the whole process. ({told})"),), f"{CRASHED} {test} ({told})")


def _red(test: str, told: str) -> TestCase:
    return TestCase(test, test.partition("::")[0], TestOutcome.ERROR, 0.0, told)


def _ended_by(account: Account) -> str:
    found = unfinished(account, 0.0)
    if found.running:
        return found.running[0] if len(found.running) == 1 else ""
    return found.loading if PurePosixPath(found.loading.partition("::")[0]).suffix else ""  # no folder


def _ending(exit_code: int) -> str:
    """By a signal, or else as the process itself has it."""
    return ", ".join(filter(None, (_SIGNALS.get(exit_code), f"exit code {exit_code}")))
