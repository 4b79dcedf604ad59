"""One run from its request to its outcome. `run_pipeline` is the table of contents of the product."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.attempt import Attempt, Task
from agent.budget import Budget, BudgetLimits, Spent
from agent.errors import ModelError, Submitted
from agent.issue_text import visible_text, visible_title
from agent.loop import Agent
from agent.model import Model
from agent.pricing import Price
from agent.replay import last_change, resumable
from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.environment.detect import detect
from repo_tools.environment.prepare import prepare
from repo_tools.errors import RepoError, SandboxError, TransientError
from repo_tools.fresh_box import fresh_box
from repo_tools.repo_map.render import build_map
from repo_tools.sandbox.contract import Limits, SandboxEngine
from repo_tools.test_report import TestReport
from repo_tools.verification.contract import Verification
from repo_tools.verification.verify import baseline, verify
from repo_tools.workspace import Workspace
from workers.endings import check_baseline, ending_of_attempt, ending_of_error
from workers.host import Evidence, Host, RunCancelledError, RunRefusedError, RunRequest
from workers.journal import Journal
from workers.outcomes import Outcome, OutcomeKind, Reason

log = logging.getLogger(__name__)

SETUP_SECONDS = 900
BASELINE_SECONDS = 600
"""The time a suite may take; the design's default."""

VERIFICATION_RUNS = 3
BOX_SECONDS = 3.0
"""What a fresh box and its tree take beside the tests, generously."""


@dataclass(frozen=True)
class Workshop:
    """What a worker has for every run: engine, model, and the operator's limits."""

    engine: SandboxEngine
    engine_description: str  # asked once: an escalation must not depend on an engine that answers
    model: Model
    price: Price
    price_known: bool
    budget: BudgetLimits
    allowed_hosts: tuple[str, ...]
    ca_bundle: bytes | None = None
    context_tokens: int = 200_000
    map_tokens: int = 4_000
    limits: Limits = field(default_factory=Limits)


def run_pipeline(
    run: RunRequest, host: Host, workshop: Workshop, journal: Journal, *, last_attempt: bool = False
) -> Outcome:
    """Every way ends in one outcome. TransientErrors propagate, to be tried again, unless this is the last attempt;
    a lost lease always does."""
    case = Case(run, host, workshop, journal)
    try:
        case.admit()
        checkout = case.read_repository()
        prepared = case.prepare(checkout)
        before = case.measure_baseline(checkout, prepared)
        attempt = case.attempt(checkout, prepared, before)
        return case.publish(attempt)
    except RunRefusedError as refusal:
        return host.publish_refusal(run, refusal)
    except RunCancelledError as cancelled:
        return Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, str(cancelled))
    except (RepoError, SandboxError, ModelError) as error:
        if isinstance(error, TransientError) and not last_attempt:
            raise
        log.warning("run %s: %s: %s", run.run_id, type(error).__name__, error)
        return case.escalate(*ending_of_error(error), case.attempt_so_far(error))


