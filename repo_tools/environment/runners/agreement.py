"""Whether a runner's results and its exit code say the same. Pure."""

from repo_tools.environment.runners.contract import Account, Reading
from repo_tools.test_report import TestCase, TestOutcome

NOT_THERE = 127
"""As a shell says that a program is not there."""


def agreed(
    account: Account, cases: tuple[TestCase, ...], *, found_none: str, failed_without_red: str | None = None
) -> Reading:
    """The results, unless they contradict the exit code or there are none (`found_none` says so). `failed_without_red`
    is what it means that the runner failed and no test did."""
    if account.exit_code == NOT_THERE:
        return Reading((), "The test runner is not there. (exit code 127)")
    red = any(case.outcome in (TestOutcome.FAILED, TestOutcome.ERROR) for case in cases)
    if red and not account.exit_code:
        return Reading(cases, "The test runner reports failures and ends as if there were none. (exit code 0)")
    if not cases and not (account.exit_code and failed_without_red):
        return Reading((), f"{found_none} (exit code {account.exit_code})")
    if account.exit_code and not red:
        why = failed_without_red or "The test runner fails, and none of its tests does."
        return Reading(cases, f"{why} (exit code {account.exit_code})")
    return Reading(cases)
