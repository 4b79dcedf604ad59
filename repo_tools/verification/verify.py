"""The verdict on a change: refused before any run, or proved by runs (`proof`) that are judged (`judge`)."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment
from repo_tools.environment.run import is_selector
from repo_tools.errors import RepoError
from repo_tools.path_rules import EVERYWHERE, PathRules
from repo_tools.paths import check_change
from repo_tools.sandbox.contract import DEFAULT_LIMITS, Limits, SandboxEngine
from repo_tools.test_report import TestReport
from repo_tools.verification.baseline import MeasuredSuite
from repo_tools.verification.build_tags import newly_tagged
from repo_tools.verification.contract import Verdict, Verification
from repo_tools.verification.endings import ends_well
from repo_tools.verification.fresh_runs import FreshRuns, TimeUsedUpError, is_one_command
from repo_tools.verification.judge import Judgement
from repo_tools.verification.proof import Proof, widened
from repo_tools.verification.runs import Runs
from repo_tools.verification.screening import notes, screen
from repo_tools.verification.shadows import new_modules, rootdirs, taken_names
from repo_tools.verification.sides import Sides, TestLayout, split
from repo_tools.verification.touched import touched_by


def _silent(_: str) -> None:
    pass


def verify(  # noqa: PLR0913 - five have defaults
    engine: SandboxEngine,
    checkout: Checkout,
    suite: MeasuredSuite,
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
    layout = TestLayout.of(suite.prepared.environment, suite.baseline, checkout.tree, checkout.read)
    sides = split(change, checkout.tree, checkout.read, layout)
    fresh = FreshRuns(engine, checkout, suite.prepared, timeout_seconds, limits, deadline, layout)
    runs: Runs | None = None
    try:
        if refusals := _refusals(change, sides, checkout, suite, rules):
            judgement = _refused(*refusals, *_left_out(sides))
        elif missing := fresh.missing(sides.product):
            judgement = _refused(_needs(missing))
        elif hidden := fresh.hidden(_new_modules(sides, checkout, suite)):
            judgement = _refused(*_hiding(hidden))
        else:
            runs, judgement = _proved(fresh, sides, suite, asked_for, report)
    except TimeUsedUpError:
        judgement = _refused(f"The time for the verification is used up ({deadline_seconds:.0f} seconds).")
    verification = Verification(
        verdict=judgement.verdict,
        change=change,
        reasons=judgement.reasons,
        baseline=suite.baseline,
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


def _proved(
    fresh: FreshRuns,
    sides: Sides,
    suite: MeasuredSuite,
    asked_for: frozenset[str],
    report: Callable[[str], None],
) -> tuple[Runs, Judgement]:
    checkout = fresh.checkout
    touched = touched_by(sides, checkout, suite.prepared.environment, suite.baseline, asked_for)
    fresh, baseline = widened(fresh, sides, suite.baseline, report)
    runs, judgement = Proof(fresh, sides, touched, report).carried_out(baseline)
    return runs, _with_notes(judgement, sides, checkout, suite.prepared.environment)


def _left_out(sides: Sides) -> tuple[str, ...]:
    return (f"Left out, as test configuration: {', '.join(sides.left_out)}.",) if sides.left_out else ()


def _with_notes(judgement: Judgement, sides: Sides, checkout: Checkout, environment: Environment) -> Judgement:
    """What a pull request tells its reviewer of the change itself; a change that earns none has its own reasons."""
    if not judgement.verdict.earns_pull_request:
        return judgement
    tagged = _compiled_so(newly_tagged(sides.product, environment, checkout.tree, checkout.read))
    return replace(judgement, reasons=(*judgement.reasons, *notes(sides, checkout.tree, checkout.read), *tagged))


def _compiled_so(paths: tuple[str, ...]) -> Iterator[str]:
    if paths:
        yield (
            f"Whether {', '.join(paths)} is compiled newly depends on tags that the suite's command sets: see that the "
            "change mends what users compile."
        )


def _needs(missing: tuple[str, ...]) -> str:
    return (
        f"Your change needs a dependency that is not installed, and for a change none is: {', '.join(missing)}. "
        "Fix the bug without it, or hand the issue over and name the dependency."
    )


def _refused(*reasons: str) -> Judgement:
    return Judgement(Verdict.NOT_PROVED, reasons, (), (), ())


def _refusals(
    change: ChangeSet, sides: Sides, checkout: Checkout, suite: MeasuredSuite, rules: PathRules
) -> tuple[str, ...]:
    environment, baseline = suite.prepared.environment, suite.baseline
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
        *_taking_places(sides, checkout, baseline),
        *_ended(ends_well(sides.product, environment, checkout.tree, checkout.read)),
    )


def _ended(words: tuple[str, ...]) -> Iterator[str]:
    if words:
        yield (
            f"Product code newly has a say in how its process ends ({', '.join(words)}), and of the tests nothing is "
            "known but that; a person must look."
        )


def _new_modules(sides: Sides, checkout: Checkout, suite: MeasuredSuite) -> dict[str, str]:
    tests = (case.path for case in suite.baseline.cases)
    places = {command.directory for command in suite.prepared.environment.tests} | rootdirs(tests, checkout.tree)
    return new_modules(sides.product, checkout.tree, places)


def _hiding(modules: Mapping[str, str]) -> Iterator[str]:
    for name, path in modules.items():
        yield f"{path} would hide the installed module `{name}` from the tests. Give it another name."


def _taking_places(sides: Sides, checkout: Checkout, baseline: TestReport) -> Iterator[str]:
    passing = {case.path for case in baseline.cases if case.id in baseline.passed}
    for name, path in taken_names(sides.product, passing, checkout.tree, checkout.read).items():
        yield f"{path} would take the place of `{name}`, which the tests load from elsewhere. Give it another name."


def _cannot_be_run(paths: list[str], environment: Environment) -> str:
    return (
        f"These test files cannot be run by the repository's tests ({environment.shown_command}): "
        f"{', '.join(map(repr, paths))}. Write tests of the kind that is there, in files with plain names (letters, "
        "digits, `_`, `-`, `.`)."
    )
