"""Open issues whose labelling has no run, whatever became of its delivery: they get the run that the webhook would
have made."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from math import inf

from workers.github.client import Repository
from workers.github.installation_client import InstallationClient, LabelledIssue
from workers.github.labellings import LabelEvent, last_labelling
from workers.isolated import done
from workers.store import IssueSnapshot, NewDelivery, RunStore
from workers.triggers import MAX_TEXT, Ignore, Labelled, decide

LARGE, SECONDS_FOR_EACH = 80, 3.6
"""An installation of more repositories is left alone for so long for each of them: 1,000 requests an hour at most."""


@dataclass(frozen=True)
class Sweep:
    """`since`: older labels are left alone. `go_on` is asked before each repository and each issue; False ends the
    sweep. A repository or an issue that GitHub refuses, or that is odd, keeps no other one from its turn.
    `rested_seconds`: how long ago the last sweep began."""

    store: RunStore
    label: str
    allowed_bots: frozenset[str]
    since: datetime
    go_on: Callable[[], bool]
    rested_seconds: float = inf

    def installation(self, client: InstallationClient, installation_id: int) -> bool:
        """Whether all was looked at and nothing is left for the next time. GitHubError, StoreUnavailableError."""
        complete = True
        repositories = list(client.repositories())
        if len(repositories) > LARGE and self.rested_seconds < len(repositories) * SECONDS_FOR_EACH:
            return False
        for repository in repositories:
            if repository.archived or repository.disabled or not repository.has_issues:
                continue
            if not self.go_on():
                return False
            look = partial(self._repository, client, installation_id, repository)
            complete &= done(f"repository {repository.full_name}", look)
        return complete

    def _repository(self, client: InstallationClient, installation_id: int, repository: Repository) -> bool:
        complete = True
        for issue in client.labelled_issues(repository, self.label, self.since):
            if not self.go_on():
                return False
            look = partial(self._look_at, client, installation_id, repository, issue)
            complete &= done(f"issue {repository.full_name}#{issue.number}", look)
        return complete

    def _look_at(
        self, client: InstallationClient, installation_id: int, repository: Repository, issue: LabelledIssue
    ) -> bool:
        """False where the issue has to be looked at again."""
        if issue.is_pull_request:
            return True
        event = last_labelling(client.label_events(repository, issue.number), self.label)
        if event is None or event.at < self.since:
            return True
        if self.store.had_run(repository.id, issue.number, event.id, event.at):
            return True
        if self.store.is_under_way(repository.id, issue.number):
            return False
        self._start(_labelled(installation_id, repository, issue, event), event)
        return True

    def _start(self, labelled: Labelled, event: LabelEvent) -> None:
        decision = decide(labelled, self.label, self.allowed_bots)
        if isinstance(decision, Ignore):
            return
        issue = decision.issue
        delivery = NewDelivery(f"sweep-{issue.repository_id}-{issue.issue_number}-{event.id}", "sweep", "labeled")
        self.store.create_run_once(delivery, issue, event.id)


def _labelled(installation_id: int, repository: Repository, issue: LabelledIssue, event: LabelEvent) -> Labelled:
    snapshot = IssueSnapshot(
        installation_id=installation_id,
        repository_id=repository.id,
        repository=repository.full_name,
        issue_number=issue.number,
        title=issue.title[:MAX_TEXT],
        body=issue.body[:MAX_TEXT],
        sender=event.actor,
        labelled_at=event.at,
    )
    return Labelled(event.label, True, issue.is_pull_request, event.actor_type, snapshot)
