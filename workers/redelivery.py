"""Deliveries that the receiver missed are asked for again: GitHub repeats none by itself."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from datetime import datetime
from itertools import takewhile

from workers.github.app_client import AppClient, SentDelivery
from workers.isolated import done
from workers.store import RunStore

OURS = {
    "issues": frozenset({"labeled", "unlabeled", "closed", "deleted", "locked", "transferred"}),
    "repository": frozenset({"archived", "deleted", "transferred"}),
    "installation": frozenset({"deleted", "suspend"}),
    "installation_repositories": frozenset({"removed"}),
}
"""What can start or stop a run."""
MAX_REFUSALS = 5
"""Of one delivery: one that our receiver refuses each time is not asked for without end. An outage is waited for."""
_AT_ONCE = 500  # ids in one question to the database

log = logging.getLogger(__name__)


def redeliver_missed(
    app: AppClient, store: RunStore, since: datetime, kept_since: datetime, go_on: Callable[[], bool]
) -> bool:
    """Whether all that failed since then was asked for again; refusals are counted from `kept_since` on. `go_on` is
    called before each one; False ends it. GitHubError, StoreUnavailableError."""
    failed = list(app.failed_deliveries(since))
    guids = sorted({sent.guid for sent in failed})
    processed: set[str] = set()
    for start in range(0, len(guids), _AT_ONCE):
        processed |= store.processed(guids[start : start + _AT_ONCE])
    again = any(one.refused for one in failed)  # then it is worth looking further back
    missed = missed_deliveries(failed, processed, refusals(app.failed_deliveries(kept_since) if again else ()))
    asked = [_asked_for(app, number) for number in takewhile(lambda _: go_on(), missed)]
    if missed:
        log.info("%d of %d deliveries that failed were asked for again", sum(asked), len(missed))
    return sum(asked) == len(missed)


def _asked_for(app: AppClient, delivery_id: int) -> bool:
    def ask() -> bool:
        app.redeliver(delivery_id)
        return True

    return done(f"delivery {delivery_id}", ask)


def refusals(failed: Iterable[SentDelivery]) -> Mapping[str, int]:
    """How often each delivery was refused."""
    return Counter(one.guid for one in failed if one.refused)


def missed_deliveries(failed: Iterable[SentDelivery], processed: Set[str], refused: Mapping[str, int]) -> list[int]:
    """The newest attempt at each delivery of ours that nobody acted on, oldest first; `failed` is newest first."""
    newest: dict[str, int] = {}
    for one in failed:
        if one.action in OURS.get(one.event, ()) and one.guid not in processed:
            newest.setdefault(one.guid, one.id)
    return [number for guid, number in reversed(newest.items()) if refused.get(guid, 0) < MAX_REFUSALS]
