"""A labelling is one run: which labellings are known, and whose a claimed run is."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, and_, or_, select

from workers.store.leases import write_or_lose
from workers.store.schema import ONE_ACTIVE, deliveries, runs
from workers.store.values import Claim

_SLACK_SECONDS = 2.0  # between GitHub's time of the event and of the issue that was sent with it


def settle(connection: Connection, held: Claim, labelling: int) -> str | None:
    """The id of the run that had the labelling before; None where it is this one's."""
    ours = and_(runs.c.repository_id == held.run.repository_id, runs.c.issue_number == held.run.issue_number)
    query = select(runs.c.id).where(ours, runs.c.labelling == labelling, runs.c.id != held.run.id)
    earlier: str | None = connection.execute(query).scalar_one_or_none()
    if earlier is None:
        write_or_lose(connection, held, {"labelling": labelling})
    return earlier


def had_run(connection: Connection, repository_id: int, issue_number: int, labelling: int, at: datetime) -> bool:
    unread = and_(
        runs.c.labelling.is_(None),
        runs.c.started_at.is_not(None),
        runs.c.labelled_at >= at.timestamp() - _SLACK_SECONDS,
    )
    place = and_(runs.c.repository_id == repository_id, runs.c.issue_number == issue_number)
    query = select(runs.c.id).where(place, or_(runs.c.labelling == labelling, unread)).limit(1)
    return connection.execute(query).one_or_none() is not None


def is_under_way(connection: Connection, repository_id: int, issue_number: int) -> bool:
    place = and_(runs.c.repository_id == repository_id, runs.c.issue_number == issue_number)
    return connection.execute(select(runs.c.id).where(place, ONE_ACTIVE)).one_or_none() is not None


def processed(connection: Connection, delivery_ids: Sequence[str]) -> frozenset[str]:
    query = select(deliveries.c.id).where(deliveries.c.id.in_(delivery_ids))
    return frozenset(connection.execute(query).scalars())
