"""Given tests on a change, in a fresh box: their own content in force, no test configuration but their own."""

from dataclasses import replace
from pathlib import PurePosixPath

from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.run import run_tests
from repo_tools.fresh_box import fresh_box
from repo_tools.sandbox.contract import DEFAULT_LIMITS, Limits, SandboxEngine
from repo_tools.test_report import TestReport
from repo_tools.verification.mixed import is_mixed
from repo_tools.verification.screening import notes, screen
from repo_tools.verification.shadows import installed_ones, new_modules
from repo_tools.verification.sides import Side, Sides, TestLayout, classify


def try_out(
    engine: SandboxEngine,
    checkout: Checkout,
    prepared: PreparedEnvironment,
    change: ChangeSet,
    tests: tuple[str, ...],
    *,
    timeout_seconds: float,
    limits: Limits = DEFAULT_LIMITS,
) -> TestReport:
    """What `tests` (paths of the base) say of what `change` adds to the base. A change that would have a say in its own
    tests gives a report with a `problem`. SandboxError."""
    counted = in_force(change, checkout)
    sides = Sides(counted, ChangeSet(change.base_commit), (), ())
    if refusals := screen(counted, sides, checkout.tree, checkout.read) if counted else ():
        return _refused("; ".join(refusals))
    if modules := new_modules(counted, checkout.tree, ()):
        with fresh_box(engine, checkout, prepared, limits=limits) as box:
            hidden = sorted(installed_ones(box, modules))
        if hidden:
            return _refused(f"Modules of these names are installed; give yours another name: {', '.join(hidden)}.")
    with fresh_box(engine, checkout, prepared, overlay=counted, limits=limits) as box:
        report = run_tests(box, prepared.environment, tests, timeout_seconds=timeout_seconds)
    return replace(report, notes=(*report.notes, *notes(sides, checkout.tree, checkout.read)))


def _refused(reason: str) -> TestReport:
    return TestReport("", (), 1, 0.0, "", reason)


def in_force(change: ChangeSet, checkout: Checkout) -> ChangeSet:
    """`change` without what was given and without test configuration."""
    layout = TestLayout()
    return change.restricted_to(
        lambda path: (
            path not in checkout.tree
            and not is_mixed(PurePosixPath(path).name)
            and classify(path, layout) is not Side.CONFIGURATION
        )
    )
