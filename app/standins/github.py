"""A local GitHub: REST API, git over HTTP, pages, webhooks.

with GitHubStandIn() as github:
    github.create_repository("acme/calc", {"calc.py": b"..."})
    number = github.open_issue("acme/calc", "Wrong sum", "...")
    github.webhook_url = "http://127.0.0.1:8000/webhooks/github"
    github.label_issue("acme/calc", number, "agent-fix", "maintainer")
"""

import socket
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Self

import uvicorn
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from app.standins.git_http import GitHttp
from app.standins.github_app_api import AppApi
from app.standins.github_faults import Faults
from app.standins.github_git_api import GitApi
from app.standins.github_issues_api import IssuesApi
from app.standins.github_json import Shapes
from app.standins.github_limits import RateLimits
from app.standins.github_pages import Pages
from app.standins.github_pulls_api import PullsApi
from app.standins.github_repository import BareRepository
from app.standins.github_state import Comment, Event, Issue, Repository, State
from app.standins.github_webhooks import Delivery, Hook, issue_payload

API_PATH = "/api/v3"  # as on Enterprise Server


class GitHubStandIn:
    """Listens on loopback from `__enter__` to `__exit__`. `state` is for tests that need what no method gives."""

    def __init__(self, folder: Path | None = None) -> None:
        self._own_folder = tempfile.TemporaryDirectory() if folder is None else None
        root = Path(self._own_folder.name) if self._own_folder else Path(folder or "")
        key = _app_key()
        self.app_id = "31337"
        self.private_key_pem = _private_pem(key)
        self.state = State(root, self.app_id, "agent-fix-local", _public_pem(key))
        self.hook = Hook(self.state.new_id)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.server_url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.api_url = self.server_url + API_PATH
        self._shapes = Shapes(self.state, self.api_url, self.server_url)
        self.limits = RateLimits(self._app())
        self.faults = Faults(self.limits)
        self._server = uvicorn.Server(uvicorn.Config(self.faults, log_level="critical", lifespan="off"))
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=10)
        self._socket.close()
        if self._own_folder:
            self._own_folder.cleanup()

    @property
    def webhook_url(self) -> str | None:
        """Where deliveries are posted; None while there are none."""
        return self.hook.url

    @webhook_url.setter
    def webhook_url(self, url: str | None) -> None:
        self.hook.url = url

    @property
    def webhook_secret(self) -> str:
        return self.hook.secret

    def create_repository(
        self,
        full_name: str,
        files: Mapping[str, bytes],
        *,
        private: bool = False,
        executable: Sequence[str] = (),
    ) -> Repository:
        """With one commit that holds `files`; empty where there are none."""
        owner, _, name = full_name.partition("/")
        with self.state.lock:
            number = self.state.new_id()
            git = BareRepository.create(self.state.folder / f"{number}.git")
            repository = Repository(number, self.state.account(owner), name, git, private)
            repository.collaborators[owner] = "admin"
            self.state.repositories[number] = repository
            if files:
                git.commit_files("main", files, "First commit\n", executable)
        return repository

    def rename_repository(self, full_name: str, name: str) -> None:
        """The former name goes on leading to it, as on GitHub."""
        with self.state.lock:
            repository = self.state.repository(full_name)
            self.state.renamed[full_name] = repository.id
            repository.name = name

    def add_collaborator(self, full_name: str, login: str, permission: str) -> None:
        """`permission`: admin, maintain, write, triage or read."""
        with self.state.lock:
            self.state.repository(full_name).collaborators[self.state.account(login).login] = permission

    def open_issue(self, full_name: str, title: str, body: str) -> int:
        """The issue's number."""
        with self.state.lock:
            repository = self.state.repository(full_name)
            return self.state.add_issue(repository, title, body, self.state.account("reporter")).number

    def label_issue(self, full_name: str, number: int, label: str, sender: str) -> Delivery | None:
        """Put a label on and tell the webhook; None where there is no `webhook_url`."""
        with self.state.lock:
            repository, issue = self._issue(full_name, number)
            account = self.state.account(sender, "Bot" if sender.endswith("[bot]") else "User")
            if label not in issue.labels:
                issue.labels.append(label)
            issue.events.append(Event(self.state.new_id(), "labeled", account, label))
            payload = issue_payload(self._shapes, repository, issue, "labeled", account, label)
        return self.hook.send("issues", payload)

    def unlabel_issue(self, full_name: str, number: int, label: str, sender: str) -> Delivery | None:
        """Take a label off and tell the webhook."""
        with self.state.lock:
            repository, issue = self._issue(full_name, number)
            account = self.state.account(sender)
            issue.labels.remove(label)
            issue.events.append(Event(self.state.new_id(), "unlabeled", account, label))
            payload = issue_payload(self._shapes, repository, issue, "unlabeled", account, label)
        return self.hook.send("issues", payload)

    def close_issue(self, full_name: str, number: int) -> Delivery | None:
        """Close it and tell the webhook."""
        with self.state.lock:
            repository, issue = self._issue(full_name, number)
            issue.state = "closed"
            issue.events.append(Event(self.state.new_id(), "closed", repository.owner, None))
            payload = issue_payload(self._shapes, repository, issue, "closed", repository.owner)
        return self.hook.send("issues", payload)

    def lock_issue(self, full_name: str, number: int) -> None:
        """Only people who may write can comment on it from then on."""
        with self.state.lock:
            self._issue(full_name, number)[1].locked = True

    def transfer_issue(self, full_name: str, number: int, to: str) -> int:
        """Its number in the other repository."""
        with self.state.lock:
            issue, other = self._issue(full_name, number)[1], self.state.repository(to)
            moved = self.state.add_issue(other, issue.title, issue.body, issue.author)
            moved.labels, issue.moved_to = list(issue.labels), (other, moved.number)
            return moved.number

    def add_comment(self, full_name: str, number: int, body: str, author: str) -> int:
        """A person's comment; its id."""
        with self.state.lock:
            comment = Comment(self.state.new_id(), self.state.account(author), body)
            self._issue(full_name, number)[1].comments.append(comment)
            return comment.id

    def issue(self, full_name: str, number: int) -> Issue:
        with self.state.lock:
            return self._issue(full_name, number)[1]

    def pull_requests(self, full_name: str) -> list[Issue]:
        """Those issues that are pull requests (`pull` is set), oldest first."""
        with self.state.lock:
            return [issue for issue in self.state.repository(full_name).issues.values() if issue.pull]

    def comments(self, full_name: str, number: int) -> list[Comment]:
        with self.state.lock:
            return list(self._issue(full_name, number)[1].comments)

    def reactions(self, full_name: str, number: int) -> list[str]:
        with self.state.lock:
            return [content for _, content in self._issue(full_name, number)[1].reactions]

    def page_url(self, full_name: str, number: int) -> str:
        """For a browser."""
        with self.state.lock:
            return self._shapes.page(*self._issue(full_name, number))

    def _issue(self, full_name: str, number: int) -> tuple[Repository, Issue]:
        repository = self.state.repository(full_name)
        return repository, repository.issues[number]

    def _app(self) -> Starlette:
        apis = (AppApi(self._shapes, self.hook), *(kind(self._shapes) for kind in (IssuesApi, PullsApi, GitApi)))
        api = [found for one in apis for found in one.routes()]
        git = Route("/{owner}/{name}.git/{rest:path}", GitHttp(self.state).answer, methods=["GET", "POST"])
        return Starlette(routes=[Mount(API_PATH, routes=api), git, *Pages(self.state).routes()])


@cache
def _app_key() -> RSAPrivateKey:
    """One for all stand-ins of a process: making it takes longer than everything else here."""
    return generate_private_key(public_exponent=65537, key_size=2048)


def _private_pem(key: RSAPrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


def _public_pem(key: RSAPrivateKey) -> str:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
