"""A command of which nothing is known but how it ends: the last resort, and reports say so."""

import re

from repo_tools.environment.contract import TestCommand, typed_for
from repo_tools.environment.runners.contract import Account, IsFile, OneTry, Reading, RunOrder
from repo_tools.test_report import TestCase, TestOutcome

CANNOT_BE_RUN = (126, 127)
"""As a shell says that a program is not there or cannot be executed: no test has run."""

MAKE_FAILED = 2
_NOT_THERE = re.compile(rb"^make(?:\[\d+\])?: \*\*\* \[[^\n\]]{1,200}\] Error 12[67]$", re.MULTILINE)
"""As make hands on what its shell said: no program, no test."""
_NO_TESTS = re.compile(rb"^No tests were found!!!\s*$", re.MULTILINE)
"""As ctest ends, with success, where nothing was built."""


class ExitCodeRunner(OneTry):
    name = "exit_code"
    selects = False

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return True

    def check_selector(self, selector: str) -> None:
        raise ValueError(f"{selector[:200]!r} cannot be run alone: this repository's tests are one command.")

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        return RunOrder(command.argv)

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        if account.exit_code in CANNOT_BE_RUN:
            return Reading((), f"The test command cannot be run (exit code {account.exit_code}).")
        if account.exit_code == MAKE_FAILED and (found := _NOT_THERE.search(account.output)):
            what = found[0].decode("utf-8", "replace").strip()
            return Reading((), f"The test command cannot be run: {what} (exit code {account.exit_code}).")
        if not account.exit_code and _NO_TESTS.search(account.output):
            return Reading((), "No tests were run. (exit code 0)")
        outcome = TestOutcome.FAILED if account.exit_code else TestOutcome.PASSED
        message = account.output.decode("utf-8", "replace")[-4_000:] if account.exit_code else ""
        shown = command.typed or typed_for(command.argv)
        case = TestCase(f"{command.directory or '.'}::{shown}", command.directory or ".", outcome, 0.0, message)
        return Reading((case,), only_exit_code=True)
