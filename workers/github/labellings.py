"""Which labelling an issue has: the `labeled` events of our label, as GitHub keeps them. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from workers.triggers import same_label

DOUBLED_WITHIN = timedelta(minutes=1)
"""An action that is tried again puts the label on twice, a second apart, and nobody took it off in between."""
MAY_BE_OLDER = timedelta(minutes=1)
"""By how much GitHub's time of the event may lie before that of the issue which was delivered with it."""


@dataclass(frozen=True)
class LabelEvent:
    """``labeled`` or ``unlabeled``. The actor is empty where the account is gone."""

    id: int
    kind: str
    label: str
    actor: str
    actor_type: str
    at: datetime


def last_labelling(events: Iterable[LabelEvent], label: str) -> LabelEvent | None:
    """The event that put `label` on last, `events` being in their order; None where it is off."""
    last: LabelEvent | None = None
    for event in events:
        if not same_label(event.label, label):
            continue
        if event.kind == "unlabeled":
            last = None
        elif last is None or event.at - last.at > DOUBLED_WITHIN:
            last = event
    return last


def is_of(event: LabelEvent, labelled_at: datetime | None) -> bool:
    """Whether a run that was labelled then may be this event's: an older one means that GitHub does not list the
    newest yet."""
    return labelled_at is None or event.at >= labelled_at - MAY_BE_OLDER
