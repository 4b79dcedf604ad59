"""What goes into the store and comes out of it: plain values, no rows and no sessions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from workers.outcomes import OutcomeKind, Reason, RunStatus


@dataclass(frozen=True)
class NewDelivery:
    """One delivery of GitHub's. `id` is the `X-GitHub-Delivery` GUID; a redelivery carries the same one."""

    id: str
    event: str
    action: str | None


@dataclass(frozen=True)
class IssueSnapshot:
    """The issue as it was when the label was put on. A local run has the ids 0 and the folder as `repository`."""

    installation_id: int
    repository_id: int
    repository: str  # owner/name
    issue_number: int
    title: str
    body: str
    sender: str  # login of the one who put the label on
    labelled_at: datetime | None


@dataclass(frozen=True)
class CreatedRun:
    """`created` is False where the delivery, or another labelling of the same issue, had made the run before."""

    run_id: str
    created: bool


@dataclass(frozen=True)
class Run:
    """A run as it stands. Times are aware, in UTC, by the database's clock; `spend` is `Budget.spend()`."""

    id: str
    status: RunStatus
    installation_id: int
    repository_id: int
    repository: str
    issue_number: int
    title: str
    body: str
    sender: str
    labelled_at: datetime | None
    created_at: datetime
    outcome: OutcomeKind | None = None
    reason: Reason | None = None
    detail: str | None = None
    url: str | None = None
    pull_request_url: str | None = None
    attempts: int = 0
    epoch: int = 0
    stage: str = ""
    spend: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    base_commit: str | None = None
    branch: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True)
class Claim:
    """The right to write to a run, until another worker claims it under a higher epoch."""

    run: Run
    epoch: int


@dataclass(frozen=True)
class Step:
    """One entry of the journal. Numbers count from 1 without gaps."""

    number: int
    kind: str
    data: Mapping[str, Any]
    at: datetime
