"""The webhook's writes without waiting: SQLite's whole transaction costs less than handing it to a thread."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from workers.store.database import configure_sqlite
from workers.store.intake import Intake
from workers.store.values import CreatedRun, IssueSnapshot, NewDelivery, StopOrder


class WouldWaitError(Exception):
    """Nothing was written: somebody else writes just now, or something is wrong. `RunStore` itself would wait."""


class IntakeAtOnce:
    """Three of `RunStore`'s methods for one thread at a time, such as an event loop's, which must not wait."""

    def __init__(self, path: str, intake: Intake) -> None:
        # check_same_thread: who makes this may be another thread than the one that uses it.
        self._driver = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        configure_sqlite(self._driver)
        self._intake = intake

    def create_run_once(self, delivery: NewDelivery, issue: IssueSnapshot) -> CreatedRun:
        """WouldWaitError."""
        with self._writing():
            return self._intake.create_run_once(self._driver, delivery, issue)

    def record_ignored(self, delivery: NewDelivery, reason: str) -> None:
        """WouldWaitError."""
        with self._writing():
            self._intake.record_ignored(self._driver, delivery, reason)

    def stop_runs(self, delivery: NewDelivery, *orders: StopOrder) -> int:
        """WouldWaitError."""
        with self._writing():
            return self._intake.stop_runs(self._driver, delivery, orders)

    def close(self) -> None:
        self._driver.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self._driver.execute("BEGIN IMMEDIATE")
            yield
            self._driver.commit()
        except sqlite3.OperationalError:
            raise WouldWaitError from None
        finally:
            self._driver.rollback()  # of what was not committed
