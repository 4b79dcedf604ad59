"""Prove a change: each run in a fresh box of its own, never in one mixed tree.

(A) the base commit's tests and test configuration on the new product files; (B) the change's own tests on the base's
product files; (C) the same tests on the new product files. A test that failed in A is run once more, alone, and what
turned green is repeated on both sides, so that chance neither breaks nor makes a proof. A repetition shares a box with
the one before it: only the first run has to be free of left-overs, and a test that cannot be run twice is no proof.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.run import run_tests
from repo_tools.environment.selectors import is_selector
from repo_tools.errors import RepoError
from repo_tools.fresh_box import fresh_box
from repo_tools.paths import check_change
from repo_tools.sandbox.contract import DEFAULT_LIMITS, Limits, Sandbox, SandboxEngine
from repo_tools.test_report import TestReport
from repo_tools.verification.contract import Verdict, Verification
from repo_tools.verification.dependencies import added_requirements, not_installed
from repo_tools.verification.judge import Judgement, Runs, Touched, judge
from repo_tools.verification.python_source import function_shapes
from repo_tools.verification.screening import notes, screen
from repo_tools.verification.sides import Sides, TestLayout, split

REPETITIONS = 2
MAX_REPEATED = 50
"""More failures than this are no flakiness; of more green tests than this, so many are repeated."""


class _TimeUsedUpError(Exception):
    """There is no time left for another run."""


def _silent(_: str) -> None:
    pass


@dataclass(frozen=True)
class _Bench:
    """Where runs are made: everything of them but the overlay and the selectors. `deadline` is on the monotonic clock,
    in seconds, for all of them together."""

    engine: SandboxEngine
    checkout: Checkout
    prepared: PreparedEnvironment
    timeout_seconds: float
    limits: Limits
    deadline: float = math.inf

    def run(self, overlay: ChangeSet | None, selectors: tuple[str, ...] = (), times: int = 1) -> tuple[TestReport, ...]:
        """Run tests in one fresh box that holds the base and `overlay`. _TimeUsedUpError."""
        self._left()
        with fresh_box(self.engine, self.checkout, self.prepared, overlay=overlay, limits=self.limits) as box:
            return tuple(self._run(box, selectors) for _ in range(times))

    def missing(self, requirements: tuple[str, ...]) -> tuple[str, ...]:
        """Those that are not installed. _TimeUsedUpError."""
        if not requirements:
            return ()
        self._left()
        with fresh_box(self.engine, self.checkout, self.prepared, limits=self.limits) as box:
            return not_installed(box, requirements)

    def _run(self, box: Sandbox, selectors: tuple[str, ...]) -> TestReport:
        left = self._left()
        seconds = min(self.timeout_seconds, left)
        report = run_tests(box, self.prepared.environment, selectors, timeout_seconds=seconds)
        if report.timed_out and left < self.timeout_seconds:
            raise _TimeUsedUpError
        return report

    def _left(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise _TimeUsedUpError
        return left


def baseline(
    engine: SandboxEngine,
    checkout: Checkout,
    prepared: PreparedEnvironment,
    *,
    timeout_seconds: float,
    limits: Limits = DEFAULT_LIMITS,
) -> TestReport:
    """The base commit's suite on the base commit. A `problem` in it means that nothing can be proved here."""
    (report,) = _Bench(engine, checkout, prepared, timeout_seconds, limits).run(None)
    return report


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
    report: Callable[[str], None] = _silent,
) -> Verification:
    """The verdict on `change`, whatever it does. `timeout_seconds` bounds each run, `deadline_seconds` all of them
    together; a verdict that does not come in time is none. `report` is told of each run before it. SandboxError."""
    started = time.monotonic()
    deadline = math.inf if deadline_seconds is None else started + deadline_seconds
    layout = TestLayout.of(prepared.environment, baseline)
    sides = split(change, checkout.tree, checkout.read, layout)
    refusals = _refusals(change, sides, checkout, baseline)
    touched = _touched(sides, checkout, prepared, baseline)
    runs: Runs | None = None
    if refusals:
        left_out = (f"Left out, as test configuration: {', '.join(sides.left_out)}.",) if sides.left_out else ()
        judgement = _refused(*refusals, *left_out)
    else:
        bench = _Bench(engine, checkout, prepared, timeout_seconds, limits, deadline)
        try:
            if missing := bench.missing(added_requirements(sides.product, checkout.tree, checkout.read)):
                judgement = _refused(_needs(missing))
            else:
                runs, judgement = _prove(bench, sides, touched, baseline, report)
                judgement = _with_notes(judgement, sides, checkout)
        except _TimeUsedUpError:
            judgement = _refused(f"The time for the verification is used up ({deadline_seconds:.0f} seconds).")
    return Verification(
        verdict=judgement.verdict,
        change=change,
        reasons=judgement.reasons,
        baseline=baseline,
        regression=runs.regression if runs else None,
        red=runs.red if runs else None,
        green=runs.green if runs else None,
        turned_green=judgement.turned_green,
        contract_tests=judgement.contract_tests,
        left_out=sides.left_out,
        seconds=time.monotonic() - started,
        counted=sides.counted,
        red_by_import=judgement.red_by_import,
    )


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


