"""The runs that a verdict rests on: each in a fresh box of its own, never in one mixed tree.

(A) the base commit's tests and test configuration on the new product files; (B) the change's own tests on the base's
product files; (C) the same tests on the new product files, and among all others where some need that. A test that
failed in A is run once more, alone and then among all others, and what turned green is repeated on both sides, so that
chance neither breaks nor makes a proof. A repetition shares a box with the one before it: only the first run has to be
free of left-overs, and a test that cannot be run twice is no proof.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from repo_tools.environment.run import is_selector
from repo_tools.environment.runners.crashed import CRASHED, WHY_KILLED
from repo_tools.environment.runners.ctest import NOT_BUILT
from repo_tools.test_report import TestOutcome, TestReport
from repo_tools.verification.baseline import CUT_SECONDS, REPETITIONS
from repo_tools.verification.blamed import with_blamed
from repo_tools.verification.findings import Findings
from repo_tools.verification.fresh_runs import FreshRuns, is_one_command
from repo_tools.verification.judge import Judgement, judge
from repo_tools.verification.runs import Runs
from repo_tools.verification.scope import joined, related_to_change
from repo_tools.verification.sides import Sides
from repo_tools.verification.touched import Touched

MAX_REPEATED = 50
"""More failures than this are no flakiness; of more green tests than this, so many are repeated."""
_LEAST_PATIENCE = 120.0
_PATIENCE = 3.0


@dataclass(frozen=True)
class Proof:
    """Of one change. `report` is told of each run before it. TimeUsedUpError, SandboxError."""

    fresh: FreshRuns
    sides: Sides
    touched: Touched
    report: Callable[[str], None]

    def carried_out(self, baseline: TestReport) -> tuple[Runs, Judgement]:
        runs = self._base_again(self._own_tests(self._base_tests(baseline)))
        runs = self._failures_again(runs, self._judged(runs))
        runs = self._greens_again(runs, self._judged(runs))
        runs = self._together(runs, self._judged(runs))
        return runs, self._judged(runs)

    def _judged(self, runs: Runs) -> Judgement:
        return judge(runs, self.touched)

    def _base_tests(self, baseline: TestReport) -> Runs:
        self.report("base tests on the changed product")
        (regression,) = self.fresh.run(self.sides.product)
        return Runs(baseline, regression)

    def _own_tests(self, runs: Runs) -> Runs:
        own = self.fresh.own(self.sides, runs.baseline, runs.regression, self.touched.edited)
        if own is None or runs.regression.problem is not None:
            return runs
        self.report("the change's tests on the base's product")
        patient = replace(self.fresh, timeout_seconds=min(self.fresh.timeout_seconds, patience(runs.regression)))
        base = runs.baseline
        red = _without_killed(self._with_blamed(_red_all_the_same(*patient.run(self.sides.tests, own)), base), base)
        self.report("the change's tests on the changed product")
        (green,) = self.fresh.run(self.sides.counted, own)
        return self._once_more(self._among_all(replace(runs, red=red, green=green)), own)

    def _base_again(self, runs: Runs) -> Runs:
        """Names that are drawn by lot are other ones in each run, on the base's product, too."""
        renamed = Findings(runs, self.touched).perhaps_renamed
        if not renamed or runs.regression.problem is not None:
            return runs
        self.report("base tests on the base once more, since others stand in the place of some")
        return replace(runs, base_again=self.fresh.run(None, self.fresh.files_of(renamed)))

    def _among_all(self, runs: Runs) -> Runs:
        """Base tests that fail on both sides where their files are run alone are asked among all the others, too."""
        if not Findings(runs, self.touched).red_alone:
            return runs
        self.report("the change's tests among all others, on the changed product")
        (among_all,) = self.fresh.run(self.sides.counted)
        return replace(runs, green_among_all=among_all)

    def _once_more(self, runs: Runs, own: tuple[str, ...]) -> Runs:
        """All of C, since what passes alone may fail by what the change's own tests leave behind."""
        if not 0 < len(Findings(runs, self.touched).failed_beside) <= MAX_REPEATED:
            return runs
        self.report("the change's tests on the changed product once more, since a base test fails among them")
        (again,) = self.fresh.run(self.sides.counted, own)
        return replace(runs, green_once_more=again)

    def _failures_again(self, runs: Runs, judgement: Judgement) -> Runs:
        """What passes alone may fail by what the change leaves behind from one test to the next: where a draft would
        come of it, all are run again."""
        environment = self.fresh.prepared.environment
        failed = tuple(case_id for case_id in judgement.broken if is_selector(environment, case_id))
        if not failed or len(judgement.broken) > MAX_REPEATED:
            return runs
        self.report("failed base tests once more")
        alone = replace(runs, failed_again=self.fresh.run(self.sides.product, failed))
        if not Findings(alone, self.touched).flaky or not self._judged(alone).verdict.earns_pull_request:
            return alone
        self.report("base tests once more, since some pass alone")
        return replace(runs, failed_again=alone.failed_again + self.fresh.run(self.sides.product))

    def _greens_again(self, runs: Runs, judgement: Judgement) -> Runs:
        """By file, because a file that cannot be collected on the base has no test to name there; the whole suite where
        a file of the base cannot be named. Of very many tests, the files of some spread over all."""
        if not judgement.verdict.earns_pull_request:
            return runs
        step = max(1, math.ceil(len(judgement.turned_green) / MAX_REPEATED))
        files = self.fresh.files_of(judgement.turned_green[::step])
        self.report("what turned green, on both sides, again")
        asked = self.fresh.run(self.sides.tests, files, REPETITIONS)
        red = tuple(self._with_blamed(report, runs.baseline) for report in asked)
        green = self.fresh.run(self.sides.counted, files, REPETITIONS)
        return replace(runs, red_again=red, green_again=green, repeated=frozenset(files) or None)

    def _together(self, runs: Runs, judgement: Judgement) -> Runs:
        """What the change edits beside the tests, A has as it was, and C with the change's own tests alone."""
        earned, is_whole = judgement.verdict.earns_pull_request, is_one_command(self.fresh.prepared.environment)
        if not earned or is_whole or not self.fresh.serves_others(self.sides, runs.baseline):
            return runs
        self.report("all tests on the changed product, with what the change edits beside them")
        all_of_it = runs.green_among_all or self.fresh.run(self.sides.counted)[0]
        runs = replace(runs, together=(all_of_it,))
        lost = Findings(runs, self.touched).broken_together
        if all_of_it.problem or not 0 < len(lost) <= MAX_REPEATED:
            return runs
        self.report("what failed among them, once more")
        return replace(runs, together=(all_of_it, *self.fresh.run(self.sides.counted, self.fresh.files_of(lost))))

    def _with_blamed(self, red: TestReport, baseline: TestReport) -> TestReport:
        return with_blamed(red, baseline, self.fresh.prepared.environment)


