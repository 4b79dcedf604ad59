"""The place a run works for, as the pipeline sees it: GitHub, or a folder on this machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from agent.attempt import Attempt
from repo_tools.checkout import Checkout
from repo_tools.environment.contract import PreparedEnvironment
from repo_tools.repo_map.history import Change
from repo_tools.test_report import TestReport
from workers.intents import Intents, Unkept
from workers.outcomes import Outcome, Reason
from workers.store import Run


@dataclass(frozen=True)
class RunRequest:
    """What a run is about: the row's own words, as they were when the label was put on.

    Of a local run see `workers.local_claim`.
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
    model: str | None = None  # likewise
    labelled_at: datetime | None = None  # GitHub's time
    intents: Intents = field(default_factory=Unkept, compare=False, repr=False)  # written before each effect


def request_of(run: Run) -> RunRequest:
    """What the pipeline needs of the row."""
    return RunRequest(
        run_id=run.id,
        repository=run.repository,
        repository_id=run.repository_id,
        installation_id=run.installation_id,
        issue_number=run.issue_number,
        title=run.title,
        body=run.body,
        sender=run.sender,
        queued_at=run.created_at,
        base_commit=run.base_commit,
        model=run.model,
        labelled_at=run.labelled_at,
    )


@dataclass(frozen=True)
class Solution:
    """What a task without a repository came to: the files of the best candidate, and what its given tests said last
    (empty where there were none)."""

    files: Mapping[str, bytes]
    report: str


@dataclass(frozen=True)
class Evidence:
    """Everything that a draft or an escalation may tell. None where the run ended before it: `baseline` before the base
    commit's suite had run, `attempt` before the agent began."""

    run: RunRequest
    base_commit: str | None
    reason: Reason
    detail: str  # one sentence for people
    attempt: Attempt | None
    prepared: PreparedEnvironment | None
    baseline: TestReport | None
    engine: str  # SandboxEngine.describe()
    model: str
    price_known: bool
    patch: bytes  # unified diff of the attempt's change, empty when there is none
    spend: Mapping[str, Any]  # `Budget.spend()`: used and allowed of each limit; empty where nothing was ever counted
    solution: Solution | None = None  # of a task without a repository


class RunRefusedError(Exception):
    """Nothing may be spent on this run. `reason` is for the store, the text for people; so are `points`, one line
    each."""

    def __init__(self, reason: Reason, text: str, points: tuple[str, ...] = ()) -> None:
        super().__init__(f"{text} {'; '.join(points)}." if points else text)
        self.reason = reason
        self.text = text
        self.points = points


class RunCancelledError(Exception):
    """The run is no longer wanted: why, in a sentence for people."""

    def __init__(self, text: str, reason: Reason = Reason.UNWANTED) -> None:
        super().__init__(text)
        self.reason = reason


class Host(Protocol):
    """Every method may raise a TransientError; all of them are idempotent for one run id."""

    def labelling(self, run: RunRequest) -> int | None:
        """The id of the event that put the label on, once for all that tell of it. None where nobody labels, or where
        it cannot be read yet. RunCancelledError, RunRefusedError."""
        ...

    def admit(self, run: RunRequest) -> None:
        """Say that the run was received, and check that it may spend anything. RunRefusedError."""
        ...

    def checkout(self, run: RunRequest) -> Checkout:
        """The base commit, on the default branch: it says how the run is configured. RunRefusedError (empty
        repository), RepoError."""
        ...

    def recent_changes(self, run: RunRequest, checkout: Checkout) -> Sequence[Change]:
        """What led to the base commit lately, the newest first. Empty where that cannot be had within seconds: no run
        fails for the want of it."""
        ...

    def repository_key(self, run: RunRequest) -> str:
        """Whose environments are kept for the run: a name that no other repository of any host has."""
        ...

    def folder(self, run: RunRequest) -> str:
        """Which folder of the repository is asked about, where there are several projects; empty: any."""
        ...

    def check_wanted(self, run: RunRequest, *, at_once: bool = False) -> None:
        """At step boundaries. RunCancelledError. An answer may be some seconds old, unless it is wanted `at_once`."""
        ...

    def publish_draft(self, evidence: Evidence) -> Outcome: ...

    def publish_escalation(self, evidence: Evidence) -> Outcome: ...

    def publish_cancellation(self, evidence: Evidence) -> Outcome:
        """Of a run that had begun: what was spent, where it can be said."""
        ...

    def publish_refusal(self, run: RunRequest, refusal: RunRefusedError) -> Outcome: ...
