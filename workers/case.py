"""The steps of one run that fixes an issue; `pipeline` says in which order they are taken."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from agent.assignment import FIX, FIX_WITH_PYTHON, Assignment
from agent.attempt import Attempt, SolveTask, Task
from agent.errors import LimitExceeded, Submitted
from agent.issue_text import visible_text, visible_title
from agent.judge import Judge, Proof
from agent.loop import Agent
from agent.replay import Steps, last_change
from agent.tools.python_session import RUN_PYTHON
from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import Environment, PreparedEnvironment, SetupFailedError
from repo_tools.environment.declared import declared_environment
from repo_tools.environment.detect import detect
from repo_tools.environment.prepare import MADE_ANEW, may_be_damaged, prepare
from repo_tools.errors import TransientError
from repo_tools.fresh_box import fresh_box
from repo_tools.interpreter.contract import Tables
from repo_tools.interpreter.notebook import Notebook
from repo_tools.interpreter.session import BoxInterpreter
from repo_tools.repo_map.history import Change
from repo_tools.repo_map.repository_map import RepositoryMap
from repo_tools.repo_map.store import IndexStore
from repo_tools.repo_map.symbols import CodeIndex
from repo_tools.sandbox.contract import Layer, Sandbox
from repo_tools.verification.baseline import MeasuredSuite
from repo_tools.workspace import Workspace
from workers.configuration.contract import ConfigurationError
from workers.configuration.read import read_configuration
from workers.endings import Ending, SuiteTooSlowError, ending_of_attempt, ending_of_error
from workers.fenced_model import FencedModel
from workers.host import Evidence, Host, RunCancelledError, RunRefusedError, RunRequest
from workers.journal import Journal
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.publish.markdown import clean
from workers.store import StoreUnavailableError
from workers.suite_steps import SuiteSteps
from workers.workshop import Workshop

SETUP_SECONDS = 900
MAP_PROCESSES = 2
MAP_TOKENS = 4_000
INTERPRETER_MEMORY = 0.75
"""Of a box's memory: code that asks for more gets an exception, before the box is ended."""


def map_of(index: IndexStore, checkout: Checkout, changes: Sequence[Change] = ()) -> RepositoryMap:
    return RepositoryMap(
        index,
        checkout.tree,
        checkout.read,
        processes=MAP_PROCESSES,
        changes=changes,
        read_many=checkout.read_many,
    )


