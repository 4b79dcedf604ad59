"""The verdict: what five test runs say about a change. Pure; nothing here has run anything.

A change is *proved* when every base test that passed still passes (run A: the base's tests on the new product), every
base test is still collected, the change takes no test away, and something went from red to green: a base test that
failed before, or a test of the change that is red on the base's product (B) and green on the new one (C), each time it
is asked. Red only because a name is not there yet shows that the name is new, and counts where the issue asks for it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from repo_tools.test_report import TestOutcome, TestReport
from repo_tools.verification.contract import Verdict
from repo_tools.verification.missing import Missing, missing
from repo_tools.verification.touched import Touched

MAX_NAMED = 10


@dataclass(frozen=True)
class Runs:
    """What was run. B and C (`red`, `green`) are None where the change has no test files of its own, or A no result.

    `second_regression`: the tests that passed before and failed in A, alone and once more (None: not run).
    `red_again`, `green_again`: repetitions of what turned green, on the base's product and on the new one; `repeated`
    are the files that were asked again (None: all).
    """

    baseline: TestReport
    regression: TestReport
    red: TestReport | None = None
    green: TestReport | None = None
    second_regression: TestReport | None = None
    red_again: tuple[TestReport, ...] = ()
    green_again: tuple[TestReport, ...] = ()
    repeated: frozenset[str] | None = None


@dataclass(frozen=True)
class Judgement:
    """`broken`: base tests that passed before and do not with the change (flaky ones excepted). `red_by_import`: as in
    `Verification`."""

    verdict: Verdict
    reasons: tuple[str, ...]
    turned_green: tuple[str, ...]
    contract_tests: tuple[str, ...]
    broken: tuple[str, ...]
    red_by_import: tuple[str, ...] = ()


def judge(runs: Runs, touched: Touched) -> Judgement:
    """One verdict. `reasons` are what stands against a proof; where there is one, what a reviewer should know."""
    findings = _Findings(runs, touched)
    against = tuple(findings.against())
    contract = tuple(sorted(findings.contract))
    earned = Verdict.CONTRACT_CHANGED if contract else Verdict.PROVED
    verdict = Verdict.NOT_PROVED if against else earned
    return Judgement(
        verdict,
        (*against, *findings.notes()),
        tuple(sorted(findings.turned_green)),
        contract if verdict is Verdict.CONTRACT_CHANGED else (),
        tuple(sorted(findings.broken)),
        tuple(sorted(findings.red_by_import)),
    )


@dataclass(frozen=True)
class _Findings:
    runs: Runs
    touched: Touched

    @cached_property
    def flaky(self) -> frozenset[str]:
        """Failed in A, and passed when run once more."""
        again = self.runs.second_regression
        return frozenset() if again is None else (self.runs.baseline.passed & self.runs.regression.red) & again.passed

    @cached_property
    def broken(self) -> frozenset[str]:
        lost = self.runs.baseline.passed & self.runs.regression.ids()
        return lost - self.runs.regression.passed - self.flaky

    @cached_property
    def uncollected(self) -> frozenset[str]:
        """Base tests that A did not even find. A file that could not be collected before is no test."""
        tests = frozenset(case_id for case_id in self.runs.baseline.ids() if "::" in case_id)
        return tests - self.runs.regression.ids()

    @cached_property
    def contract(self) -> frozenset[str]:
        """Broken base tests that the change itself rewrote: red on the base's product, green on the new one."""
        red, green = self.runs.red, self.runs.green
        if red is None or green is None:
            return frozenset()
        return self.broken & self.touched.edited & red.red & green.passed

    @cached_property
    def turned_green(self) -> frozenset[str]:
        first = frozenset(self._base_tests_turned()) | frozenset(self._own_tests_turned())
        return frozenset(case_id for case_id in first if not self._is_unsteady(case_id))

    @cached_property
    def red_by_import(self) -> Mapping[str, Missing]:
        """Own tests that turned green whose only fault on the base was a missing name -> what was missing."""
        red, base = self.runs.red, frozenset(self._base_tests_turned())
        if red is None:
            return {}
        found = {case_id: self._missing(red, case_id) for case_id in self.turned_green - base}
        return {case_id: lacks for case_id, lacks in found.items() if lacks}

    def _missing(self, red: TestReport, case_id: str) -> Missing | None:
        path = case_id.partition("::")[0]
        case = red.by_id.get(case_id) or red.by_id.get(path)
        collected = path not in _uncollectable(red)
        return missing(
            case.message if case else "", path, self.touched.added, self.touched.is_product, collected=collected
        )

    @cached_property
    def is_reproduced(self) -> bool:
        """False where each red is no more than that something is not there yet, and the issue asks for none of it."""
        asked_for = any(lacks.names & self.touched.asked_for for lacks in self.red_by_import.values())
        return asked_for or not self.turned_green or not self.turned_green <= self.red_by_import.keys()

    def against(self) -> Iterator[str]:
        yield from self._untrusted()
        yield from self._regressions()
        yield from self._tests_taken_away()
        yield from self._own_tests_red()
        yield from self._nothing_turned_green()
        yield from self._nothing_reproduced()

    def notes(self) -> Iterator[str]:
        if self.is_reproduced:
            yield from self._only_new()
        if self.flaky:
            yield f"Flaky (failed once and passed when run again, with the change): {_named(self.flaky)}."
        unsteady = self._unsteady()
        if unsteady:
            yield f"Not counted, because their result changes from run to run: {_named(unsteady)}."
        if self.touched.left_out:
            yield (
                "Test configuration is always the base commit's; these changes count for nothing and are left out: "
                f"{_named(self.touched.left_out)}."
            )
        if self.touched.not_installed:
            yield (
                "The tests ran with the dependencies and compiled code of the base commit; changes to these files are "
                f"not installed or compiled: {_named(self.touched.not_installed)}."
            )

    def _untrusted(self) -> Iterator[str]:
        for report, what in (
            (self.runs.baseline, "The base commit's own tests gave no result"),
            (self.runs.regression, "The base commit's tests gave no result on your change"),
            (self.runs.red, "Your tests gave no result on the base commit, so that they prove nothing"),
            (self.runs.green, "Your tests gave no result with your change"),
        ):
            if report is not None and report.problem is not None:
                yield f"{what}: {report.problem}"

    def _regressions(self) -> Iterator[str]:
        if self.runs.regression.problem is not None:
            return
        if unexcused := self.broken - self.contract:
            yield f"{_count(unexcused)} on the base commit and not with your change: {_named(unexcused)}."
        if self.uncollected:
            yield f"Tests of the base commit are no longer found with your change: {_named(self.uncollected)}."

    def _tests_taken_away(self) -> Iterator[str]:
        if gone := self._gone():
            yield f"Your change removes or renames tests of the base commit: {_named(gone)}. Put them back."
        if silenced := self._silenced():
            yield f"Your change skips tests that ran on the base commit, or expects them to fail: {_named(silenced)}."

    def _own_tests_red(self) -> Iterator[str]:
        green = self.runs.green
        if green is not None and (red := green.red - self.runs.baseline.red):
            yield f"Tests in the files that you added or changed fail with your change: {_named(red)}."

    def _nothing_turned_green(self) -> Iterator[str]:
        if self.turned_green or self.runs.regression.problem is not None:
            return
        if self.runs.red is None:
            yield (
                "Nothing shows that the bug is gone: no failing test of the base commit passes now, and the change has "
                "no test of its own. Add one that fails on the base commit and passes with your change."
            )
        elif self.runs.red.problem is None:
            yield (
                "No test went from red to green: the tests that you added or changed pass on the base commit too, or "
                "do not pass with your change. Write one that fails because of the bug."
            )

    def _nothing_reproduced(self) -> Iterator[str]:
        if not self.is_reproduced:
            yield (
                f"Your tests are red on the base commit only because a name is missing there ({self._lacking()}): "
                "it is new, and nothing shows that the defect is gone. Write a test that runs on the base commit and "
                "fails there by what the code does: go through the entry that the issue names. If the issue asks for "
                "something new, use the name that it gives; if it gives none, give up and say which name is to be "
                "settled."
            )

    def _only_new(self) -> Iterator[str]:
        """What a reviewer is told of reds that show no more than that something is new."""
        weak = self.red_by_import
        if weak and self.turned_green <= weak.keys():
            yield (
                f"No test was seen to fail on existing behaviour: {_named(weak)} lacked only what was not there yet "
                f"({self._lacking()}), which the issue asks for by name."
            )
        elif weak:
            yield (
                f"These tests are red on the base commit only because something is not there yet ({self._lacking()}), "
                f"which does not show that the bug is gone: {_named(weak)}."
            )

    def _lacking(self) -> str:
        return _named({lacks.words for lacks in self.red_by_import.values()})

    def _base_tests_turned(self) -> Iterator[str]:
        """Tests that stand in changed product files (doctests) are the change's own words, and prove nothing."""
        uncollectable = _uncollectable(self.runs.baseline)
        for case in self.runs.regression.cases:
            was_red = case.id in self.runs.baseline.red or case.path in uncollectable
            if case.outcome is TestOutcome.PASSED and was_red and case.path not in self.touched.product:
                yield case.id

    def _own_tests_turned(self) -> Iterator[str]:
        """Where a whole file could not be collected on the base, its old tests did not turn: only its new ones did."""
        red, green = self.runs.red, self.runs.green
        if red is None or green is None:
            return
        uncollectable = _uncollectable(red)
        for case in green.cases:
            new_in_red_file = case.path in uncollectable and case.id not in self.runs.baseline.ids()
            if case.outcome is TestOutcome.PASSED and (case.id in red.red or new_in_red_file):
                yield case.id

    def _unsteady(self) -> frozenset[str]:
        first = frozenset(self._base_tests_turned()) | frozenset(self._own_tests_turned())
        return first - self.turned_green

    def _is_unsteady(self, case_id: str) -> bool:
        path = case_id.partition("::")[0]
        if self.runs.repeated is not None and path not in self.runs.repeated:
            return False
        red = all(case_id in again.red or path in _uncollectable(again) for again in self.runs.red_again)
        return not red or any(case_id not in again.passed for again in self.runs.green_again)

    def _gone(self) -> frozenset[str]:
        """Base tests in changed or deleted test files with fewer cases than before; parameters may change."""
        if any(report and report.problem for report in (self.runs.regression, self.runs.green)):
            return frozenset()
        before = Counter(map(_function, self._base_ids_touched()))
        after = Counter(map(_function, self.runs.green.ids() if self.runs.green else ()))
        return frozenset(name for name, count in before.items() if after[name] < count)

    def _silenced(self) -> frozenset[str]:
        """A test that is expected to fail is skipped as long as it does: in B, if not in C."""
        ran = self._base_ids_touched() - self.runs.baseline.ids(TestOutcome.SKIPPED)
        skipped = (report.ids(TestOutcome.SKIPPED) for report in (self.runs.red, self.runs.green) if report)
        return ran & frozenset().union(*skipped)

    def _base_ids_touched(self) -> frozenset[str]:
        cases = self.runs.baseline.cases
        return frozenset(case.id for case in cases if case.path in self.touched.test_files and "::" in case.id)


def _uncollectable(report: TestReport) -> frozenset[str]:
    """Files whose collection failed: the case of such a file has no name below it."""
    return frozenset(case.path for case in report.cases if case.outcome is TestOutcome.ERROR and case.id == case.path)


def _function(case_id: str) -> str:
    return case_id.partition("[")[0]


def _count(ids: frozenset[str]) -> str:
    return "This test passes" if len(ids) == 1 else f"These {len(ids)} tests pass"


def _named(ids: Iterable[str]) -> str:
    ordered = sorted(ids)
    more = f" and {len(ordered) - MAX_NAMED} more" if len(ordered) > MAX_NAMED else ""
    return ", ".join(ordered[:MAX_NAMED]) + more
