"""What a delivery asks for. Pure: an event and the operator's wishes in, a decision out."""

from collections.abc import Set
from datetime import datetime

from app.payload import InstallationChange, IssueChange, IssueLabeled, RepositoryChange
from workers.store import IssueSnapshot, StopOrder, StopScope
from workers.triggers import MAX_TEXT, Decision, Ignore, Labelled, same_label
from workers.triggers import decide as decide_label

ISSUE_WORDS = {
    "closed": "The issue was closed.",
    "deleted": "The issue was deleted.",
    "locked": "The issue was locked.",
    "transferred": "The issue was transferred.",
}
REPOSITORY_WORDS = {
    "archived": "The repository was archived.",
    "deleted": "The repository was deleted.",
    "transferred": "The repository was transferred.",
}
INSTALLATION_WORDS = {"deleted": "The App was uninstalled.", "suspend": "The App was suspended."}
REMOVED = "The App was taken off the repository."


def ignore_event(event: str, action: str | None) -> Ignore:
    """The answer to every event that neither starts nor stops anything."""
    return Ignore("ping" if event == "ping" else f"event {event}{'.' + action if action else ''} starts nothing")


def decide(event: IssueLabeled, label: str, allowed_bots: Set[str]) -> Decision:
    """Start, or why not (`workers.triggers.decide`)."""
    issue = event.issue
    labelled = Labelled(
        event.label.name, issue.state == "open", issue.pull_request is not None, event.sender.type, _snapshot(event)
    )
    return decide_label(labelled, label, allowed_bots)


def stop_orders(event: IssueChange | RepositoryChange | InstallationChange, label: str) -> list[StopOrder]:
    """Whose runs are no longer wanted after `event`; often nobody's. Each bears GitHub's time, so that a delivery which
    comes late stops nothing newer. Where GitHub gives one from before the event, the worker still finds it out."""
    match event:
        case IssueChange():
            return _issue_orders(event, label)
        case RepositoryChange(repository=repository):
            return [_of_repository(repository.id, REPOSITORY_WORDS[event.action], repository.updated_at)]
        case InstallationChange(action="removed"):
            at = event.installation.updated_at
            return [_of_repository(repository.id, REMOVED, at) for repository in event.repositories_removed]
    installation, why = event.installation, INSTALLATION_WORDS[event.action]
    at = installation.suspended_at or installation.updated_at
    return [StopOrder(StopScope.INSTALLATION, why, installation_id=installation.id, at=at)]


def _of_repository(repository_id: int, why: str, at: datetime | None) -> StopOrder:
    return StopOrder(StopScope.REPOSITORY, why, repository_id=repository_id, at=at)


def _issue_orders(event: IssueChange, label: str) -> list[StopOrder]:
    label_off = event.action == "unlabeled"
    if label_off and not (event.label and same_label(event.label.name, label)):
        return []
    why = "The label was taken off." if label_off else ISSUE_WORDS[event.action]
    issue, place = event.issue, event.repository.id
    return [StopOrder(StopScope.ISSUE, why, 0, place, issue.number, at=issue.updated_at, label_off=label_off)]


def _snapshot(event: IssueLabeled) -> IssueSnapshot:
    return IssueSnapshot(
        installation_id=event.installation.id if event.installation else 0,
        repository_id=event.repository.id,
        repository=event.repository.full_name,
        issue_number=event.issue.number,
        title=event.issue.title[:MAX_TEXT],
        body=(event.issue.body or "")[:MAX_TEXT],
        sender=event.sender.login,
        labelled_at=event.issue.updated_at,
    )
