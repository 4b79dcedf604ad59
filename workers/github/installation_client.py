"""What the sweep reads of an installation: its repositories, and their issues that carry a label."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workers.github.client import Repository, label_events
from workers.github.labellings import LabelEvent
from workers.github.readable import readable
from workers.github.rest import Rest


@dataclass(frozen=True)
class LabelledIssue:
    number: int
    title: str
    body: str
    is_pull_request: bool


class InstallationClient:
    """Calls with a token that may read issues of all repositories of one installation, and nothing else."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest

    def repositories(self) -> Iterator[Repository]:
        values = self._rest.pages("/installation/repositories", items_in="repositories")
        return readable("a repository", values, Repository.from_json)

    def labelled_issues(self, repository: Repository, label: str, since: datetime) -> Iterator[LabelledIssue]:
        """Open ones that were touched since, oldest first; pull requests too, which GitHub lists as issues."""
        path, moment = f"/repos/{repository.full_name}/issues", since.strftime("%Y-%m-%dT%H:%M:%SZ")
        values = self._rest.pages(path, labels=label, state="open", since=moment, direction="asc")
        return readable(f"an issue of {repository.full_name}", values, _issue)

    def label_events(self, repository: Repository, number: int) -> Iterator[LabelEvent]:
        return label_events(self._rest, repository, number)


def _issue(value: dict[str, Any]) -> LabelledIssue:
    return LabelledIssue(value["number"], value["title"], value["body"] or "", "pull_request" in value)
