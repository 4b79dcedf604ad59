"""The few calls on one repository, as typed methods."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self
from urllib.parse import quote

from workers.github.errors import NotFoundError, TokenScopeError
from workers.github.git_data import GitData
from workers.github.labellings import LabelEvent
from workers.github.rest import Rest


@dataclass(frozen=True)
class Repository:
    """A repository's state now. `has_pull_requests` is True where GitHub does not say."""

    id: int
    full_name: str
    default_branch: str
    archived: bool
    disabled: bool
    has_issues: bool
    has_pull_requests: bool

    @property
    def owner(self) -> str:
        return self.full_name.partition("/")[0]

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        return cls(
            value["id"],
            value["full_name"],
            value["default_branch"],
            value["archived"],
            value["disabled"],
            value["has_issues"],
            value.get("has_pull_requests", True),
        )


@dataclass(frozen=True)
class Issue:
    """`is_here` is False where it was transferred: GitHub then answers with what it became in another repository."""

    is_here: bool
    is_open: bool
    is_locked: bool
    labels: frozenset[str]  # casefolded: GitHub's label names differ by more than case


@dataclass(frozen=True)
class Comment:
    id: int
    body: str
    author: str
    url: str


@dataclass(frozen=True)
class PullRequest:
    """`head` is the commit that its branch points to, or pointed to when it was closed."""

    number: int
    url: str
    author: str
    body: str
    branch: str
    head: str
    is_open: bool


class RepositoryClient:
    """Calls with a token for this repository alone. Its name is asked for, so that a renamed one is followed."""

    def __init__(self, rest: Rest, repository_id: int) -> None:
        self._rest = rest
        self.repository = _only(rest.get("/installation/repositories", per_page=2), repository_id)
        self._path = f"/repos/{self.repository.full_name}"
        self.git = GitData(rest, self._path)

    def permission(self, login: str) -> str:
        """``admin``, ``write`` (maintain too), ``read`` (triage too) or ``none``."""
        try:
            answer = self._rest.get(f"{self._path}/collaborators/{quote(login, safe='')}/permission")
        except NotFoundError:
            return "none"
        return str(answer["permission"])

    def issue(self, number: int) -> Issue:
        value = self._rest.get(f"{self._path}/issues/{number}")
        names = (label if isinstance(label, str) else label["name"] or "" for label in value["labels"])
        return Issue(
            value["number"] == number and value["repository_url"].endswith(self._path),
            value["state"] == "open",
            value["locked"],
            frozenset(name.casefold() for name in names),
        )

    def label_events(self, number: int) -> Iterator[LabelEvent]:
        return label_events(self._rest, self.repository, number)

    def react(self, number: int) -> None:
        """With 👀. GitHub answers 200 instead of 201 where the reaction is already there."""
        self._rest.post(f"{self._path}/issues/{number}/reactions", {"content": "eyes"})

    def comments(self, number: int, since: datetime) -> Iterator[Comment]:
        """Comments changed at or after `since`, oldest first."""
        path = f"{self._path}/issues/{number}/comments"
        for value in self._rest.pages(path, since=since.strftime("%Y-%m-%dT%H:%M:%SZ")):
            yield _comment(value)

    def create_comment(self, number: int, body: str) -> Comment:
        return _comment(self._rest.post(f"{self._path}/issues/{number}/comments", {"body": body}))

    def delete_comment(self, comment_id: int) -> None:
        self._rest.delete(f"{self._path}/issues/comments/{comment_id}")

    def pull_requests_from(self, branch: str) -> list[PullRequest]:
        """Those from a branch of this repository, whoever opened them, oldest first, open or not."""
        head = f"{self.repository.owner}:{branch}"
        found = self._rest.pages(f"{self._path}/pulls", head=head, state="all", sort="created", direction="asc")
        return [_pull_request(value) for value in found]

    def create_pull_request(self, title: str, body: str, head: str, base: str, *, draft: bool) -> PullRequest:
        content = {"title": title, "body": body, "head": head, "base": base, "draft": draft}
        return _pull_request(self._rest.post(f"{self._path}/pulls", content))

    def close_pull_request(self, number: int) -> None:
        self._rest.patch(f"{self._path}/pulls/{number}", {"state": "closed"})


def _only(answer: dict[str, Any], repository_id: int) -> Repository:
    values = answer["repositories"]
    if not values:
        raise NotFoundError("GET /installation/repositories", 200, "the repository is no longer in the installation")
    if [value["id"] for value in values] != [repository_id]:
        raise TokenScopeError("GET /installation/repositories", 200, "the token is not for the one repository alone")
    return Repository.from_json(values[0])


def label_events(rest: Rest, repository: Repository, number: int) -> Iterator[LabelEvent]:
    """When which label was put on and taken off, oldest first."""
    values = rest.pages(f"/repos/{repository.full_name}/issues/{number}/events")
    return (_label_event(value) for value in values if value["event"] in ("labeled", "unlabeled"))


def _label_event(value: dict[str, Any]) -> LabelEvent:
    actor = value.get("actor") or {}  # a deleted account is none
    at = datetime.fromisoformat(value["created_at"])
    label = (value.get("label") or {}).get("name") or ""
    return LabelEvent(value["id"], value["event"], label, actor.get("login", ""), actor.get("type", ""), at)


def _comment(value: dict[str, Any]) -> Comment:
    return Comment(value["id"], value.get("body") or "", _login(value), value["html_url"])


def _pull_request(value: dict[str, Any]) -> PullRequest:
    return PullRequest(
        value["number"],
        value["html_url"],
        _login(value),
        value.get("body") or "",
        value["head"]["ref"],
        value["head"]["sha"],
        value["state"] == "open",
    )


def _login(value: dict[str, Any]) -> str:
    return str((value.get("user") or {}).get("login", ""))  # a deleted account has no user
