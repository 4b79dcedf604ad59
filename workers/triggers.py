"""Which labels start a run, whoever tells of them: a delivery, or a look at the issue. Pure."""

from collections.abc import Set
from dataclasses import dataclass

from workers.store import IssueSnapshot

WEBHOOK_PATH = "/webhooks/github"
"""Where deliveries are received."""
MAX_TEXT = 65_536  # characters; GitHub's own limit for the text of an issue


@dataclass(frozen=True)
class Labelled:
    """A label was put on an issue. `issue.installation_id` is 0 where another webhook than the App's told of it."""

    label: str
    is_open: bool
    is_pull_request: bool
    sender_type: str  # ``User``, ``Bot``, ...
    issue: IssueSnapshot


@dataclass(frozen=True)
class Start:
    """A run begins, with the issue as it was when the label was put on."""

    issue: IssueSnapshot


@dataclass(frozen=True)
class Ignore:
    """Nothing to do; the reason is shown to whoever reads GitHub's list of deliveries."""

    reason: str


Decision = Start | Ignore


def decide(event: Labelled, label: str, allowed_bots: Set[str]) -> Decision:
    """Start for our label, put on an open issue by a person or by one of `allowed_bots` (logins in lower case).

    The label of the event decides, never the issue's labels: several may be put on at once.
    """
    if not same_label(event.label, label):
        return Ignore("another label")
    if event.is_pull_request:
        return Ignore("a pull request, not an issue")
    if not event.is_open:
        return Ignore("the issue is not open")
    if event.sender_type != "User" and event.issue.sender.lower() not in allowed_bots:
        return Ignore("the label was not put on by a person or an allowed bot")
    if event.issue.installation_id == 0:
        return Ignore("no installation: sent by a webhook that is not the App's")
    return Start(event.issue)


def same_label(name: str, configured: str) -> bool:
    """GitHub's label names ignore the case of ASCII letters. Only of these: a look-alike letter is another label."""
    return name.encode().lower() == configured.encode().lower()
