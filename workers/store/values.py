"""What goes into the store and comes out of it: plain values, no rows and no sessions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
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
    """The issue as it was when the label was put on. A local run has none: see `workers.local_claim`."""

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


class StopScope(StrEnum):
    ISSUE = "issue"
    REPOSITORY = "repository"
    INSTALLATION = "installation"


@dataclass(frozen=True)
class StopOrder:
    """What happened on GitHub that leaves runs unwanted; the ids that `scope` does not need are 0.

    `at` is GitHub's time of it: a run that was labelled later is meant by nobody. `label_off`: the label went off, so
    that the next one is another labelling.
    """

    scope: StopScope
    why: str  # a sentence for people
    installation_id: int = 0
    repository_id: int = 0
    issue_number: int = 0
    at: datetime | None = None
    label_off: bool = False


@dataclass(frozen=True)
class Limits:
    """How many runs may go on at once; None: as many as there are workers. Local runs do not count."""

    repository: int | None = None
    installation: int | None = None


@dataclass(frozen=True)
class Chore:
    """The right to do something for all workers for a while. `mark` is what its last holder left, empty at first."""

    name: str
    holder: str
    mark: Mapping[str, Any]


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
    worker: str | None = None  # the process that holds it, or held it when it died, as `NODE-PID`
    started_at: datetime | None = None
    ended_at: datetime | None = None
    labelling: int | None = None  # the id of the `labeled` event, once a worker has read it
    cancel: str | None = None  # why it is no longer wanted, in a sentence; it ends at its next step
    waiting: str | None = None  # what it waits for, in a sentence
    waits: int = 0


@dataclass(frozen=True)
class Claim:
    """The right to write to a run, until another worker claims it under a higher epoch."""

    run: Run
    epoch: int


@dataclass(frozen=True)
class Step:
    """One entry of the journal. Numbers count from 1 without gaps; `format` is what it was written in."""

    number: int
    kind: str
    data: Mapping[str, Any]
    at: datetime
    format: int = 0
