"""Which deliveries start a run. Pure: an event and the operator's wishes in, a decision out."""

from collections.abc import Set
from dataclasses import dataclass

from app.payload import IssueLabeled, Sender
from workers.store import IssueSnapshot

MAX_TEXT = 65_536  # characters; GitHub's own limit for the text of an issue


@dataclass(frozen=True)
class Start:
    """A run begins, with the issue as it was when the label was put on."""

    issue: IssueSnapshot


@dataclass(frozen=True)
class Ignore:
    """Nothing to do; the reason is shown to whoever reads GitHub's list of deliveries."""

    reason: str


Decision = Start | Ignore


def ignore_event(event: str, action: str | None) -> Ignore:
    """The answer to every event but `issues.labeled`."""
    return Ignore("ping" if event == "ping" else f"event {event}{'.' + action if action else ''} starts nothing")


def decide(event: IssueLabeled, label: str, allowed_bots: Set[str]) -> Decision:
    """Start for our label, put on an open issue by a person or by one of `allowed_bots` (logins in lower case).

    The label of the event decides, never the issue's labels: several may be put on at once.
    """
    if not same_label(event.label.name, label):
        return Ignore("another label")
    if event.issue.pull_request is not None:
        return Ignore("a pull request, not an issue")
    if event.issue.state != "open":
        return Ignore("the issue is not open")
    if not _may_start(event.sender, allowed_bots):
        return Ignore("the label was not put on by a person or an allowed bot")
    if event.installation is None:
        return Ignore("no installation: sent by a webhook that is not the App's")
    return Start(_snapshot(event, event.installation.id))


def same_label(name: str, configured: str) -> bool:
    """GitHub's label names ignore the case of ASCII letters. Only of these: a look-alike letter is another label."""
    return name.encode().lower() == configured.encode().lower()


def _may_start(sender: Sender, allowed_bots: Set[str]) -> bool:
    return sender.type == "User" or sender.login.lower() in allowed_bots


def _snapshot(event: IssueLabeled, installation_id: int) -> IssueSnapshot:
    return IssueSnapshot(
        installation_id=installation_id,
        repository_id=event.repository.id,
        repository=event.repository.full_name,
        issue_number=event.issue.number,
        title=event.issue.title[:MAX_TEXT],
        body=(event.issue.body or "")[:MAX_TEXT],
        sender=event.sender.login,
        labelled_at=event.issue.updated_at,
    )
