"""A test that brings the whole process down: what of the run is known all the same. Pure."""

import signal

from repo_tools.environment.runners.contract import Account, Reading
from repo_tools.environment.runners.unfinished import unfinished
from repo_tools.test_report import TestCase, TestOutcome

CRASHED = "A test ended the whole process:"
_BY_ITSELF = (signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV)
"""What a process comes to by what it does. Others come from outside: for want of memory, for instance."""
_SIGNALS = {128 + number: number.name for number in _BY_ITSELF}


def crashed(account: Account) -> Reading | None:
    """The one test that had begun, red; None where no test can be told to have done it. What ran before it, or would
    have run after it, is not told."""
    running = unfinished(account, 0.0).running
    if account.exit_code not in _SIGNALS or len(running) != 1:
        return None
    (test,) = running
    told = f"{_SIGNALS[account.exit_code]}, exit code {account.exit_code}"
    case = TestCase(test, test.partition("::")[0], TestOutcome.ERROR, 0.0, f"It ended the whole process. ({told})")
    return Reading((case,), f"{CRASHED} {test} ({told})")
