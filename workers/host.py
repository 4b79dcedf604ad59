"""The place a run works for, as the pipeline sees it: GitHub, or a folder on this machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from agent.attempt import Attempt
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from workers.outcomes import Outcome, Reason


@dataclass(frozen=True)
class RunRequest:
    """What a run is about: the row's own words, as they were when the label was put on.

    For a local run `repository` is the folder's path, `issue_number` 0 and the ids 0.
    """

    run_id: str
    repository: str  # owner/name
    repository_id: int
    installation_id: int
    issue_number: int
    title: str
    body: str
    sender: str  # login of the one who put the label on
    queued_at: datetime
    base_commit: str | None = None  # settled by an earlier attempt: the run stays on it


@dataclass(frozen=True)
class Evidence:
    """Everything that a draft or an escalation may tell. `attempt` is None where the run ended before the agent."""

    run: RunRequest
    base_commit: str | None
    reason: Reason
    detail: str  # one sentence for people
    attempt: Attempt | None
    prepared: PreparedEnvironment | None
    engine: str  # SandboxEngine.describe()
    model: str
    price_known: bool
    patch: bytes  # unified diff of the attempt's change, empty when there is none
    spend: Mapping[str, Any]  # `Budget.spend()`: used and allowed of each limit; empty where nothing was ever counted


class RunRefusedError(Exception):
    """Nothing may be spent on this run. `reason` is for the store, the text for people."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class RunCancelledError(Exception):
    """The run is no longer wanted."""


class Host(Protocol):
    """Every method may raise a TransientError; all of them are idempotent for one run id."""

    def admit(self, run: RunRequest) -> None:
        """Say that the run was received, and check that it may spend anything. RunRefusedError."""
        ...

    def checkout(self, run: RunRequest) -> Checkout:
        """The base commit. RunRefusedError (empty repository), RepoError."""
        ...

    def check_wanted(self, run: RunRequest, *, at_once: bool = False) -> None:
        """At step boundaries. RunCancelledError. An answer may be some seconds old, unless it is wanted `at_once`."""
        ...

    def publish_draft(self, evidence: Evidence) -> Outcome: ...

    def publish_escalation(self, evidence: Evidence) -> Outcome: ...

    def publish_refusal(self, run: RunRequest, refusal: RunRefusedError) -> Outcome: ...
