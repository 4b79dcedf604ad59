"""The tables, without their indexes. A change here needs a migration; a test compares the two."""

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Double,
    ForeignKey,
    FromClause,
    Integer,
    MetaData,
    Table,
    Text,
    and_,
    literal_column,
)

from workers.outcomes import RunStatus

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)

runs = Table(
    "runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("status", Text, nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("repository_id", BigInteger, nullable=False),
    Column("repository", Text, nullable=False),
    Column("issue_number", BigInteger, nullable=False),
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("sender", Text, nullable=False),
    Column("labelled_at", Double),
    Column("created_at", Double, nullable=False),
    Column("due_at", Double, nullable=False),  # not claimed before: delays live here, not in the broker
    Column("rung_at", Double),  # when a message was last sent for it
    Column("started_at", Double),
    Column("ended_at", Double),
    Column("attempts", Integer, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("worker", Text),
    Column("lease_until", Double),
    Column("step_count", Integer, nullable=False),
    Column("stage", Text, nullable=False),
    Column("spend", Text, nullable=False),  # JSON
    Column("model", Text),
    Column("base_commit", Text),
    Column("branch", Text),  # of no use: to drop it is not worth a migration
    Column("outcome", Text),
    Column("reason", Text),
    Column("detail", Text),
    Column("url", Text),
    Column("pull_request_url", Text),
    # The id of the `labeled` event that asked for the run; a worker reads it, so that it is unknown before.
    Column("labelling", BigInteger),
    Column("label_off", Integer, nullable=False, server_default="0"),  # 1: the label went off since
    Column("cancel", Text),  # why a run that a worker holds is no longer wanted
    Column("waiting", Text),  # what a run that was begun waits for
    Column("waits", Integer, nullable=False, server_default="0"),  # how often it has waited so far
)


# Written into the statement rather than bound: a planner recognises a partial index by the words of its condition.
def active(table: FromClause) -> ColumnElement[bool]:
    """`table` is `runs` under this or another name."""
    return table.c.status.in_([literal_column(f"'{status}'") for status in (RunStatus.QUEUED, RunStatus.RUNNING)])


ACTIVE = active(runs)
# Local runs of before they had repository ids of their own, below zero, had this one.
ON_GITHUB = runs.c.repository_id != literal_column("0")
# One that is being cancelled stands in nobody's way but its successor's start.
ONE_ACTIVE = and_(ACTIVE, ON_GITHUB, runs.c.cancel.is_(None))

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Text, primary_key=True),
    Column("event", Text, nullable=False),
    Column("action", Text),
    # No foreign key: the delivery is written first, because it decides whether the run is written at all, and SQLite
    # would then look through all deliveries for those that wait for the new run.
    Column("run_id", Text),
    Column("ignored", Text),  # why no run came of it
    Column("received_at", Double, nullable=False),
)

steps = Table(
    "steps",
    metadata,
    Column("run_id", Text, ForeignKey("runs.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("data", Text, nullable=False),  # JSON
    Column("at", Double, nullable=False),
)

workers = Table(
    "workers",
    metadata,
    Column("name", Text, primary_key=True),
    Column("seen_at", Double, nullable=False),
)

# What one worker at a time does now and then for all of them.
chores = Table(
    "chores",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("held_until", Double, nullable=False),
    Column("due_at", Double, nullable=False),
    Column("mark", Text, nullable=False),  # JSON: how far it came
)

# Installations that GitHub limits: none of their runs is begun before.
pauses = Table(
    "pauses",
    metadata,
    Column("installation_id", BigInteger, primary_key=True, autoincrement=False),
    Column("until", Double, nullable=False),
)
