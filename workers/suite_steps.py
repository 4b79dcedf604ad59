"""The steps of a run in which tests run: what they said is journaled whole, and no later attempt runs them again."""

from agent.budget import Budget, Spent
from agent.issue_text import names_in, visible_text, visible_title
from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.test_report import TestReport
from repo_tools.verification.baseline import CUT_SECONDS, MeasuredSuite, baseline, baseline_of_some, cut_baseline
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
        """Journal a line of what goes on in a long step. RunCancelledError, RunRefusedError: the step ends here."""
        self.journal.record(kind, {"line": line})
        self.check_wanted()

    def measure_baseline(self, checkout: Checkout, prepared: PreparedEnvironment) -> MeasuredSuite:
        """What the suite says before any work, or, where it takes too long or not all of it can be run, the part of it
        that stands for it from here on."""
        suite = self.run_baseline(checkout, prepared)
        suite = self.leave_out(checkout, suite)
        if suite.baseline.timed_out:
            suite = self.cut_suite(checkout, suite)
        check_baseline(suite.baseline)
        self.budget.reserve(VERIFICATION_RUNS * (suite.baseline.seconds + BOX_SECONDS))
        return suite

    def run_baseline(self, checkout: Checkout, prepared: PreparedEnvironment) -> MeasuredSuite:
        """The whole suite, in `prepared`."""
        self.journal.stage("baseline")
        self.check_wanted()
        subject = subject_of(checkout, prepared)
        report = self.measured.baseline(subject) or self.measure(checkout, prepared, subject)
        return self.keep(MeasuredSuite(prepared, report))

    def leave_out(self, checkout: Checkout, whole: MeasuredSuite) -> MeasuredSuite:
        """Of several suites those that have a result; `whole` again where that is all or none."""
        engine, limits, seconds = self.workshop.engine, self.workshop.limits, self.budget.at_most(BASELINE_SECONDS)
        some = baseline_of_some(engine, checkout, *whole, timeout_seconds=seconds, limits=limits)
        if some is None:
            return whole
        self.journal.record("baseline", some.baseline.to_json())
        return self.keep(some)

    def cut_suite(self, checkout: Checkout, whole: MeasuredSuite) -> MeasuredSuite:
        """`whole` again where no part of it ends in time."""
        subject = subject_of(checkout, whole.prepared)
        part = self.measured.cut(subject, whole.prepared) or self.measure_cut(checkout, whole, subject)
        return whole if part is None else self.keep(part)

    def measure_cut(self, checkout: Checkout, whole: MeasuredSuite, subject: str) -> MeasuredSuite | None:
        part = cut_baseline(
            self.workshop.engine,
            checkout,
            whole.prepared,
            self.issue,
            hanging=whole.baseline.hanging,
            timeout_seconds=self.budget.at_most(CUT_SECONDS),
            limits=self.workshop.limits,
        )
        if part is not None:
            self.journal.record("baseline", part.baseline.to_json())
            self.measured.keep_cut(subject, part)
        return part

    def keep(self, suite: MeasuredSuite) -> MeasuredSuite:
        """The evidence tells of this one from here on."""
        self.prepared, self.baseline = suite
        return suite

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

    def verify(self, checkout: Checkout, suite: MeasuredSuite, change: ChangeSet) -> Verification:
        self.journal.stage("verify")
        subject = subject_of(checkout, suite.prepared, change, str(self.configuration.rules))
        verification = self.measured.verification(subject)
        if verification is None:
            verification = self.measure_change(checkout, suite, change)
            self.measured.keep_verification(subject, verification)
        self.journal.stage("agent")
        return verification

    def measure_change(self, checkout: Checkout, suite: MeasuredSuite, change: ChangeSet) -> Verification:
        return verify(
            self.workshop.engine,
            checkout,
            suite,
            change,
            timeout_seconds=BASELINE_SECONDS,
            deadline_seconds=self.budget.seconds_left,
            limits=self.workshop.limits,
            rules=self.configuration.rules,
            asked_for=names_in(self.issue),
            report=lambda line: self.tell("verifying", line),
        )
