"""What the base commit's suite says before any work. Nothing can be proved where it says nothing."""

from dataclasses import replace
from typing import NamedTuple

from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.missing import apt_note
from repo_tools.environment.run import NO_ROOM
from repo_tools.environment.runners.crashed import WHY_KILLED
from repo_tools.environment.submodules import failure_note
from repo_tools.sandbox.contract import DEFAULT_LIMITS, Limits, SandboxEngine
from repo_tools.test_report import TestReport
from repo_tools.verification.causes import mostly_red_note
from repo_tools.verification.fresh_runs import FreshRuns
from repo_tools.verification.scope import SCOPES, files_with_tests, most_related

REPETITIONS = 2
CUT_SECONDS = 120.0
"""How long a part of a suite may take that takes too long as a whole: it is run several times."""
_A_PART = "A part of the suite may do with less: name one as `tests` in .github/agent-fix.yml."


class MeasuredSuite(NamedTuple):
    """The tests that a change is judged by, in the environment they run in, and what they say before any work."""

    prepared: PreparedEnvironment
    baseline: TestReport


def baseline(
    engine: SandboxEngine,
    checkout: Checkout,
    prepared: PreparedEnvironment,
    *,
    timeout_seconds: float,
    limits: Limits = DEFAULT_LIMITS,
) -> TestReport:
    """The base commit's suite on the base commit. A `problem` in it means that nothing can be proved here. What is red
    is run again, so that flaky tests are told from those that fail."""
    fresh = FreshRuns(engine, checkout, prepared, timeout_seconds, limits)
    (report,) = fresh.run(None)
    told = tuple(f"Left out: {part}." for part in prepared.environment.left_out)
    report = replace(report, notes=(*report.notes, *told))
    without = failure_note(checkout.tree)
    if report.problem:
        part = _A_PART if report.problem.endswith((WHY_KILLED, NO_ROOM)) else ""
        causes = (report.problem, part, apt_note(prepared.environment.system_packages), without)
        return replace(report, problem=" ".join(filter(None, causes)))
    likely = (without if report.red else "", mostly_red_note(report))
    report = replace(report, notes=(*report.notes, *filter(None, likely)))
    left = timeout_seconds - report.seconds
    if not report.red or left <= 0:
        return report
    again = replace(fresh, timeout_seconds=left / REPETITIONS).run(None, fresh.files_of(report.red), REPETITIONS)
    return replace(report, flaky=_ever_passed(report.red, again))


def _ever_passed(red: frozenset[str], again: tuple[TestReport, ...]) -> frozenset[str]:
    return frozenset(case_id for case_id in red if any(case_id in report.passed for report in again))


def baseline_of_some(
    engine: SandboxEngine,
    checkout: Checkout,
    prepared: PreparedEnvironment,
    whole: TestReport,
    *,
    timeout_seconds: float,
    limits: Limits = DEFAULT_LIMITS,
) -> MeasuredSuite | None:
    """Of several suites those that can be run here, and what they say; None where that is all or none of them, or where
    the repository itself names them. `whole`: the report of all."""
    suites = prepared.environment.tests
    kept = tuple(suite for place, suite in enumerate(suites) if place not in whole.broken)
    if not whole.problem or whole.timed_out or whole.service_ended or kept in ((), suites):
        return None
    if prepared.environment.tests_declared:
        return None
    some = replace(prepared, environment=replace(prepared.environment, tests=kept))
    report = baseline(engine, checkout, some, timeout_seconds=timeout_seconds, limits=limits)
    left_out = replace(prepared.environment, tests=tuple(suite for suite in suites if suite not in kept))
    told = f"Left out, because there is no result of it here: {left_out.shown_command} ({whole.problem})"
    return MeasuredSuite(some, replace(report, notes=(*report.notes, told)))


def cut_baseline(
    engine: SandboxEngine,
    checkout: Checkout,
    prepared: PreparedEnvironment,
    issue: str,
    *,
    hanging: tuple[str, ...] = (),
    timeout_seconds: float = CUT_SECONDS,
    limits: Limits = DEFAULT_LIMITS,
) -> MeasuredSuite | None:
    """The test files that `issue` is most about, as the environment's scope, and what they say; None where no part
    ends in `timeout_seconds`, or none can be run alone. `hanging`: files for which the whole waited in vain."""
    every = files_with_tests(checkout.tree, prepared.environment, checkout.read)
    files = tuple(path for path in every if path not in hanging)
    for most in SCOPES:
        if not files or (most >= len(files) == len(every) and most != SCOPES[-1]):
            continue  # that is the whole suite again
        scope = most_related(files, checkout.tree, checkout.read, issue, most) or files[:most]
        cut = replace(prepared, environment=replace(prepared.environment, scope=scope))
        report = baseline(engine, checkout, cut, timeout_seconds=timeout_seconds, limits=limits)
        if not report.timed_out:
            notes = (*report.notes, *_left_out(hanging))
            return MeasuredSuite(cut, replace(report, part=(len(scope), len(every)), notes=notes))
    return None


def _left_out(files: tuple[str, ...]) -> tuple[str, ...]:
    return (f"Left out, because the whole suite waited for them in vain: {', '.join(files)}.",) if files else ()