class Case(SuiteSteps):
    """The steps of one run, and what they found so far: whatever ends it, the evidence tells that much."""

    def __init__(self, run: RunRequest, host: Host, workshop: Workshop, journal: Journal) -> None:
        super().__init__(run, host, workshop, journal)
        self.base_commit: str | None = None
        self.checkout: Checkout | None = None
        self.agent: Agent | None = None

    def admit(self) -> None:
        self.journal.stage("admit")
        earlier = self.journal.settle_labelling(lambda: self.host.labelling(self.run))
        if earlier is not None:
            raise RunCancelledError(f"Run {earlier} is of the same labelling.", Reason.DUPLICATE)
        self.host.admit(self.run)

    def read_repository(self) -> Checkout:
        self.journal.stage("checkout")
        self.checkout = self.host.checkout(self.run)
        self.base_commit = self.checkout.commit
        return self.checkout

    def configure(self, checkout: Checkout) -> None:
        """What the repository says of its runs holds from here on. ConfigurationError, before anything is spent."""
        self.configuration = read_configuration(checkout, self.workshop.allowed)
        self.workshop = self.workshop.chosen(self.configuration, self.run.model)
        self.budget.limits, self.budget.price = self.workshop.budget, self.workshop.price
        self.journal.base(checkout.commit, self.workshop.model.name)

    def prepare(self, checkout: Checkout, instead_of: Layer | None = None) -> PreparedEnvironment:
        self.journal.stage("environment")
        self.prepared = prepare(
            self.workshop.engine,
            self.shown_to_set_up(checkout),
            declared_environment(self.configuration.declared, checkout.tree, lambda: self.detect(checkout)),
            repository=self.host.repository_key(self.run),
            allowed_hosts=self.workshop.allowed_hosts,
            ca_bundle=self.workshop.ca_bundle,
            limits=self.workshop.limits,
            timeout_seconds=self.budget.at_most(SETUP_SECONDS),
            report=lambda line: self.tell("environment", line),
            instead_of=instead_of,
        )
        return self.prepared

    def run_baseline(self, checkout: Checkout, prepared: PreparedEnvironment) -> MeasuredSuite:
        """In an environment that is made anew, where the one that was found may be why there is no result."""
        suite = super().run_baseline(checkout, prepared)
        if not may_be_damaged(*suite):
            return suite
        self.tell("environment", MADE_ANEW)
        return super().run_baseline(checkout, self.prepare(checkout, instead_of=prepared.layer))

    def shown_to_set_up(self, checkout: Checkout) -> Checkout:
        """The files that set-up sees, which has a network."""
        return checkout

    def detect(self, checkout: Checkout) -> Environment:
        inside, likely = self.host.folder(self.run), partial(self.likely_files, checkout)
        return detect(checkout.tree, checkout.read, issue=self.issue, inside=inside, likely=likely)

    def likely_files(self, checkout: Checkout) -> tuple[str, ...]:
        """Without history, which another attempt may lack: both are to choose the same project."""
        with self.index() as index:
            return map_of(index, checkout).likely(self.issue)

    def attempt(self, checkout: Checkout, suite: MeasuredSuite) -> Attempt:
        self.journal.stage("agent")
        assignment = self.assignment(checkout)
        past = self.journal.resumable(self.workshop.model.name, assignment.rules)
        change, prepared = last_change(past), suite.prepared
        box = self.open_box(checkout, prepared, change)
        with (
            Workspace(box, checkout, prepared.environment, change=change, rules=self.configuration.rules) as workspace,
            closing(self.notebook(checkout, prepared, workspace, past)) as notebook,
            self.index() as index,
        ):
            self.agent = Agent(
                FencedModel(self.workshop.model, self.journal.hold),
                workspace,
                self.budget,
                judge=self.judge(checkout, suite, past),
                record=self.record,
                assignment=assignment,
                notebook=notebook,
                tables=self.tables(box),
                index=CodeIndex(index, checkout),
                context_tokens=self.workshop.context_tokens,
            )
            task = self.task(checkout, suite)
            return self.agent.run(task, past, began_before=self.journal.began_before)

    def assignment(self, checkout: Checkout) -> Assignment:
        return FIX_WITH_PYTHON if self.workshop.run_python else FIX

    def open_box(self, checkout: Checkout, prepared: PreparedEnvironment, change: ChangeSet | None) -> Sandbox:
        return fresh_box(self.workshop.engine, checkout, prepared, overlay=change, limits=self.workshop.limits)

    def notebook(
        self, checkout: Checkout, prepared: PreparedEnvironment, workspace: Workspace, past: Steps
    ) -> Notebook:
        """Code is tried out on a throw-away copy; no box is opened before there is any."""
        return Notebook(self.interpreter(checkout, prepared, past), workspace, keeps_files=False)

    def interpreter(self, checkout: Checkout, prepared: PreparedEnvironment, past: Steps) -> BoxInterpreter:
        memory_bytes = int(self.workshop.limits.memory_bytes * INTERPRETER_MEMORY)
        lost = any(kind == "tool_result" and data["name"] == RUN_PYTHON.name for kind, data in past)
        open_box = partial(self.open_box, checkout, prepared)
        variables = {**prepared.environment.variables, **prepared.environment.test_variables}
        return BoxInterpreter(open_box, checkout, memory_bytes=memory_bytes, lost=lost, variables=variables)

    def tables(self, box: Sandbox) -> Tables | None:
        """There is no data in a fix."""
        return None

    def judge(self, checkout: Checkout, suite: MeasuredSuite, past: Steps) -> Judge:
        return Proof(lambda change: self.verify(checkout, suite, change))

    def index(self) -> IndexStore:
        """What is known of the repository's files from earlier runs."""
        return IndexStore(self.workshop.map_index(self.host.repository_key(self.run)))

    def task(self, checkout: Checkout, suite: MeasuredSuite) -> Task | SolveTask:
        title, body = visible_title(self.run.title), visible_text(self.run.body)
        with self.index() as index:
            found = map_of(index, checkout, self.host.recent_changes(self.run, checkout))
            repo_map = found.text(self.issue, tokens=MAP_TOKENS)
        return Task(
            self.run.repository,
            title,
            body,
            repo_map,
            suite.baseline,
            suite.prepared.environment.shown_command,
            str(self.configuration.rules),
            suite.prepared.layer.making.notes,
        )

    def record(self, kind: str, data: Mapping[str, Any]) -> None:
        """One step of the agent: journaled first, then the run may turn out to be unwanted."""
        self.journal.record(kind, data, spend=data["spend"])
        self.check_wanted()

    def ending_of_error(self, error: Exception) -> Ending:
        """What had no time because the budget has none left ends at that limit, not at one of its own."""
        limit, used = self.budget.limits.seconds, self.budget.seconds
        if isinstance(error, (SetupFailedError, SuiteTooSlowError)) and limit is not None and used >= limit:
            return ending_of_attempt(LimitExceeded("seconds", used, limit), None)
        return ending_of_error(error)

    def keep_spend(self, error: TransientError) -> None:
        """Before the run waits: what a failed call cost, and the time, count in the next attempt too. Where the
        database is what it waits for, a reply may be lost with its write: the next attempt charges that call at its
        worst."""
        if self.agent is not None and not isinstance(error, StoreUnavailableError):
            self.journal.spent(self.budget.spend())

    def attempt_so_far(self, error: Exception) -> Attempt | None:
        """What an attempt that `error` ended had reached; None where it had not begun."""
        return self.agent.attempt_so_far(str(error)) if self.agent else None

    def publish(self, attempt: Attempt) -> Outcome:
        self.check_wanted(at_once=True)
        reason, detail = ending_of_attempt(attempt.ending, attempt.verification)
        if not isinstance(attempt.ending, Submitted):
            return self.escalate(reason, detail, attempt)
        self.journal.stage("publish")
        return self.host.publish_draft(self.evidence(reason, detail, attempt))

    def refuse(self, wrong: ConfigurationError) -> Outcome:
        """End a run whose configuration file is wrong. Nothing was spent on it, unless by an earlier attempt: the
        operator's limits may have changed since then."""
        if self.journal.spend:
            return self.escalate(Reason.CONFIGURATION, clean(str(wrong)))
        refusal = RunRefusedError(Reason.CONFIGURATION, wrong.summary, tuple(map(clean, wrong.problems)))
        return self.host.publish_refusal(self.run, refusal)

    def cancel(self, cancelled: RunCancelledError) -> Outcome:
        """End a run that is no longer wanted; of one that was not begun there is nothing to say."""
        if self.base_commit is None and not self.journal.spend:
            return Outcome(OutcomeKind.CANCELLED, cancelled.reason, str(cancelled))
        return self.host.publish_cancellation(self.evidence(cancelled.reason, str(cancelled), None))

    def turn_down(self, refusal: RunRefusedError) -> Outcome:
        """End a run that may not spend anything; where GitHub says so after something was spent, hand it over."""
        if self.journal.spend:
            return self.escalate(refusal.reason, clean(str(refusal)), self.attempt_so_far(refusal))
        return self.host.publish_refusal(self.run, refusal)

    def escalate(self, reason: Reason, detail: str, attempt: Attempt | None = None) -> Outcome:
        self.journal.stage("escalate")
        return self.host.publish_escalation(self.evidence(reason, detail, attempt))

    def evidence(self, reason: Reason, detail: str, attempt: Attempt | None) -> Evidence:
        spend = self.budget.spend()
        self.journal.record("ending", {"reason": reason, "detail": detail}, spend=spend)
        change = _told(attempt) if attempt else None
        patch = self.checkout.patch(change) if change and self.checkout else b""
        return Evidence(
            run=self.run,
            base_commit=self.base_commit,
            reason=reason,
            detail=detail,
            attempt=attempt,
            prepared=self.prepared,
            baseline=self.baseline,
            engine=self.workshop.engine_description,
            model=self.workshop.model.name,
            price_known=self.workshop.price_known,
            patch=patch,
            spend=spend,
        )


def _told(attempt: Attempt) -> ChangeSet:
    """The change that people are shown: what was proved, else the work as it stood."""
    verification = attempt.verification
    if verification is not None and verification.verdict.earns_pull_request:
        return verification.publishable
    return attempt.change
