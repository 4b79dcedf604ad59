"""What a run was labelled by, why it is no longer wanted, why it waits; work that one worker at a time does."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

ONE_ACTIVE = "status IN ('queued', 'running') AND repository_id != 0"
ONE_WANTED = f"{ONE_ACTIVE} AND cancel IS NULL"


def upgrade() -> None:
    op.add_column("runs", sa.Column("labelling", sa.BigInteger(), nullable=True))
    op.add_column("runs", sa.Column("label_off", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("cancel", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("waiting", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("waits", sa.Integer(), nullable=False, server_default="0"))
    op.drop_index("uq_runs_active_issue", "runs")
    op.create_index(
        "uq_runs_active_issue",
        "runs",
        ["repository_id", "issue_number"],
        unique=True,
        sqlite_where=sa.text(ONE_WANTED),
        postgresql_where=sa.text(ONE_WANTED),
    )
    op.create_index("uq_runs_labelling", "runs", ["repository_id", "issue_number", "labelling"], unique=True)
    op.create_table(
        "chores",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("held_until", sa.Double(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_chores")),
    )
