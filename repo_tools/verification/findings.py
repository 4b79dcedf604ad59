"""What five test runs show of a change: which tests broke, were rewritten, or are gone. Pure."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from repo_tools.test_report import NO_FILE, TestOutcome
from repo_tools.verification.case_names import (
    called_after_places,
    file_of,
    function_of,
    is_of_a_line,
    steady_form,
    under_others,
)
from repo_tools.verification.files_of_reports import all_red, begun, uncollectable
from repo_tools.verification.runs import Runs
from repo_tools.verification.touched import Touched
from repo_tools.verification.turned import Turned

_OF_DOCUMENTATION = re.compile(r" \(line \d+\)$")


@dataclass(frozen=True)
class Findings:
    """Ids of tests, but for `gone`, which are names without their parameters."""

    runs: Runs
    touched: Touched

    @cached_property
    def turned(self) -> Turned:
        return Turned(self.runs, self.touched)

    @cached_property
    def flaky(self) -> frozenset[str]:
        """Failed in A, and passed when run once more, alone and among all others."""
        again = self.runs.failed_again
        lost = self.runs.baseline.passed & self.runs.regression.red
        if not again or any(report.problem for report in again):
            return frozenset()
        return (lost | self._new_in_a).intersection(*(report.passed for report in again))

    @cached_property
    def broken(self) -> frozenset[str]:
        """Passed on the base, and neither in A nor when run once more."""
        lost = self.runs.baseline.passed & self.runs.regression.ids()
        return lost - self.runs.regression.passed - self.flaky

    @cached_property
    def appeared(self) -> frozenset[str]:
        """Red in A and when run once more, and not there on the base: a test that the product's own data make, or a
        file that can no longer be loaded to its end."""
        return self._new_in_a - self.flaky

    @property
    def uncollected(self) -> frozenset[str]:
        """Base tests that A did not even find, under another name neither."""
        return self.not_found - self.runs.renamed_by_lot(self.runs.regression, file_of)

    @property
    def perhaps_renamed(self) -> frozenset[str]:
        """Those that A did not find, and has as many others of the same file for: to be asked on the base again."""
        return under_others(self.not_found, self.runs.regression.ids() - self.runs.baseline.ids(), file_of)

    @cached_property
    def not_found(self) -> frozenset[str]:
        """Base tests that A does not have, on another line or at another moment neither. A file that could not be
        collected before is no test, with one of the product go its examples, and what a linter says of all files stands
        at the first one."""
        before, after = self.runs.baseline.ids(), self.runs.regression.ids()
        asked = (case_id for case_id in before - after if not self.touched.is_linters(case_id))
        parted = ((case_id, case_id.partition("::")) for case_id in asked)
        lost = frozenset(each for each, (path, is_one, _) in parted if is_one and path not in self.touched.removed)
        fewer = Counter(map(steady_form, lost)) - Counter(map(steady_form, after - before))
        return frozenset(case_id for case_id in lost if steady_form(case_id) in fewer)

    @cached_property
    def rewritten(self) -> frozenset[str]:
        """Broken base tests that the change itself, or what it edits beside them, made into what passes on the new
        product."""
        green, edited = self.runs.green, self.touched.edited | self.touched.edited_beside
        return frozenset() if green is None else edited & self._with_form_in(green.passed)

    @cached_property
    def contract(self) -> frozenset[str]:
        """Those of the rewritten ones that are red on the base's product, each time. Where the test itself is not
        edited, red by a missing name that the issue does not ask for would not show that it demands anything else."""
        if self.runs.red is None:
            return frozenset()
        red, turned = self.runs.red.red, self.turned
        own = self._with_form_in(turned.each_time & red) & self.touched.edited
        return self.rewritten & (own | self._with_form_in(turned.shown & red))

    @cached_property
    def evaded(self) -> frozenset[str]:
        """Those that pass on either product: no contract is changed."""
        if self.runs.red is None:
            return frozenset()
        return self.rewritten & self._with_form_in(self.runs.red.passed) - self.contract

    @property
    def edited_unasked(self) -> frozenset[str]:
        """Those that the change edits though it need not, by more than what they may read."""
        return self._unasked.difference(*self.touched.readers.values())

    @property
    def data_edited_unasked(self) -> frozenset[str]:
        """Paths of what others of those may read, but for those that a test may read whose contract changes."""
        asked = (item for item in self.touched.readers.items() if not item[1] & self.contract)
        return frozenset(path for path, readers in asked if readers & self._unasked)

    @cached_property
    def _unasked(self) -> frozenset[str]:
        """Those that pass in A as they were, and that the change edits all the same; but for tests of which some case
        is seen to demand something new, for parts of a test, and for those whose name nobody finds in their file."""
        turned, known = self.turned.each_time - self.turned.unloaded, self.runs.baseline.ids()
        found = self.runs.regression.passed | self.runs.renamed_by_lot(self.runs.regression, file_of)
        kept = self.touched.edited & self.runs.baseline.passed & found
        whole = (each for each in kept if self.touched.made_by(each) == each and each.rpartition("/")[0] not in known)
        demanding = frozenset(map(self._made_by, turned))
        return frozenset(case_id for case_id in whole if self._made_by(case_id) not in demanding)

    @cached_property
    def unseen(self) -> frozenset[str]:
        """Those whose new form was not run on the base's product, on which its file cannot be loaded."""
        dead = uncollectable(self.runs.red) - begun(self.runs.red) if self.runs.red else frozenset()
        return frozenset(case_id for case_id in self.rewritten - self.contract if case_id.partition("::")[0] in dead)

    @cached_property
    def red_alone(self) -> frozenset[str]:
        """Base tests that fail where only the change's files are run, on either product: they may need what others
        leave behind."""
        red, green = self.runs.red, self.runs.green
        return frozenset() if red is None or green is None else self.runs.baseline.passed & red.red & green.red

    @property
    def failed_beside(self) -> frozenset[str]:
        """Base tests that pass in A and in B, and fail in C, in which the change's own tests run beside them."""
        red, green = self.runs.red, self.runs.green
        passed = self.runs.baseline.passed & self.runs.regression.passed
        return frozenset() if red is None or green is None else passed & green.red - red.red

    @property
    def flaky_beside(self) -> frozenset[str]:
        """Those of them that passed when C was made once more."""
        again = self.runs.green_once_more
        return self.failed_beside & again.passed if again and not again.problem else frozenset()

    @cached_property
    def broken_together(self) -> frozenset[str]:
        """Pass in A and not, as they are, with what the change makes of what they use; each time that they are asked.
        Of the change's own test files its forms count."""
        lost = self.runs.baseline.passed & self.runs.regression.passed - self._base_ids_touched()
        for report in self.runs.together:
            elsewhere = frozenset(map(steady_form, report.passed))
            missing = (name for name in lost - report.ids() if steady_form(name) not in elsewhere)
            lost = lost & report.ids() - report.passed | frozenset(missing)
        return lost if self.runs.together else frozenset()

    @cached_property
    def own_red(self) -> frozenset[str]:
        """What fails of the change's files, and not only where it is run without the others."""
        green, among_all = self.runs.green, self.runs.green_among_all
        needy = self.red_alone & among_all.passed if among_all else frozenset()
        excused = self.runs.baseline.red | needy | self.without_means | self.flaky_beside
        red = frozenset() if green is None else green.red - excused
        known = frozenset(steady_form(n) for n in self.runs.baseline.red if is_of_a_line(n) or n not in self._lasting)
        return frozenset(name for name in red if steady_form(name) not in known and not self._is_red_of_all(name))

    @cached_property
    def idle(self) -> frozenset[str]:
        """Changed test files of which nothing passes, in no run: they need what is not here (a service, a network), or
        the suite does not run them at all (those for a browser)."""
        if self.runs.green is None:
            return frozenset()
        base_tests = all_red(self.runs.baseline) & all_red(self.runs.regression)
        return (base_tests | self.touched.never_run) & all_red(self.runs.green)

    @property
    def none_of_its_own(self) -> bool:
        """Whether C ran others alone, which might load the changed files of tests that the suite does not run."""
        ran = {case.path for case in self.runs.green.cases} if self.runs.green else frozenset[str]()
        return bool(ran and self.touched.never_run) and self.touched.test_files.isdisjoint(ran)

    @cached_property
    def without_means(self) -> frozenset[str]:
        """New tests that fail on either product in an idle file."""
        red, green = self.runs.red, self.runs.green
        if red is None or green is None:
            return frozenset()
        new = red.red & green.red - self.runs.baseline.ids()
        return frozenset(case.id for case in green.cases if case.id in new and case.path in self.idle)

    @property
    def is_dark(self) -> bool:
        """Whether all that is known is that the suite fails, before and with the change."""
        base, green = self.runs.baseline, self.runs.green
        return bool(base.only_exit_code and base.red and green and base.red <= green.red)

    @property
    def is_tests_alone(self) -> bool:
        """Whether the change has no product, and all tests are one command, which starts files that count as tests."""
        return self.runs.baseline.only_exit_code and not self.touched.product

    @property
    def is_dead(self) -> bool:
        """Whether no test passes, before or with the change, one of its own neither."""
        base, green = self.runs.baseline, self.runs.green
        passed = base.passed | self.runs.regression.passed
        return bool(base.red and green and not green.problem) and not (passed or (green and green.passed))

    @property
    def passes_on_both(self) -> bool:
        """Whether each test of the change's files passes on the base's product and with the change."""
        red, green = self.runs.red, self.runs.green
        return bool(red and green and green.cases and green.ids() <= red.passed & green.passed)

    @cached_property
    def gone(self) -> frozenset[str]:
        """Base tests in changed or deleted test files with fewer cases than before; parameters may change, and so may
        names where a contract does, and those drawn by lot of tests that have no other name. Of files that cannot be
        loaded with the change it is told of these."""
        if any(report and report.problem for report in (self.runs.regression, self.runs.green)):
            return frozenset()
        after = Counter(map(function_of, self.runs.green.ids() if self.runs.green else ()))
        by_lot = self.runs.renamed_by_lot(self.runs.green, self._made_by)
        renamed = self.contract.union(name for name in by_lot if function_of(name) not in after)
        told = self.own_red & uncollectable(self.runs.green) - begun(self.runs.green) if self.runs.green else ()
        asked = (case_id for case_id in self._base_ids_touched() - renamed if case_id.partition("::")[0] not in told)
        before = Counter(map(function_of, asked))
        fewer = Counter(map(steady_form, before.elements())) - Counter(map(steady_form, after.elements()))
        lost = (name for name, count in before.items() if after[name] < count)
        lasting = frozenset(map(function_of, self._lasting))
        return frozenset(
            name for name in lost if steady_form(name) in fewer or (name in lasting and not is_of_a_line(name))
        )

    @cached_property
    def silenced(self) -> frozenset[str]:
        """A test that is expected to fail is skipped as long as it does: in B, if not in C; perhaps under other values,
        or laid out anew."""
        ran = self._base_ids_touched() - self.runs.baseline.ids(TestOutcome.SKIPPED)
        reports = [report for report in (self.runs.red, self.runs.green) if report]
        skipped = frozenset[str]().union(*(report.ids(TestOutcome.SKIPPED) for report in reports))
        forms = frozenset(map(function_of, skipped - self.runs.baseline.ids()))
        kept = self.runs.green.ids() if self.runs.green else ran
        return ran & skipped | frozenset(case_id for case_id in ran - kept if function_of(case_id) in forms)

    @cached_property
    def _new_in_a(self) -> frozenset[str]:
        """But for edited tests, of which the change's own form counts, whatever its parameters; for cases that pass
        with what it edits beside their test; for files that could not be collected before; and for those of which tests
        are gone, which is told of these."""
        edited = frozenset(map(function_of, self.touched.edited))
        beside = frozenset(map(function_of, self.touched.edited_beside))
        passed = self.runs.green.passed if self.runs.green else frozenset()
        told = frozenset(case_id.partition("::")[0] for case_id in self.uncollected)
        files = uncollectable(self.runs.baseline)
        new = (case for case in self.runs.regression.cases if case.path not in files)
        red = frozenset(case.id for case in new) & self.runs.regression.red - self.runs.baseline.ids()
        more = Counter(map(steady_form, red)) - self._red_forms_left
        left = (name for name in red - told if steady_form(name) in more and not self._is_red_of_all(name))
        excused = {name for name in red & passed if function_of(name) in beside}
        return frozenset(name for name in left if function_of(name) not in edited and name not in excused)

    def _is_red_of_all(self, case_id: str) -> bool:
        """Whether a linter says so of all files (`mypy-status`), at whichever is the first, and did before."""
        return self.touched.is_linters(case_id) and case_id.partition("::")[2] in self._red_once

    @cached_property
    def _red_once(self) -> frozenset[str]:
        """Names of tests, without their files, of which the base has one alone, and it is red."""
        names = Counter(case_id.partition("::")[2] for case_id in self.runs.baseline.ids())
        red = (case_id.partition("::")[2] for case_id in self.runs.baseline.red)
        return frozenset(name for name in red if names[name] == 1)

    def _with_form_in(self, ids: frozenset[str]) -> frozenset[str]:
        """Broken base tests that are among `ids`, which are of C; of cases that C has no more, because they are called
        after their values, or may have as others, because after their places, those of tests of which as many new ones
        are."""
        known, places = self.runs.baseline.ids(), self._after_places
        gone = self.broken - ((self.runs.green.ids() if self.runs.green else frozenset()) - places)
        lost, new = Counter(map(self._made_by, gone)), Counter(map(self._made_by, ids - (known - places)))
        replaced = (case_id for case_id in gone if new[self._made_by(case_id)] >= lost[self._made_by(case_id)])
        return self.broken & ids | frozenset(replaced)

    @cached_property
    def _after_places(self) -> frozenset[str]:
        return called_after_places(case.id for case in self.runs.baseline.cases)

    def _made_by(self, case_id: str) -> str:
        """The test whose case it is: several of one test are told apart by their values."""
        return function_of(self.touched.made_by(case_id))

    @cached_property
    def _lasting(self) -> frozenset[str]:
        """Base tests that had the same name in another run: no moment of a run is in it."""
        return self.runs.baseline.ids() & self.runs.regression.ids()

    @property
    def _red_forms_left(self) -> Counter[str]:
        """Red base tests that A has no more under that line or moment."""
        return Counter(map(steady_form, self.runs.baseline.red - self.runs.regression.ids()))

    def _base_ids_touched(self) -> frozenset[str]:
        """Of tests whose files nobody tells, a change of tests may touch each. Examples in Rust's documentation are the
        product's, which A judges, and B and C may run the unit tests of the same file alone; nor do they run what
        stands beside tests, of which linters make some."""
        cases, files = self.runs.baseline.cases, self.touched.test_files
        if self.runs.green and all(case.path == NO_FILE for case in cases):
            files |= {NO_FILE}
        own = (case.id for case in cases if case.path in files and "::" in case.id)
        written = (case_id for case_id in own if not self.touched.is_linters(case_id))
        return frozenset(case_id for case_id in written if not _OF_DOCUMENTATION.search(case_id))
