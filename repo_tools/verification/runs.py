"""What was run for a verdict."""

from collections.abc import Callable
from dataclasses import dataclass

from repo_tools.test_report import TestOutcome, TestReport
from repo_tools.verification.case_names import file_of, under_others


@dataclass(frozen=True)
class Runs:
    """What was run. B and C (`red`, `green`) are None where the change has no test files of its own, or A no result.

    `failed_again`: the tests that passed before and failed in A, alone, and, if some pass so, all of A (none: not run).
    `red_again`, `green_again`: repetitions of what turned green, on the base's product and on the new one; `repeated`
    are the files that were asked again (None: all). `green_among_all`: C as the whole suite (None: not run).
    `green_once_more`: C again, where a base test failed in it that passes in A (None: not run).
    `together`: C as the whole suite, where the change edits what tests in other files use, and again the files of what
    fails in it (none: not run). `base_again`: the base commit's own files on the base again, where tests of theirs may
    have another name in each run (none: not run).
    """

    baseline: TestReport
    regression: TestReport
    red: TestReport | None = None
    green: TestReport | None = None
    failed_again: tuple[TestReport, ...] = ()
    red_again: tuple[TestReport, ...] = ()
    green_again: tuple[TestReport, ...] = ()
    repeated: frozenset[str] | None = None
    green_among_all: TestReport | None = None
    green_once_more: TestReport | None = None
    together: tuple[TestReport, ...] = ()
    base_again: tuple[TestReport, ...] = ()

    @property
    def drawn_by_lot(self) -> frozenset[str]:
        """Base tests that the base itself has no more when their files are run again."""
        if any(report.problem for report in self.base_again):
            return frozenset()
        again = frozenset[str]().union(*(report.ids() for report in self.base_again))
        asked = frozenset(map(file_of, again))
        return frozenset(case_id for case_id in self.baseline.ids() - again if file_of(case_id) in asked)

    def renamed_by_lot(self, report: TestReport | None, group: Callable[[str], str]) -> frozenset[str]:
        """Base tests whose names are drawn by lot, and for which as many others of their group ran in `report`."""
        if report is None:
            return frozenset()
        new = report.ids() - report.ids(TestOutcome.SKIPPED) - self.baseline.ids()
        return under_others(self.drawn_by_lot - report.ids(), new, group)
