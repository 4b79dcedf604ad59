"""The run store: runs, deliveries and steps, on SQLite or PostgreSQL. The row is the truth."""

from workers.store.at_once import IntakeAtOnce, WouldWaitError
from workers.store.errors import LeaseLostError, StoreUnavailableError
from workers.store.leases import MAX_ATTEMPTS, RESUMABLE_SECONDS, TASK, attempts_exhausted
from workers.store.run_store import RunStore, open_store
from workers.store.values import (
    Chore,
    Claim,
    CreatedRun,
    IssueSnapshot,
    Limits,
    NewDelivery,
    Run,
    Step,
    StopOrder,
    StopScope,
)

__all__ = [
    "MAX_ATTEMPTS",
    "RESUMABLE_SECONDS",
    "TASK",
    "Chore",
    "Claim",
    "CreatedRun",
    "IntakeAtOnce",
    "IssueSnapshot",
    "LeaseLostError",
    "Limits",
    "NewDelivery",
    "Run",
    "RunStore",
    "Step",
    "StopOrder",
    "StopScope",
    "StoreUnavailableError",
    "WouldWaitError",
    "attempts_exhausted",
    "open_store",
]
