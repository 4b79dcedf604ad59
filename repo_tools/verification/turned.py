"""Which tests a change turns from red to green, each time they are asked, and what their red was about. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from repo_tools.test_report import TestOutcome, TestReport
from repo_tools.verification.case_names import function_of, is_of_a_line
from repo_tools.verification.files_of_reports import begun, uncollectable
from repo_tools.verification.missing import missing
from repo_tools.verification.missing_name import Missing
from repo_tools.verification.runs import Runs
from repo_tools.verification.test_names import stands_in_product
from repo_tools.verification.touched import Touched


@dataclass(frozen=True)
class Turned:
    """Ids of tests."""

    runs: Runs
    touched: Touched

    @cached_property
    def each_time(self) -> frozenset[str]:
        """Red before and green with the change, each time they were asked."""
        dead = tuple(map(uncollectable, self.runs.red_again))
        return frozenset(case_id for case_id in self._turned_once if not self._is_unsteady(case_id, dead))

    @cached_property
    def unsteady(self) -> frozenset[str]:
        """Turned green once, and did not each time they were asked again."""
        return self._turned_once - self.each_time

    @cached_property
    def only_with_change(self) -> frozenset[str]:
        """New tests that pass in C, and that B did not find."""
        red, green = self.runs.red, self.runs.green
        if red is None or green is None or red.problem:
            return frozenset()
        new = green.passed - red.ids() - self.runs.baseline.ids() - self.each_time
        drawn = frozenset(map(self._made_by, self.runs.drawn_by_lot))
        return frozenset(
            case_id for case_id in new if not is_of_a_line(case_id) and self._made_by(case_id) not in drawn
        )

    def _made_by(self, case_id: str) -> str:
        return function_of(self.touched.made_by(case_id))

    @cached_property
    def red_by_import(self) -> Mapping[str, Missing]:
        """Own tests that turned green whose only fault on the base was a missing name -> what was missing."""
        red, base = self.runs.red, frozenset(self._base_tests_turned())
        if red is None:
            return {}
        dead = uncollectable(red) - begun(red)
        found = {case_id: self._missing(red, case_id, dead) for case_id in self.each_time - base}
        return {case_id: lacks for case_id, lacks in found.items() if lacks}

    @cached_property
    def shown(self) -> frozenset[str]:
        """Of `each_time`, those whose red shows more than that a name is new, or whose name the issue asks for."""
        return frozenset(name for name in self.each_time if name not in self.red_by_import or self._asked_for(name))

    @cached_property
    def is_reproduced(self) -> bool:
        """False where each red is no more than that something is not there yet, and the issue asks for none of it."""
        return bool(self.shown) or not self.each_time

    def _asked_for(self, case_id: str) -> bool:
        """Whether the issue asks for what this test lacked."""
        return bool(self.red_by_import[case_id].names & self.touched.asked_for)

    def _missing(self, red: TestReport, case_id: str, dead: frozenset[str]) -> Missing | None:
        path = case_id.partition("::")[0]
        case = red.by_id.get(case_id) or red.by_id.get(path)
        said = case.message if case else ""
        added, is_product = self.touched.added, self.touched.is_product
        ran, only = path not in dead, red.only_exit_code
        own = self.touched.test_files if only else frozenset[str]()
        return missing(said, path, added, is_product, collected=ran, only_exit_code=only, of_command=own)

    @cached_property
    def _turned_once(self) -> frozenset[str]:
        return frozenset(self._base_tests_turned()) | (self._own_turned or self.unloaded)

    @cached_property
    def _own_turned(self) -> frozenset[str]:
        return frozenset(self._own_tests_turned())

    @cached_property
    def unloaded(self) -> frozenset[str]:
        """Base tests that the change edits, and whose file the base cannot load as it is now, where no other test of
        its own turned: what the file lacks they may ask for."""
        red, green = self.runs.red, self.runs.green
        if red is None or green is None or self._own_turned:
            return frozenset()
        dead, known = uncollectable(red), green.passed & self.touched.edited - red.passed
        return frozenset(case.id for case in green.cases if case.path in dead and case.id in known)

    def _base_tests_turned(self) -> Iterator[str]:
        """Tests that stand in changed product files (doctests), or are called after a line of one, are the change's own
        words, and prove nothing; nor does what a linter says, or what passed in a file that failed as a whole."""
        dead, passed = uncollectable(self.runs.baseline), self.runs.baseline.passed
        for case in self.runs.regression.cases:
            was_red = case.id in self.runs.baseline.red or (case.path in dead and case.id not in passed)
            is_product = case.path in self.touched.product and not stands_in_product(case.path)
            own_words = is_product or is_of_a_line(case.id) or self.touched.is_linters(case.id)
            if case.outcome is TestOutcome.PASSED and was_red and not own_words:
                yield case.id

    def _own_tests_turned(self) -> Iterator[str]:
        """Where a whole file could not be collected on the base, its old tests did not turn: only its new ones did,
        but for those that passed there before it died."""
        red, green = self.runs.red, self.runs.green
        if red is None or green is None:
            return
        dead, known = uncollectable(red), self.runs.baseline.ids() | red.passed
        for case in green.cases:
            new_in_red_file = case.path in dead and case.id not in known
            turned = case.id in red.red or new_in_red_file
            if case.outcome is TestOutcome.PASSED and turned and not self.touched.is_linters(case.id):
                yield case.id

    def _is_unsteady(self, case_id: str, dead: tuple[frozenset[str], ...]) -> bool:
        path = case_id.partition("::")[0]
        if self.runs.repeated is not None and path not in self.runs.repeated:
            return False
        red = all(case_id in again.red or path in files for again, files in zip(self.runs.red_again, dead, strict=True))
        return not red or any(case_id not in again.passed for again in self.runs.green_again)
