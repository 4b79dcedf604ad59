"""Where test runs for a verdict are made: each in a fresh box, all of them together within one time."""

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment, PreparedEnvironment
from repo_tools.environment.generated import restore_generated
from repo_tools.environment.run import is_selector, run_tests
from repo_tools.environment.runners import RUNNERS
from repo_tools.fresh_box import fresh_box
from repo_tools.sandbox.contract import Limits, Sandbox, SandboxEngine
from repo_tools.test_report import NO_FILE, TestReport
from repo_tools.verification.altered import Stamps, is_installed, told, watched
from repo_tools.verification.compiled_tests import run_compiled
from repo_tools.verification.dependencies import added_packages, added_requirements, not_installed, not_resolved
from repo_tools.verification.edits import places_of
from repo_tools.verification.read_by_tests import owners_of, readers_of
from repo_tools.verification.shadows import installed_ones
from repo_tools.verification.sides import Sides, TestLayout


class TimeUsedUpError(Exception):
    """There is no time left for another run."""


@dataclass(frozen=True)
class FreshRuns:
    """Where runs are made: everything of them but the overlay and the selectors. `deadline` is on the monotonic clock,
    in seconds, for all of them together. `layout`: where there is one, a run that alters the tests' own files, which
    the base commit's does not, is none."""

    engine: SandboxEngine
    checkout: Checkout
    prepared: PreparedEnvironment
    timeout_seconds: float
    limits: Limits
    deadline: float = math.inf
    layout: TestLayout | None = None

    def run(self, overlay: ChangeSet | None, selectors: tuple[str, ...] = (), times: int = 1) -> tuple[TestReport, ...]:
        """Run tests in one fresh box that holds the base and `overlay`. TimeUsedUpError."""
        reports, altered = self._run_watched(overlay, selectors, times)
        if altered and (foul := altered - self._altered_on_base):
            return tuple(replace(report, problem=report.problem or told(foul)) for report in reports)
        return reports

    @cached_property
    def _altered_on_base(self) -> frozenset[str]:
        return self._run_watched(None, (), 1)[1]

    def _run_watched(
        self, overlay: ChangeSet | None, selectors: tuple[str, ...], times: int
    ) -> tuple[tuple[TestReport, ...], frozenset[str]]:
        """The reports, and which of the tests' own files are not as they were before."""
        self._left()
        paths = watched(self.checkout.tree, overlay, self.layout, self.checkout.read) if self.layout else ()
        of_base = overlay is None or overlay.files.keys().isdisjoint(paths)
        with fresh_box(self.engine, self.checkout, self.prepared, overlay=overlay, limits=self.limits) as box:
            if any(map(is_installed, paths)):
                restore_generated(box)  # the run does so itself, and leaves what is there
            stamps = Stamps(box, paths, lists=of_base)
            return tuple(self._run(box, selectors) for _ in range(times)), stamps.altered()

    def files_of(self, case_ids: Iterable[str]) -> tuple[str, ...]:
        """The files of these tests, as selectors; none, which is the whole suite, where one cannot be named."""
        files = tuple(sorted({case_id.partition("::")[0] for case_id in case_ids}))
        return files if all(is_selector(self.prepared.environment, path) for path in files) else ()

    def own(
        self, sides: Sides, baseline: TestReport, regression: TestReport, edited: frozenset[str] = frozenset()
    ) -> tuple[str, ...] | None:
        """The files of the change's tests, as selectors: those that it changes, and whose snapshots it changes; of
        those that stand nearest to data that it changes, all where it changes no file that the suite runs, else those
        that broke, as of those that load `edited` tests. No file, which is the whole suite, where all is one command,
        or nobody tells which test is of which file, or the suite runs what they are compiled to. None where the change
        has no tests."""
        if is_one_command(self.prepared.environment) or names_no_files(baseline):
            return () if sides.tests.files else None
        collected = frozenset(case.path for case in baseline.cases)
        if run_compiled(sides.tests.files, collected, self.checkout.tree):
            return ()
        loaded = self._loaded_by_others(sides, baseline)
        data = (*sides.test_data, *loaded)
        collected = self.layout.readers(baseline) if self.layout else collected
        files = readers_of(data, collected)
        if loaded != sides.test_files:
            lost = baseline.passed & regression.red
            broken = {case.path for case in regression.cases if case.id in lost}
            files |= {case.path for case in baseline.cases if case.id in edited}
            files = owners_of(data, collected) | files & broken
        files |= self.layout.supporting.intersection(data) if self.layout else frozenset()
        named = {path for path in files if is_selector(self.prepared.environment, path)}
        return tuple(sorted(named.union(sides.test_files))) or None

    def _loaded_by_others(self, sides: Sides, baseline: TestReport) -> tuple[str, ...]:
        """The changed test files, where the whole suite runs none of them: they may hold what others load."""
        tree, places = self.checkout.tree, {case.path for case in baseline.cases}
        known = (path not in tree or places.intersection(places_of(path, tree, baseline)) for path in sides.test_files)
        return () if any(known) or baseline.part else sides.test_files

    def serves_others(self, sides: Sides, baseline: TestReport) -> bool:
        """Whether the change edits, or deletes, what tests that it leaves alone may use: files beside the tests, and
        files of tests that others name."""
        tree, own = self.checkout.tree, frozenset(sides.test_files)
        others = {case.path for case in baseline.cases} & tree.keys() - own
        named = {PurePosixPath(path).stem.encode() for path in own & tree.keys()} - {b"__init__", b"index"}
        return bool(sides.shared(tree)) or any(word in self.checkout.read(path) for path in others for word in named)

    def missing(self, change: ChangeSet) -> tuple[str, ...]:
        """What it newly depends on that is not installed. TimeUsedUpError."""
        requirements = added_requirements(change, self.checkout.tree, self.checkout.read)
        packages = (*added_packages(change, self.checkout.tree, self.checkout.read),)
        if not requirements and not packages:
            return ()
        self._left()
        with fresh_box(self.engine, self.checkout, self.prepared, limits=self.limits) as box:
            return (*not_installed(box, requirements), *not_resolved(box, packages))

    def hidden(self, modules: Mapping[str, str]) -> Mapping[str, str]:
        """Those of `modules` (name -> file) that are installed. TimeUsedUpError."""
        if not modules:
            return {}
        self._left()
        with fresh_box(self.engine, self.checkout, self.prepared, limits=self.limits) as box:
            return {name: modules[name] for name in sorted(installed_ones(box, modules))}

    def _run(self, box: Sandbox, selectors: tuple[str, ...]) -> TestReport:
        left = self._left()
        seconds = min(self.timeout_seconds, left)
        report = run_tests(box, self.prepared.environment, selectors, timeout_seconds=seconds)
        if report.timed_out and left < self.timeout_seconds:
            raise TimeUsedUpError
        return report

    def _left(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeUsedUpError
        return left


def names_no_files(report: TestReport) -> bool:
    """Whether the runner tells no test's file, as jasmine does."""
    return bool(report.cases) and all(case.path == NO_FILE for case in report.cases)


def is_one_command(environment: Environment) -> bool:
    """Whether no file names a part of the suite that can be run alone."""
    return not any(RUNNERS[command.runner].selects for command in environment.tests)
