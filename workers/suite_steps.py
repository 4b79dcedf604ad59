"""The steps of a run in which tests run: what they said is journaled whole, and no later attempt runs them again."""

from agent.budget import Budget, Spent
from agent.issue_text import names_in, visible_text, visible_title
from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.test_report import TestReport
from repo_tools.verification.baseline import CUT_SECONDS, baseline, baseline_of_some, cut_baseline
from repo_tools.verification.contract import Verification
from repo_tools.verification.verify import verify
from workers.configuration.contract import Configuration
from workers.endings import check_baseline
from workers.host import Host, RunCancelledError, RunRequest
from workers.journal import Journal
from workers.measured import Measured, subject_of
from workers.workshop import Workshop

BASELINE_SECONDS = 600
"""The time a suite may take; the design's default."""

VERIFICATION_RUNS = 3
BOX_SECONDS = 3.0
"""What a fresh box and its tree take beside the tests, generously."""


class SuiteSteps:
    """What `workers.case.Case` is built on."""

    def __init__(self, run: RunRequest, host: Host, workshop: Workshop, journal: Journal) -> None:
        self.run = run
        self.host = host
        self.workshop = workshop
        self.journal = journal
        self.measured = Measured(journal)
        self.budget = Budget(workshop.budget, workshop.price, earlier=Spent.from_spend(journal.spend))
        self.configuration = Configuration()
        self.prepared: PreparedEnvironment | None = None
        self.baseline: TestReport | None = None

    @property
    def issue(self) -> str:
        """What a person sees of it: nothing that is hidden in its Markdown decides anything."""
        return f"{visible_title(self.run.title)}\n{visible_text(self.run.body)}"

    def check_wanted(self, *, at_once: bool = False) -> None:
        """At step boundaries, after the step was written down. RunCancelledError, RunRefusedError."""
        if self.journal.unwanted is not None:
            raise RunCancelledError(self.journal.unwanted)
        self.host.check_wanted(self.run, at_once=at_once)

    def tell(self, kind: str, line: str) -> None:
        """A line of what goes on in a step that takes long, which ends here where the run is no longer wanted."""
        self.journal.record(kind, {"line": line})
        self.check_wanted()

    def measure_baseline(
        self, checkout: Checkout, prepared: PreparedEnvironment
    ) -> tuple[PreparedEnvironment, TestReport]:
        """What the suite says before any work, or, where it takes too long or not all of it can be run, the part of it
        that stands for it from here on."""
        report = self.run_baseline(checkout, prepared)
        prepared, report = self.leave_out(checkout, self.prepared or prepared, report)
        if report.timed_out:
            prepared, report = self.cut_suite(checkout, prepared, report)
        check_baseline(report)
        self.budget.reserve(VERIFICATION_RUNS * (report.seconds + BOX_SECONDS))
        return prepared, report

    def leave_out(
        self, checkout: Checkout, prepared: PreparedEnvironment, whole: TestReport
    ) -> tuple[PreparedEnvironment, TestReport]:
        """Of several suites those that have a result; `whole` again where that is all or none."""
        engine, limits, seconds = self.workshop.engine, self.workshop.limits, self.budget.at_most(BASELINE_SECONDS)
        some = baseline_of_some(engine, checkout, prepared, whole, timeout_seconds=seconds, limits=limits)
        if some is None:
            return prepared, whole
        self.journal.record("baseline", some[1].to_json())
        self.prepared, self.baseline = some
        return some

    def cut_suite(
        self, checkout: Checkout, prepared: PreparedEnvironment, whole: TestReport
    ) -> tuple[PreparedEnvironment, TestReport]:
        """`whole` again where no part of it ends in time."""
        subject = subject_of(checkout, prepared)
        cut = self.measured.cut(subject, prepared) or self.measure_cut(checkout, prepared, subject, whole)
        if cut is None:
            return prepared, whole
        self.prepared, self.baseline = cut
        return cut

    def measure_cut(
        self, checkout: Checkout, prepared: PreparedEnvironment, subject: str, whole: TestReport
    ) -> tuple[PreparedEnvironment, TestReport] | None:
        engine, limits, seconds = self.workshop.engine, self.workshop.limits, self.budget.at_most(CUT_SECONDS)
        issue = self.issue
        cut = cut_baseline(
            engine, checkout, prepared, issue, hanging=whole.hanging, timeout_seconds=seconds, limits=limits
        )
        if cut is not None:
            self.journal.record("baseline", cut[1].to_json())
            self.measured.keep_cut(subject, *cut)
        return cut

    def run_baseline(self, checkout: Checkout, prepared: PreparedEnvironment) -> TestReport:
        """The environment that it was run in at last is `prepared` of this case from here on."""
        self.journal.stage("baseline")
        self.check_wanted()
        subject = subject_of(checkout, prepared)
        self.baseline = self.measured.baseline(subject) or self.measure(checkout, prepared, subject)
        return self.baseline

    def measure(self, checkout: Checkout, prepared: PreparedEnvironment, subject: str) -> TestReport:
        report = baseline(
            self.workshop.engine,
            checkout,
            prepared,
            timeout_seconds=self.budget.at_most(BASELINE_SECONDS),
            limits=self.workshop.limits,
        )
        self.journal.record("baseline", report.to_json())
        self.measured.keep_baseline(subject, report)
        return report

    def verify(
        self, checkout: Checkout, prepared: PreparedEnvironment, before: TestReport, change: ChangeSet
    ) -> Verification:
        self.journal.stage("verify")
        subject = subject_of(checkout, prepared, change, str(self.configuration.rules))
        verification = self.measured.verification(subject)
        if verification is None:
            verification = self.measure_change(checkout, prepared, before, change)
            self.measured.keep_verification(subject, verification)
        self.journal.stage("agent")
        return verification

    def measure_change(
        self, checkout: Checkout, prepared: PreparedEnvironment, before: TestReport, change: ChangeSet
    ) -> Verification:
        return verify(
            self.workshop.engine,
            checkout,
            prepared,
            before,
            change,
            timeout_seconds=BASELINE_SECONDS,
            deadline_seconds=self.budget.seconds_left,
            limits=self.workshop.limits,
            rules=self.configuration.rules,
            asked_for=names_in(self.issue),
            report=lambda line: self.tell("verifying", line),
        )
