"""Looks for what GitHub told in vain: deliveries that failed, and labels that no delivery told of. Either way alone
finds all that was missed while the receiver was down.

A program of its own, `python -m workers.patrol`, which companions start: one at a time does it, whoever takes the row.
Limits of GitHub end a round, and the next one goes on from the same mark.
"""

import logging
import os
import platform
import random
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from githubkit import TokenAuthStrategy

from repo_tools.errors import TransientError
from workers.github.app_auth import AppCredentials, InstallationTokens, load_credentials
from workers.github.app_client import AppClient
from workers.github.errors import GitHubError, GitHubUnavailableError
from workers.github.host import make_github_host
from workers.github.installation_client import InstallationClient
from workers.github.rest import Connection
from workers.redelivery import redeliver_missed
from workers.settings import WorkerSettings, load_settings
from workers.store import Chore, RunStore, open_store
from workers.store.chores import PATROL
from workers.sweep import Sweep
from workers.twins import Remove, remove_late_twins

OLDEST = timedelta(days=7)
"""Labels that are older are left alone, also those that were there before the App was."""
KEPT_BY_GITHUB = timedelta(days=3)
OVERLAP = timedelta(minutes=10)
"""For clocks that differ, and deliveries that fail again."""
HOLD_SECONDS = 120.0
PAUSE_SECONDS = 0.1
DELIVERED, SWEPT = "delivered", "swept"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Patrol:
    """One round after another for the installations of one App."""

    store: RunStore
    connection: Connection
    credentials: AppCredentials
    label: str
    allowed_bots: frozenset[str]
    every_seconds: float
    remove_late: Remove = lambda _run, _ended: None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], None] = time.sleep

    def round(self, holder: str) -> bool:
        """False where it is not time, or another worker is at it. StoreUnavailableError."""
        chore = self.store.take_chore(PATROL, holder, HOLD_SECONDS)
        if chore is None:
            return False
        mark, started = dict(chore.mark), self.now().isoformat()
        if self._done(lambda: self._redeliver(_since(chore, DELIVERED, self.now() - KEPT_BY_GITHUB))):
            mark[DELIVERED] = started
        if self._done(lambda: self._sweep(chore, _since(chore, SWEPT, self.now() - OLDEST))):
            mark[SWEPT] = started
        self._done(self._remove_twins)
        spread = random.uniform(0.8, 1.2)  # noqa: S311 - only so that installations do not march in step
        self.store.give_back_chore(chore, mark, self.every_seconds * spread)
        return True

    def _done(self, part: Callable[[], bool]) -> bool:
        """What GitHub refuses is said, and tried again in the next round."""
        try:
            return part()
        except GitHubError as error:
            log.warning("the patrol stopped: %s", error)
            return False

    def _redeliver(self, since: datetime) -> bool:
        with self.connection.open(self.credentials.strategy) as rest:
            redeliver_missed(AppClient(rest), self.store, since)
        return True

    def _remove_twins(self) -> bool:
        remove_late_twins(self.store, self.remove_late, self.now())
        return True

    def _sweep(self, chore: Chore, since: datetime) -> bool:
        """Whether nothing is left for the next time."""
        tokens = InstallationTokens(self.connection, self.credentials)
        sweep = Sweep(self.store, self.label, self.allowed_bots, since, lambda: self._go_on(chore))
        with self.connection.open(self.credentials.strategy) as rest:
            installations = list(AppClient(rest).installations())
        parts = [partial(self._sweep_one, tokens, sweep, one) for one in installations]
        return False not in [self._done(part) for part in parts]  # each of them, whatever became of the one before

    def _sweep_one(self, tokens: InstallationTokens, sweep: Sweep, installation_id: int) -> bool:
        if self.store.is_paused(installation_id):
            return False
        token = tokens.reading_token(installation_id)
        try:
            with self.connection.open(TokenAuthStrategy(token)) as rest:
                return sweep.installation(InstallationClient(rest), installation_id)
        except GitHubUnavailableError as error:
            if error.retry_after_seconds is not None:
                self.store.pause_installation(installation_id, error.retry_after_seconds)
            raise

    def _go_on(self, chore: Chore) -> bool:
        self.sleep(PAUSE_SECONDS)
        return self.store.hold_chore(chore, HOLD_SECONDS)


def _since(chore: Chore, name: str, at_least: datetime) -> datetime:
    known = chore.mark.get(name)
    return at_least if known is None else max(at_least, datetime.fromisoformat(known) - OVERLAP)


def make_patrol(settings: WorkerSettings, store: RunStore) -> Patrol:
    """ConfigError where the App's id or key is missing or wrong."""
    return Patrol(
        store,
        Connection(settings.github_api_url),
        load_credentials(settings),
        settings.label,
        settings.allowed_bots,
        settings.patrol_seconds,
        make_github_host(settings).remove_late,
    )


def patrol_argv(settings: WorkerSettings) -> tuple[str, ...]:
    """The program, whose environment is the worker's; empty where there is no App."""
    # -P: nothing is imported from the folder that the worker was started in.
    return (sys.executable, "-P", "-m", "workers.patrol") if settings.github_app_id else ()


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    settings = load_settings(WorkerSettings)
    with closing(open_store(settings.effective_database_url)) as store:
        try:
            make_patrol(settings, store).round(f"{platform.node()}-{os.getpid()}")
        except TransientError as error:
            log.warning("the patrol stopped: %s", error)


if __name__ == "__main__":
    main()
