"""Files that a report is about, by what became of them. Pure."""

from repo_tools.test_report import TestOutcome, TestReport


def uncollectable(report: TestReport) -> frozenset[str]:
    """Files whose collection failed: the case of such a file has no name below it."""
    return frozenset(case.path for case in report.cases if case.outcome is TestOutcome.ERROR and case.id == case.path)


def begun(report: TestReport) -> frozenset[str]:
    """Files of which tests ran before they died, as one that prints TAP does where one of them throws."""
    return frozenset(case.path for case in report.cases if case.id != case.path)


def all_red(report: TestReport) -> frozenset[str]:
    """Files with tests that failed, and none that passed."""
    passed = frozenset(case.path for case in report.cases if case.outcome is TestOutcome.PASSED)
    return frozenset(case.path for case in report.cases if case.id in report.red) - passed