class Case:
    """The steps of one run, and what they found so far: whatever ends it, the evidence tells that much."""

    def __init__(self, run: RunRequest, host: Host, workshop: Workshop, journal: Journal) -> None:
        self.run = run
        self.host = host
        self.workshop = workshop
        self.journal = journal
        self.budget = Budget(workshop.budget, workshop.price, earlier=Spent.from_spend(journal.spend))
        self.base_commit: str | None = None
        self.prepared: PreparedEnvironment | None = None
        self.checkout: Checkout | None = None
        self.agent: Agent | None = None

    def admit(self) -> None:
        self.journal.stage("admit")
        self.host.admit(self.run)

    def read_repository(self) -> Checkout:
        self.journal.stage("checkout")
        self.checkout = self.host.checkout(self.run)
        self.base_commit = self.checkout.commit
        self.journal.base(self.base_commit, self.workshop.model.name)
        return self.checkout

    def prepare(self, checkout: Checkout) -> PreparedEnvironment:
        self.journal.stage("environment")
        environment = detect(checkout.tree, checkout.read)
        self.prepared = prepare(
            self.workshop.engine,
            checkout,
            environment,
            allowed_hosts=self.workshop.allowed_hosts,
            ca_bundle=self.workshop.ca_bundle,
            limits=self.workshop.limits,
            timeout_seconds=self.at_most(SETUP_SECONDS),
            report=lambda line: self.journal.record("environment", {"line": line}),
        )
        return self.prepared

    def measure_baseline(self, checkout: Checkout, prepared: PreparedEnvironment) -> TestReport:
        self.journal.stage("baseline")
        self.host.check_wanted(self.run)
        report = baseline(
            self.workshop.engine,
            checkout,
            prepared,
            timeout_seconds=self.at_most(BASELINE_SECONDS),
            limits=self.workshop.limits,
        )
        self.journal.record("baseline", report.to_json())
        check_baseline(report)
        self.budget.reserve(VERIFICATION_RUNS * (report.seconds + BOX_SECONDS))
        return report

    def at_most(self, seconds: float) -> float:
        """`seconds`, or what the budget leaves of them."""
        left = self.budget.seconds_left
        return seconds if left is None else max(1.0, min(seconds, left))

    def attempt(self, checkout: Checkout, prepared: PreparedEnvironment, before: TestReport) -> Attempt:
        self.journal.stage("agent")
        past = resumable(self.journal.past(self.workshop.model.name))
        change = last_change(past)
        box = fresh_box(self.workshop.engine, checkout, prepared, overlay=change, limits=self.workshop.limits)
        with Workspace(box, checkout, prepared.environment, change=change) as workspace:
            self.agent = Agent(
                self.workshop.model,
                workspace,
                self.budget,
                verify=lambda change: self.verify(checkout, prepared, before, change),
                record=self.record,
                context_tokens=self.workshop.context_tokens,
            )
            return self.agent.run(self.task(checkout, prepared, before), past)

    def task(self, checkout: Checkout, prepared: PreparedEnvironment, before: TestReport) -> Task:
        title, body = visible_title(self.run.title), visible_text(self.run.body)
        repo_map = build_map(checkout.tree, checkout.read, issue=f"{title}\n{body}", tokens=self.workshop.map_tokens)
        command = " ".join(prepared.environment.test.argv)
        return Task(self.run.repository, title, body, repo_map, before, command)

    def verify(
        self, checkout: Checkout, prepared: PreparedEnvironment, before: TestReport, change: ChangeSet
    ) -> Verification:
        self.journal.stage("verify")
        verification = verify(
            self.workshop.engine,
            checkout,
            prepared,
            before,
            change,
            timeout_seconds=BASELINE_SECONDS,
            deadline_seconds=self.budget.seconds_left,
            limits=self.workshop.limits,
            report=lambda line: self.journal.record("verifying", {"line": line}),
        )
        self.journal.stage("agent")
        return verification

    def record(self, kind: str, data: Mapping[str, Any]) -> None:
        """One step of the agent: journaled first, then the run may turn out to be unwanted."""
        self.journal.record(kind, data, spend=data["spend"])
        self.host.check_wanted(self.run)

    def attempt_so_far(self, error: Exception) -> Attempt | None:
        """What an attempt that `error` ended had reached; None where it had not begun."""
        return self.agent.attempt_so_far(str(error)) if self.agent else None

    def publish(self, attempt: Attempt) -> Outcome:
        self.host.check_wanted(self.run, at_once=True)
        reason, detail = ending_of_attempt(attempt.ending, attempt.verification)
        if not isinstance(attempt.ending, Submitted):
            return self.escalate(reason, detail, attempt)
        self.journal.stage("publish")
        return self.host.publish_draft(self.evidence(reason, detail, attempt))

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
