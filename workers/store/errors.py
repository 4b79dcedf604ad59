"""What can go wrong with the store, sorted by who must act.

- `StoreUnavailableError`: nobody; the database cannot be reached, is locked or full just now. Ask again later.
- `StoreFaultError`: we do; the database refused a statement that it never should.
- `LeaseLostError`: this worker stops; another one holds the run, or the run has ended.
"""

from repo_tools.errors import TransientError


class StoreUnavailableError(TransientError):
    """The database did not do what was asked, and may do it later."""


class StoreFaultError(Exception):
    """The database refused a statement of ours, which is a bug. Its text holds no value of a row."""


class LeaseLostError(Exception):
    """A write came with an epoch that is no longer the run's own; nothing was written."""

    def __init__(self, run_id: str, epoch: int) -> None:
        super().__init__(f"run {run_id} is no longer held under epoch {epoch}")
