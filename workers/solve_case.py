"""The steps of a task that has no repository: the same pipeline, in a workspace that holds what was given with it."""

from dataclasses import replace
from functools import partial

from agent.assignment import Assignment, solving
from agent.attempt import Attempt, SolveTask
from agent.errors import Answered
from agent.judge import Judge, Unjudged
from agent.replay import Steps
from agent.trials import Trial, Trials
from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment, PreparedEnvironment
from repo_tools.environment.prepare import NOTHING_COLLECTED
from repo_tools.environment.solving import TEST_RUNNER, readers_of, solving_environment, used_by_tests
from repo_tools.errors import RepoError
from repo_tools.given_files import NO_FILES
from repo_tools.interpreter.contract import Tables
from repo_tools.interpreter.notebook import Notebook
from repo_tools.interpreter.tables import BoxTables
from repo_tools.sandbox.contract import Sandbox
from repo_tools.test_report import TestReport
from repo_tools.verification.baseline import MeasuredSuite
from repo_tools.verification.causes import mostly_red_note
from repo_tools.verification.trial import try_out
from repo_tools.workspace import Workspace
from workers.case import Case
from workers.endings import Ending, ending_of_attempt
from workers.given import CONFTEST, DATA, given_tests, holds_tests, may_hold_tests, rules_of_given, syntax_error
from workers.host import Evidence, Solution
from workers.outcomes import Outcome, Reason
from workers.publish.markdown import one_line
from workers.suite_steps import BASELINE_SECONDS, BOX_SECONDS

SHOWN_BYTES = 100_000
DETAIL_CHARACTERS = 300
_ROOM = 2.0
"""Times the longest test run that was seen: what another of them is given."""
NO_TESTS = "The given files hold no tests: pytest runs functions and methods named `test_…`."
_SHOWN_NOTHING = " They passed before anything was made, too: they show nothing of the task."
NO_REPORT = TestReport("", (), 0, 0.0, "")


def _without_doubt(report: TestReport) -> TestReport:
    """Before anything is made, tests are red because nothing is made; that the environment lacks something would lead
    whoever reads it astray."""
    doubt = mostly_red_note(report)
    return replace(report, notes=tuple(note for note in report.notes if note != doubt))