def widened(
    fresh: FreshRuns, sides: Sides, baseline: TestReport, report: Callable[[str], None]
) -> tuple[FreshRuns, TestReport]:
    """Where the suite is cut: with the test files that the change is about, and what they say on the base."""
    environment = fresh.prepared.environment
    if not environment.scope:
        return fresh, baseline
    for more in related_to_change(environment, sides, fresh.checkout.tree, fresh.checkout.read):
        if not more:
            continue
        report("base tests that the change is about, on the base")
        (before,) = replace(fresh, timeout_seconds=min(fresh.timeout_seconds, CUT_SECONDS)).run(None, more)
        if not before.timed_out:
            environment = replace(environment, scope=(*environment.scope, *more))
            baseline = joined(baseline, before, len(more))
    return replace(fresh, prepared=replace(fresh.prepared, environment=environment)), baseline


def _red_all_the_same(red: TestReport) -> TestReport:
    """Tests that cannot be built on the base's product are red there (`missing` tells whether that shows the bug), and
    so is the one that brings it down."""
    known = (red.problem or "").startswith((NOT_BUILT, CRASHED)) and bool(red.ids(TestOutcome.ERROR))
    return replace(red, problem=None) if known else red


def _without_killed(red: TestReport, baseline: TestReport) -> TestReport:
    """A test that is killed for want of memory on the base's product proves as little as one that waits there."""
    killed = (f"{c.id}: {c.message}" for c in red.cases if c.message.endswith(WHY_KILLED) and c.id not in baseline.red)
    return replace(red, problem=red.problem or next(killed, None))


def patience(regression: TestReport) -> float:
    """Seconds for the change's tests on the base's product, where they may wait for ever: more than the whole suite
    takes, and little enough that time is left to write another test."""
    return max(_LEAST_PATIENCE, _PATIENCE * regression.seconds)