def _refusals(change: ChangeSet, sides: Sides, checkout: Checkout, baseline: TestReport) -> tuple[str, ...]:
    try:
        check_change(change, checkout.tree)
    except RepoError as error:
        return (str(error),)
    if baseline.problem is not None:
        return (f"The base commit's own tests gave no result: {baseline.problem}",)
    if unnamable := [path for path in sides.test_files if not is_selector(path)]:
        return (f"Give test files plain names (letters, digits, `_`, `-`, `.`): {', '.join(map(repr, unnamable))}",)
    return screen(change, sides, checkout.tree, checkout.read)


def _touched(sides: Sides, checkout: Checkout, prepared: PreparedEnvironment, baseline: TestReport) -> Touched:
    manifests = set(prepared.environment.manifests).intersection(sides.product)
    return Touched(
        product=frozenset(sides.product.files),
        test_files=frozenset(sides.tests.files),
        edited=frozenset(id_ for path in sides.test_files for id_ in _edited(path, sides, checkout, baseline)),
        left_out=sides.left_out,
        not_installed=tuple(p for p in sorted(manifests) if p == "setup.py" or not p.endswith(".py")),
    )


def _edited(path: str, sides: Sides, checkout: Checkout, baseline: TestReport) -> list[str]:
    """Ids of base tests in `path` whose function the change edits."""
    new = sides.tests.files[path]
    if new is None or path not in checkout.tree:
        return []
    before, after = function_shapes(checkout.read(path)), function_shapes(new.content)
    names = {name for name, shape in before.items() if name in after and after[name] != shape}
    return [c.id for c in baseline.cases if c.id.partition("[")[0].removeprefix(f"{path}::") in names]


def _prove(
    bench: _Bench, sides: Sides, touched: Touched, baseline: TestReport, report: Callable[[str], None]
) -> tuple[Runs, Judgement]:
    report("base tests on the changed product")
    (regression,) = bench.run(sides.product)
    runs = Runs(baseline, regression)
    if sides.test_files and regression.problem is None:
        report("the change's tests on the base's product")
        (red,) = bench.run(sides.tests, sides.test_files)
        report("the change's tests on the changed product")
        (green,) = bench.run(sides.counted, sides.test_files)
        runs = replace(runs, red=red, green=green)
    runs = _repeat_failures(bench, sides, runs, judge(runs, touched), report)
    runs = _repeat_greens(bench, sides, runs, judge(runs, touched), report)
    return runs, judge(runs, touched)


def _repeat_failures(
    bench: _Bench, sides: Sides, runs: Runs, judgement: Judgement, report: Callable[[str], None]
) -> Runs:
    failed = tuple(filter(is_selector, judgement.broken))
    if not failed or len(judgement.broken) > MAX_REPEATED:
        return runs
    report("failed base tests once more")
    (again,) = bench.run(sides.product, failed)
    return replace(runs, second_regression=again)


def _repeat_greens(
    bench: _Bench, sides: Sides, runs: Runs, judgement: Judgement, report: Callable[[str], None]
) -> Runs:
    """By file, because a file that cannot be collected on the base has no test to name there; the whole suite where a
    file of the base cannot be named. Of very many tests, the files of some spread over all."""
    if not judgement.verdict.earns_pull_request:
        return runs
    step = max(1, math.ceil(len(judgement.turned_green) / MAX_REPEATED))
    files = tuple(sorted({id_.partition("::")[0] for id_ in judgement.turned_green[::step]}))
    if not all(map(is_selector, files)):
        files = ()
    report("what turned green, on both sides, again")
    red = bench.run(sides.tests, files, REPETITIONS)
    green = bench.run(sides.counted, files, REPETITIONS)
    return replace(runs, red_again=red, green_again=green, repeated=frozenset(files) or None)
