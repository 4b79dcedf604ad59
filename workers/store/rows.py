"""From rows to values."""

from typing import Any

from sqlalchemy import Row

from workers.outcomes import OutcomeKind, Reason, RunStatus
from workers.store.clock import from_seconds, from_seconds_or_none
from workers.store.text import load_json
from workers.store.values import Run, Step


def run_from(row: Row[Any]) -> Run:
    return Run(
        id=row.id,
        status=RunStatus(row.status),
        installation_id=row.installation_id,
        repository_id=row.repository_id,
        repository=row.repository,
        issue_number=row.issue_number,
        title=row.title,
        body=row.body,
        sender=row.sender,
        labelled_at=from_seconds_or_none(row.labelled_at),
        created_at=from_seconds(row.created_at),
        outcome=OutcomeKind(row.outcome) if row.outcome else None,
        reason=Reason(row.reason) if row.reason else None,
        detail=row.detail,
        url=row.url,
        pull_request_url=row.pull_request_url,
        attempts=row.attempts,
        epoch=row.epoch,
        stage=row.stage,
        spend=load_json(row.spend),
        model=row.model,
        base_commit=row.base_commit,
        worker=row.worker,
        started_at=from_seconds_or_none(row.started_at),
        ended_at=from_seconds_or_none(row.ended_at),
        labelling=row.labelling,
        cancel=row.cancel,
        waiting=row.waiting,
        waits=row.waits,
    )


def step_from(row: Row[Any]) -> Step:
    data = load_json(row.data)
    written = data.pop("format", 0)
    return Step(row.number, row.kind, data, from_seconds(row.at), written)
