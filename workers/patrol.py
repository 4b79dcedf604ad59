"""Looks for what GitHub told in vain: deliveries that failed, and labels that no delivery told of. Either way alone
finds all that was missed while the receiver was down.

A program of its own, `python -m workers.patrol`, which companions start: one at a time does it, whoever takes the row.
Limits of GitHub end a part of a round, and the next one goes on from the same mark. What GitHub refuses and what is odd
ends nothing but itself.
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
from math import inf

from githubkit import TokenAuthStrategy

from repo_tools.errors import TransientError
from workers.github.app_auth import AppCredentials, InstallationTokens, load_credentials
from workers.github.app_client import KEPT, AppClient
from workers.github.errors import LATER
from workers.github.host import make_github_host
from workers.github.installation_client import InstallationClient
from workers.github.rest import Connection
from workers.isolated import done
from workers.load_settings import load_settings
from workers.log import configure_log
from workers.redelivery import redeliver_missed
from workers.settings import WorkerSettings
from workers.store import Chore, RunStore, open_store
from workers.store.chores import PATROL
from workers.sweep import Sweep
from workers.twins import Remove, ended_since, remove_late_twins

OLDEST = timedelta(days=7)
"""Labels that are older are left alone, also those that were there before the App was."""
OVERLAP = timedelta(minutes=10)
"""For clocks that differ, and deliveries that fail again."""
HOLD_SECONDS = 120.0
PAUSE_SECONDS = 0.1
DELIVERED, SWEPT, TRIED, LOOKED, YIELDED = "delivered", "swept", "tried", "looked", "yielded"

log = logging.getLogger("workers.patrol")  # its own name is another one, as it is a program


@dataclass
class _Round:
    """`silence_seconds`: so long GitHub wants to hear nothing of the App itself, whose limit no installation shares.
    `redelivers`: deliveries were asked for again in it."""

    chore: Chore
    silence_seconds: float = 0.0
    redelivers: bool = False


@dataclass(frozen=True)
class Patrol:
    """One round after another for the installations of one App. `deliveries_first`: the sweep leaves a round out where
    deliveries are sent again, since these have the text of an issue as it was labelled; but they may never come."""

    store: RunStore
    connection: Connection
    credentials: AppCredentials
    label: str
    allowed_bots: frozenset[str]
    every_seconds: float
    remove_late: Remove = lambda _run, _ended: None
    deliveries_first: bool = True
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], None] = time.sleep

    def round(self, holder: str) -> bool:
        """False where it is not time, or another worker is at it. StoreUnavailableError."""
        chore = self.store.take_chore(PATROL, holder, HOLD_SECONDS)
        if chore is None:
            return False
        mark, started, this = dict(chore.mark), self.now().isoformat(), _Round(chore)
        yielded = mark.pop(YIELDED, False)
        if self._done(this, "asking for deliveries", partial(self._redeliver, this)):
            mark[DELIVERED] = started
        mark[SWEPT] = swept = _by_installation(chore.mark.get(SWEPT))
        mark[TRIED] = tried = _by_installation(chore.mark.get(TRIED))
        if self.deliveries_first and this.redelivers and not yielded:
            mark[YIELDED] = True
        else:
            self._done(this, "the sweep", partial(self._sweep, this, swept, tried, started))
        looking = self.store.time()
        looked = mark.setdefault(LOOKED, looking.isoformat())
        if self._done(this, "looking for twins", partial(self._remove_twins, chore, looked, looking)):
            mark[LOOKED] = looking.isoformat()
        spread = random.uniform(0.8, 1.2)  # noqa: S311 - only so that installations do not march in step
        self.store.give_back_chore(chore, mark, max(self.every_seconds * spread, this.silence_seconds))
        return True

    def _done(self, this: _Round, what: str, part: Callable[[], bool]) -> bool:
        """Whether it was; if not, it is tried again in the next round, and the parts after it have their turn."""
        try:
            return done(what, part)
        except LATER as error:
            log.warning("%s stopped: %s", what, error)
            this.silence_seconds = max(this.silence_seconds, error.retry_after_seconds or 0.0)
            return False

    def _redeliver(self, this: _Round) -> bool:
        kept_since = self.now() - KEPT
        since = _since(this.chore.mark.get(DELIVERED), kept_since)

        def go_on() -> bool:
            this.redelivers = True
            return self._go_on(this.chore)

        with self.connection.open(self.credentials.strategy) as rest:
            return redeliver_missed(AppClient(rest), self.store, since, kept_since, go_on)

    def _remove_twins(self, chore: Chore, looked: str, now: datetime) -> bool:
        since = ended_since(datetime.fromisoformat(looked), now)
        return remove_late_twins(self.store, self.remove_late, since, partial(self._go_on, chore))

    def _sweep(self, this: _Round, swept: dict[str, str], tried: dict[str, str], started: str) -> bool:
        """Each installation from its own mark in `swept`, so that one which refuses keeps no other one back. `tried`:
        when its repositories were last looked at, were it in vain."""
        tokens = InstallationTokens(self.connection, self.credentials)
        with self.connection.open(self.credentials.strategy) as rest:
            installations = list(AppClient(rest).installations())
        for mark in (swept, tried):
            for gone in mark.keys() - {str(number) for number in installations}:
                del mark[gone]
        for number in installations:
            if not self._go_on(this.chore):
                return False
            last, now = tried.get(str(number)), self.now()
            rested = inf if last is None else (now - datetime.fromisoformat(last)).total_seconds()
            since = _since(swept.get(str(number)), now - OLDEST)

            def go_on(number: int = number) -> bool:
                tried[str(number)] = started
                return self._go_on(this.chore)

            sweep = Sweep(self.store, self.label, self.allowed_bots, since, go_on, rested)
            look = partial(self._sweep_one, tokens, sweep, number)
            if self._done(this, f"the sweep of installation {number}", look):
                swept[str(number)] = started
        return True

    def _sweep_one(self, tokens: InstallationTokens, sweep: Sweep, installation_id: int) -> bool:
        if self.store.is_paused(installation_id):
            return False
        token = tokens.reading_token(installation_id)
        try:
            with self.connection.open(TokenAuthStrategy(token)) as rest:
                return sweep.installation(InstallationClient(rest), installation_id)
        except LATER as error:
            log.warning("the sweep of installation %d stopped: %s", installation_id, error)
            if error.retry_after_seconds is not None:
                self.store.pause_installation(installation_id, error.retry_after_seconds)
            return False

    def _go_on(self, chore: Chore) -> bool:
        """Between any two things that are done: what is left is not for us once another patrol has the chore."""
        self.sleep(PAUSE_SECONDS)
        return self.store.hold_chore(chore, HOLD_SECONDS)


def _since(known: str | None, at_least: datetime) -> datetime:
    return at_least if known is None else max(at_least, datetime.fromisoformat(known) - OVERLAP)


def _by_installation(known: object) -> dict[str, str]:
    """Anything else was written when there was one mark for all."""
    return dict(known) if isinstance(known, dict) else {}


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
    configure_log()
    settings = load_settings(WorkerSettings)
    with closing(open_store(settings.effective_database_url)) as store:
        try:
            make_patrol(settings, store).round(f"{platform.node()}-{os.getpid()}")
        except TransientError as error:
            log.warning("the patrol stopped: %s", error)


if __name__ == "__main__":
    main()
