"""What a worker wrote on GitHub after it had lost its run, and did not tidy up: twins of comments, another ending than
the one that was recorded."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile

from workers.github.errors import LATER
from workers.host import RunRequest, request_of
from workers.isolated import done
from workers.journal import intents_after_end
from workers.outcomes import Outcome
from workers.store import Run, RunStore

Remove = Callable[[RunRequest, Outcome], None]
"""`GitHubHost.remove_late`."""
WITHIN = timedelta(minutes=15)
"""So long after a run's end it is looked for: longer than any paused worker's request is under way."""
GIVEN_UP = timedelta(days=1)
"""Behind a run that nobody could look behind for so long nobody looks any more."""

log = logging.getLogger(__name__)


def ended_since(looked: datetime, now: datetime) -> datetime:
    """Which runs to look behind now, when all was well at the time of the last look: each has one after `WITHIN`."""
    return max(looked - WITHIN, now - GIVEN_UP)


def remove_late_twins(store: RunStore, remove: Remove, since: datetime, go_on: Callable[[], bool]) -> bool:
    """Have `remove` look at each run that ended since and that more than one worker held: one alone writes no twin.
    False where a run is left for a later look, because GitHub limits its installation or is away, or because `go_on`,
    which is asked before each, said no. StoreUnavailableError."""
    run_ids = store.changed_hands_since(since)
    looks = [_look_behind(store, run_id, remove) for run_id in takewhile(lambda _: go_on(), run_ids)]
    return sum(looks) == len(run_ids)


def _look_behind(store: RunStore, run_id: str, remove: Remove) -> bool:
    run = store.get(run_id)
    return run is None or (not store.is_paused(run.installation_id) and remove_behind(store, run, remove))


def remove_behind(store: RunStore, run: Run, remove: Remove) -> bool:
    """Have `remove` look at one run that has ended. What GitHub refuses is logged. False where GitHub has to be asked
    later; where it says when, the installation pauses until then. StoreUnavailableError."""
    if run.outcome is None or run.reason is None:
        return True
    request = replace(request_of(run), intents=intents_after_end(store, run.id))
    ended = Outcome(run.outcome, run.reason, run.detail or "", run.url, run.pull_request_url)
    try:
        done(f"looking behind run {run.id}", partial(_removed, remove, request, ended))
    except LATER as error:
        log.warning("run %s: what came too late could not be looked for: %s", run.id, error)
        if error.retry_after_seconds is not None:
            store.pause_installation(run.installation_id, error.retry_after_seconds)
        return False
    return True


def _removed(remove: Remove, request: RunRequest, ended: Outcome) -> bool:
    remove(request, ended)
    return True
