"""Comments that a worker wrote after it had lost its run, and died before it could tidy up: the oldest stays."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from workers.carry_out import request_of
from workers.github.errors import GitHubError
from workers.host import RunRequest
from workers.store import RunStore

WITHIN = timedelta(minutes=15)
"""So long after a run's end its twins are looked for: longer than any paused worker's request is under way."""
_AT_MOST = 200

log = logging.getLogger(__name__)


def remove_late_twins(store: RunStore, remove: Callable[[RunRequest], None], now: datetime) -> list[str]:
    """Have `remove` (`GitHubHost.remove_twins`) look at each run that more than one worker held and that ended lately;
    their ids. What GitHub refuses is logged, and the next one looked at. StoreUnavailableError."""
    held_by_several = store.ended_since(now - WITHIN, more_claims_than=1, limit=_AT_MOST)  # one alone writes no twin
    looked_at = [run for run in held_by_several if run.installation_id]
    for run in looked_at:
        try:
            remove(request_of(run))
        except GitHubError as error:
            log.warning("run %s: twins of its comments could not be looked for: %s", run.id, error)
    return [run.id for run in looked_at]
