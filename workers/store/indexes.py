"""The indexes, which only migrations need to know: naming PostgreSQL's loads four megabytes of its dialect."""

from sqlalchemy import Index

from workers.store.schema import ACTIVE, ONE_ACTIVE, metadata, runs

# One active run for an issue, whatever races (two deliveries for one label action).
Index(
    "uq_runs_active_issue",
    runs.c.repository_id,
    runs.c.issue_number,
    unique=True,
    sqlite_where=ONE_ACTIVE,
    postgresql_where=ONE_ACTIVE,
)

# A labelling is one run, whatever told of it; those not yet known (NULL) are all different. Also finds an issue's runs.
Index("uq_runs_labelling", runs.c.repository_id, runs.c.issue_number, runs.c.labelling, unique=True)

# What the reconciler looks through: the active rows alone, however many runs have ended.
Index("ix_runs_active_due", runs.c.due_at, sqlite_where=ACTIVE, postgresql_where=ACTIVE)

tables_and_indexes = metadata