class SolveCase(Case):
    """`Case` whose checkout is what was given with the task. With tests, it works until they pass; without, it ends
    with an answer."""

    trials: Trials | None = None
    best: Trial | None = None
    passed_before: bool = False
    packages: tuple[str, ...] = ()

    def configure(self, checkout: Checkout) -> None:
        """Given files stay as they are."""
        super().configure(checkout)
        self.configuration = replace(self.configuration, rules=rules_of_given(checkout.tree))

    def shown_to_set_up(self, checkout: Checkout) -> Checkout:
        """Set-up has a network, and its layer serves every task: it sees nothing of what was given."""
        return NO_FILES

    def detect(self, checkout: Checkout) -> Environment:
        wanted, tests = self.workshop.solve_requirements, given_tests(checkout.tree)
        readers = readers_of(wanted, (path for path in checkout.tree if path.startswith(DATA)))
        used = used_by_tests(wanted, checkout, (*tests, *CONFTEST & checkout.tree.keys()), self.run.body)
        beside = (*readers, *used)
        self.packages = (*wanted, *beside, TEST_RUNNER)
        return solving_environment(wanted, tests, beside)

    def measure_baseline(self, checkout: Checkout, prepared: PreparedEnvironment) -> MeasuredSuite:
        """What the given tests say before anything is made: that they are red is no problem. RepoError where the files
        hold no test or cannot be read as Python: nothing that is made could turn them green."""
        given = given_tests(checkout.tree)
        if not given:
            return MeasuredSuite(prepared, NO_REPORT)
        if not any(may_hold_tests(checkout.read(path)) for path in given):
            raise RepoError(NO_TESTS)
        prepared, report = self.run_baseline(checkout, prepared)
        if report.exit_code == NOTHING_COLLECTED and not report.cases:
            raise RepoError(NO_TESTS)
        if error := syntax_error(report, checkout.tree):
            raise RepoError(f"{error}. Given tests stay as they are: mend this first, then ask again.")
        self.budget.reserve(report.seconds + BOX_SECONDS)
        return MeasuredSuite(prepared, _without_doubt(report))

    def assignment(self, checkout: Checkout) -> Assignment:
        data = any(path.startswith(DATA) for path in checkout.tree)
        return solving(tested=bool(given_tests(checkout.tree)), data=data)

    def notebook(
        self, checkout: Checkout, prepared: PreparedEnvironment, workspace: Workspace, past: Steps
    ) -> Notebook:
        interpreter = self.interpreter(checkout, prepared, past)
        return Notebook(interpreter, workspace, keeps_files=True, given=checkout.tree)

    def tables(self, box: Sandbox) -> Tables | None:
        return BoxTables(box, DATA.rstrip("/"))

    def judge(self, checkout: Checkout, suite: MeasuredSuite, past: Steps) -> Judge:
        tests = given_tests(checkout.tree)
        if not tests:
            return Unjudged()
        self.passed_before = suite.baseline.exit_code == 0 and not suite.baseline.problem
        holding = frozenset(path for path in tests if holds_tests(path, checkout.read(path)))
        run = partial(self.try_out, checkout, suite.prepared)
        self.trials = Trials(frozenset(tests), run, past, holding=holding)
        return self.trials

    def try_out(self, checkout: Checkout, prepared: PreparedEnvironment, change: ChangeSet) -> TestReport:
        self.journal.stage("verify")
        report = try_out(
            self.workshop.engine,
            checkout,
            prepared,
            change,
            given_tests(checkout.tree),
            timeout_seconds=self.trial_seconds(),
            limits=self.workshop.limits,
        )
        self.journal.stage("agent")
        return report

    def trial_seconds(self) -> float:
        """What is left, or, where that is more, what a run like the longest needs: a green suite may take far longer
        than the red one that the reserve was measured by, and the last seconds of a budget take no candidate away."""
        longest = self.trials.longest_seconds if self.trials else 0.0
        return max(self.budget.at_most(BASELINE_SECONDS), min(BASELINE_SECONDS, _ROOM * longest + BOX_SECONDS))

    def task(self, checkout: Checkout, suite: MeasuredSuite) -> SolveTask:
        tests = {p: checkout.read(p) for p in checkout.tree if not p.startswith(DATA) and p.endswith(".py")}
        shown = {path: content[:SHOWN_BYTES].decode("utf-8", "replace") for path, content in tests.items()}
        told = suite.baseline if suite.baseline.command else None
        return SolveTask(self.run.body, tuple(sorted(checkout.tree)), shown, told, self.packages)

    def publish(self, attempt: Attempt) -> Outcome:
        """The best candidate decides, whatever ended the attempt: a budget that ends takes nothing away."""
        self.check_wanted(at_once=True)
        self.best = self.trials.best() if self.trials else None
        reason, detail = self.ending(attempt, solved=bool(self.best and self.best.solved))
        if reason not in (Reason.PROVED, Reason.ANSWERED):
            return self.escalate(reason, detail, attempt)
        self.journal.stage("publish")
        return self.host.publish_draft(self.evidence(reason, detail, attempt))

    def ending(self, attempt: Attempt, *, solved: bool) -> Ending:
        if solved:
            return Reason.PROVED, "The given tests pass in a fresh sandbox." + _SHOWN_NOTHING * self.passed_before
        if isinstance(attempt.ending, Answered):
            return Reason.ANSWERED, one_line(attempt.ending.text, DETAIL_CHARACTERS)
        return ending_of_attempt(attempt.ending, None)

    def evidence(self, reason: Reason, detail: str, attempt: Attempt | None) -> Evidence:
        best = self.best or (self.trials.best_so_far() if self.trials else None)
        change = best.change if best else attempt.change if attempt else None
        made = {path: new.content for path, new in change.files.items() if new is not None} if change else {}
        report = (best.told if best and best.solved else self.trials.last_told()) if self.trials else ""
        return replace(super().evidence(reason, detail, attempt), solution=Solution(made, report))
