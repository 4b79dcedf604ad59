"""What the stand-in knows: accounts, repositories, issues, pull requests, tokens."""

import itertools
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from app.standins.github_repository import BareRepository

PERMISSIONS = {"contents": "write", "issues": "write", "metadata": "read", "pull_requests": "write"}


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True)
class Account:
    id: int
    login: str
    kind: str = "User"  # or "Bot", "Organization"


@dataclass(frozen=True)
class Event:
    """``labeled``, ``unlabeled``, ``closed``, ``reopened``; `label` for the first two."""

    id: int
    kind: str
    actor: Account
    label: str | None
    created_at: str = field(default_factory=now)


@dataclass
class Comment:
    id: int
    author: Account
    body: str
    created_at: str = field(default_factory=now)
    made: float = field(default_factory=time.monotonic)


@dataclass
class PullRequest:
    """The part of an issue that makes it a pull request."""

    head: str
    base: str
    head_sha: str
    base_sha: str
    draft: bool


@dataclass
class Issue:
    id: int
    number: int
    title: str
    body: str
    author: Account
    labels: list[str] = field(default_factory=list)
    state: str = "open"
    locked: bool = False
    moved_to: "tuple[Repository, int] | None" = None  # a transferred issue
    comments: list[Comment] = field(default_factory=list)
    reactions: dict[tuple[str, str], int] = field(default_factory=dict)  # (login, content) -> id
    events: list[Event] = field(default_factory=list)
    pull: PullRequest | None = None
    created_at: str = field(default_factory=now)
    made: float = field(default_factory=time.monotonic)

    @property
    def updated_at(self) -> str:
        """When something happened to it last."""
        events, comments = (e.created_at for e in self.events), (c.created_at for c in self.comments)
        return max(self.created_at, *events, *comments, "")


@dataclass
class Repository:
    id: int
    owner: Account
    name: str
    git: BareRepository
    private: bool = False
    archived: bool = False
    disabled: bool = False
    has_issues: bool = True
    has_pull_requests: bool = True
    drafts_allowed: bool = True
    default_branch: str = "main"
    installed: bool = True
    collaborators: dict[str, str] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"


@dataclass(frozen=True)
class Token:
    text: str
    repository_ids: frozenset[int]
    permissions: Mapping[str, str]


class State:
    """Everything, under one lock that each request and each call of the Python side holds."""

    def __init__(self, folder: Path, app_id: str, slug: str, public_key: str) -> None:
        self.folder = folder
        self.app_id = app_id
        self.slug = slug
        self.public_key = public_key
        self.installation_id = 4242
        self.suspended = False
        self.uninstalled = False
        self.read_lag_seconds = 0.0  # how long a list does not show what was just written
        self.permissions: dict[str, str] = dict(PERMISSIONS)
        self.events = ["issues"]
        self.lock = threading.RLock()
        self.accounts: dict[str, Account] = {}
        self.repositories: dict[int, Repository] = {}
        self.renamed: dict[str, int] = {}  # former full name -> id
        self.tokens: dict[str, Token] = {}
        self._ids = itertools.count(1001)
        self.bot = self.account(f"{slug}[bot]", "Bot")

    def new_id(self) -> int:
        return next(self._ids)

    def is_listed(self, made: float) -> bool:
        """Whether a list shows what was made then, on this process's monotonic clock."""
        return time.monotonic() - made >= self.read_lag_seconds

    def account(self, login: str, kind: str = "User") -> Account:
        return self.accounts.setdefault(login, Account(self.new_id(), login, kind))

    def repository(self, full_name: str) -> Repository:
        """KeyError where there is none of that name, now or formerly."""
        for repository in self.repositories.values():
            if repository.full_name.casefold() == full_name.casefold():
                return repository
        return self.repositories[self.renamed[full_name]]

    def add_issue(self, repository: Repository, title: str, body: str, author: Account) -> Issue:
        number = max(repository.issues, default=0) + 1
        issue = Issue(self.new_id(), number, title, body, author)
        repository.issues[number] = issue
        return issue
