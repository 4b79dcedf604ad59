"""Prove a change: each run in a fresh box of its own, never in one mixed tree.

(A) the base commit's tests and test configuration on the new product files; (B) the change's own tests on the base's
product files; (C) the same tests on the new product files, and among all others where some need that. A test that
failed in A is run once more, alone, and what turned green is repeated on both sides, so that chance neither breaks nor
makes a proof. A repetition shares a box with the one before it: only the first run has to be free of left-overs, and a
test that cannot be run twice is no proof.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment, PreparedEnvironment
from repo_tools.environment.run import is_selector
from repo_tools.environment.runners.crashed import CRASHED, WHY_KILLED
from repo_tools.environment.runners.ctest import NOT_BUILT
from repo_tools.errors import RepoError
from repo_tools.path_rules import EVERYWHERE, PathRules
from repo_tools.paths import check_change
from repo_tools.sandbox.contract import DEFAULT_LIMITS, Limits, SandboxEngine
from repo_tools.test_report import TestOutcome, TestReport
from repo_tools.verification.baseline import CUT_SECONDS, REPETITIONS
from repo_tools.verification.contract import Verdict, Verification
from repo_tools.verification.dependencies import added_requirements
from repo_tools.verification.findings import Findings, Runs
from repo_tools.verification.fresh_runs import FreshRuns, TimeUsedUpError, is_one_command
from repo_tools.verification.judge import Judgement, judge
from repo_tools.verification.scope import joined, related_to_change
from repo_tools.verification.screening import notes, screen
from repo_tools.verification.shadows import installed_ones, new_modules
from repo_tools.verification.sides import Sides, TestLayout, split
from repo_tools.verification.touched import Touched, touched_by

MAX_REPEATED = 50
"""More failures than this are no flakiness; of more green tests than this, so many are repeated."""
_LEAST_PATIENCE = 120.0
_PATIENCE = 3.0


def _silent(_: str) -> None:
    pass


def verify(  # noqa: PLR0913 - the last four have defaults
    engine: SandboxEngine,
    checkout: Checkout,
    prepared: PreparedEnvironment,
    baseline: TestReport,
    change: ChangeSet,
    *,
    timeout_seconds: float,
    deadline_seconds: float | None = None,
    limits: Limits = DEFAULT_LIMITS,
    rules: PathRules = EVERYWHERE,
    asked_for: frozenset[str] = frozenset(),
    report: Callable[[str], None] = _silent,
) -> Verification:
    """The verdict on `change`, whatever it does. `timeout_seconds` bounds each run, `deadline_seconds` all of them
    together; a verdict that does not come in time is none. `rules` are the repository's own, of where it may be
    changed; `asked_for` are names that the issue uses. `report` is told of each run before it. SandboxError."""
    started = time.monotonic()
    deadline = math.inf if deadline_seconds is None else started + deadline_seconds
    sides = split(change, checkout.tree, checkout.read, TestLayout.of(prepared.environment, baseline, checkout.tree))
    refusals = _refusals(change, sides, checkout, prepared.environment, baseline, rules)
    touched = touched_by(sides, checkout, prepared.environment, baseline, asked_for)
    fresh = FreshRuns(engine, checkout, prepared, timeout_seconds, limits, deadline)
    runs: Runs | None = None
    try:
        if refusals:
            judgement = _refused(*refusals, *_left_out(sides))
        else:
            runs, judgement = _judged(fresh, sides, touched, baseline, report)
    except TimeUsedUpError:
        judgement = _refused(f"The time for the verification is used up ({deadline_seconds:.0f} seconds).")
    verification = Verification(
        verdict=judgement.verdict,
        change=change,
        reasons=judgement.reasons,
        baseline=baseline,
        turned_green=judgement.turned_green,
        contract_tests=judgement.contract_tests,
        left_out=sides.left_out,
        seconds=time.monotonic() - started,
        counted=sides.counted,
        red_by_import=judgement.red_by_import,
    )
    return verification if runs is None else _with_runs(verification, runs)


def _with_runs(verification: Verification, runs: Runs) -> Verification:
    return replace(verification, baseline=runs.baseline, regression=runs.regression, red=runs.red, green=runs.green)


def _judged(
    fresh: FreshRuns, sides: Sides, touched: Touched, baseline: TestReport, report: Callable[[str], None]
) -> tuple[Runs | None, Judgement]:
    checkout = fresh.checkout
    if missing := fresh.missing(added_requirements(sides.product, checkout.tree, checkout.read)):
        return None, _refused(_needs(missing))
    runs, judgement = _prove(fresh, sides, touched, baseline, report)
    return runs, _with_notes(judgement, sides, checkout)


def _left_out(sides: Sides) -> tuple[str, ...]:
    return (f"Left out, as test configuration: {', '.join(sides.left_out)}.",) if sides.left_out else ()


def _with_notes(judgement: Judgement, sides: Sides, checkout: Checkout) -> Judgement:
    """What a pull request tells its reviewer of the change itself; a change that earns none has its own reasons."""
    if not judgement.verdict.earns_pull_request:
        return judgement
    return replace(judgement, reasons=(*judgement.reasons, *notes(sides, checkout.tree, checkout.read)))


def _needs(missing: tuple[str, ...]) -> str:
    return (
        f"Your change needs a dependency that is not installed, and for a change none is: {', '.join(missing)}. "
        "Fix the bug without it, or hand the issue over and name the dependency."
    )


def _refused(*reasons: str) -> Judgement:
    return Judgement(Verdict.NOT_PROVED, reasons, (), (), ())


def _refusals(
    change: ChangeSet,
    sides: Sides,
    checkout: Checkout,
    environment: Environment,
    baseline: TestReport,
    rules: PathRules,
) -> tuple[str, ...]:
    try:
        check_change(change, checkout.tree, rules)
    except RepoError as error:
        return (str(error),)
    if baseline.problem is not None:
        return (f"The base commit's own tests gave no result: {baseline.problem}",)
    unnamable = [path for path in sides.test_files if not is_selector(environment, path)]
    if unnamable and not is_one_command(environment):
        return (_cannot_be_run(unnamable, environment),)
    return (
        *screen(change, sides, checkout.tree, checkout.read),
        *_in_the_place(sides, checkout, environment, baseline),
    )


def _in_the_place(sides: Sides, checkout: Checkout, environment: Environment, baseline: TestReport) -> Iterator[str]:
    new = new_modules(sides.product, checkout.tree, {command.directory for command in environment.tests})
    passing = {case.path for case in baseline.cases if case.id in baseline.passed}
    for name in sorted(installed_ones(new, passing, checkout.tree, checkout.read)):
        yield f"{new[name]} would hide the installed module `{name}` from the tests. Give it another name."


def _cannot_be_run(paths: list[str], environment: Environment) -> str:
    return (
        f"These test files cannot be run by the repository's tests ({environment.shown_command}): "
        f"{', '.join(map(repr, paths))}. Write tests of the kind that is there, in files with plain names (letters, "
        "digits, `_`, `-`, `.`)."
    )


def _prove(
    fresh: FreshRuns, sides: Sides, touched: Touched, baseline: TestReport, report: Callable[[str], None]
) -> tuple[Runs, Judgement]:
    fresh, baseline = _widened(fresh, sides, baseline, report)
    report("base tests on the changed product")
    (regression,) = fresh.run(sides.product)
    runs = Runs(baseline, regression)
    own = fresh.own(sides, baseline, regression)
    if own is not None and regression.problem is None:
        report("the change's tests on the base's product")
        patient = replace(fresh, timeout_seconds=min(fresh.timeout_seconds, patience(regression)))
        red = _without_killed(_red_all_the_same(*patient.run(sides.tests, own)), baseline)
        report("the change's tests on the changed product")
        (green,) = fresh.run(sides.counted, own)
        runs = _among_all(fresh, sides, replace(runs, red=red, green=green), touched, report)
    runs = _repeat_failures(fresh, sides, runs, judge(runs, touched), report)
    runs = _repeat_greens(fresh, sides, runs, judge(runs, touched), report)
    return runs, judge(runs, touched)


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


def _among_all(fresh: FreshRuns, sides: Sides, runs: Runs, touched: Touched, report: Callable[[str], None]) -> Runs:
    """Base tests that fail on both sides where their files are run alone are asked among all the others, too."""
    if not Findings(runs, touched).red_alone:
        return runs
    report("the change's tests among all others, on the changed product")
    (among_all,) = fresh.run(sides.counted)
    return replace(runs, green_among_all=among_all)


def _widened(
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


def _repeat_failures(
    fresh: FreshRuns, sides: Sides, runs: Runs, judgement: Judgement, report: Callable[[str], None]
) -> Runs:
    environment = fresh.prepared.environment
    failed = tuple(case_id for case_id in judgement.broken if is_selector(environment, case_id))
    if not failed or len(judgement.broken) > MAX_REPEATED:
        return runs
    report("failed base tests once more")
    (again,) = fresh.run(sides.product, failed)
    return replace(runs, second_regression=again)


def _repeat_greens(
    fresh: FreshRuns, sides: Sides, runs: Runs, judgement: Judgement, report: Callable[[str], None]
) -> Runs:
    """By file, because a file that cannot be collected on the base has no test to name there; the whole suite where a
    file of the base cannot be named. Of very many tests, the files of some spread over all."""
    if not judgement.verdict.earns_pull_request:
        return runs
    step = max(1, math.ceil(len(judgement.turned_green) / MAX_REPEATED))
    files = fresh.files_of(judgement.turned_green[::step])
    report("what turned green, on both sides, again")
    red = fresh.run(sides.tests, files, REPETITIONS)
    green = fresh.run(sides.counted, files, REPETITIONS)
    return replace(runs, red_again=red, green_again=green, repeated=frozenset(files) or None)
