"""Everything an end-to-end test needs, and nothing faked in the product: the model is the only scripted piece.

Signed deliveries over HTTP to a real uvicorn, a real Celery worker on a real broker, git over smart HTTP, real boxes,
real pytest, the official SDK against a local Messages server, githubkit against a local GitHub.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.demo.service import Service
from app.standins.github import GitHubStandIn
from app.standins.github_state import Comment, Issue
from app.standins.messages import Fault, MessagesServer, turns_of

Turn = Sequence[dict[str, Any]] | Fault
Turns = Sequence[Turn | Callable[[], Turn]]
MAINTAINER = "maria"
REPOSITORY = "acme/project"
RUN_SECONDS = 240.0
"""Of the longest run of a test on a busy machine; one that hangs should not take all its time to say so."""
MODEL_KEY = "the-operators-key-of-the-model"
_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Played:
    """How one labelled issue ended. `run` is what the API says of it; `pull_requests` are all that came meanwhile."""

    github: GitHubStandIn
    repository: str
    number: int
    run: Mapping[str, Any]
    pull_requests: list[Issue]

    @property
    def ending(self) -> tuple[str | None, str | None]:
        return self.run["outcome"], self.run["reason"]

    @property
    def comments(self) -> list[Comment]:
        return self.github.comments(self.repository, self.number)

    def committed(self, path: str) -> bytes:
        """Content of `path` in the commit of the one draft."""
        (draft,) = self.pull_requests
        assert draft.pull is not None
        return self.github.state.repository(self.repository).git.read(draft.pull.head_sha, path)

    def listing(self) -> dict[str, str]:
        """path -> mode in the commit of the one draft."""
        (draft,) = self.pull_requests
        assert draft.pull is not None
        git = self.github.state.repository(self.repository).git
        return {path: mode for mode, _, _, path in git.tree(draft.pull.head_sha)}


def expect_one_escalation(played: Played, reason: str, *words: str) -> None:
    assert played.ending == ("escalation", reason), played.run["detail"]
    assert played.pull_requests == []
    (comment,) = played.comments
    assert comment.author.login == "agent-fix-local[bot]"
    for word in words:
        assert word in comment.body


class Stage:
    """A service with its stand-ins, its data and its log in `folder`. Each `play` has an issue and a base commit of its
    own, in one repository: what was set up for one of them serves the next, as in an installation at work."""

    def __init__(
        self,
        github: GitHubStandIn,
        messages: MessagesServer,
        scripted: "ScriptedMessages",
        service: Service,
        folder: Path,
    ) -> None:
        self.github = github
        self.requests = messages.requests
        self.service = service
        self.folder = folder
        self._scripts = scripted.scripts

    def play(
        self,
        files: Mapping[str, bytes],
        turns: Turns,
        *,
        body: str = "It is wrong.",
        sender: str = MAINTAINER,
        permission: str = "write",
        executable: Sequence[str] = (),
        prepare: Callable[[GitHubStandIn, str, int], None] = lambda *_: None,
    ) -> Played:
        """Label an issue whose model says `turns`, and wait for the end. The default branch holds `files`, and nothing
        else; the repository is one of its own where there are none."""
        serial = next(_NUMBERS)
        title = f"Something is wrong, case {serial:04}"
        repository = put_in_place(self.github, files, executable) if files else f"acme/empty-{serial}"
        if not files:
            self.github.create_repository(repository, files)
        known = {issue.number for issue in self.github.pull_requests(repository)}
        self.github.add_collaborator(repository, sender, permission)
        number = self.github.open_issue(repository, title, body)
        self._scripts[title] = turns
        prepare(self.github, repository, number)
        delivery = self.github.label_issue(repository, number, "agent-fix", sender)
        assert delivery is not None
        assert delivery.response is not None
        assert delivery.response.status_code == 202, delivery.response.text
        run = self.service.wait_until_ended(delivery.response.json()["run"], RUN_SECONDS)
        made = [issue for issue in self.github.pull_requests(repository) if issue.number not in known]
        return Played(self.github, repository, number, run, made)


def put_in_place(github: GitHubStandIn, files: Mapping[str, bytes], executable: Sequence[str]) -> str:
    """`REPOSITORY`, with a commit on its default branch that holds just `files`."""
    if REPOSITORY not in {repository.full_name for repository in github.state.repositories.values()}:
        github.create_repository(REPOSITORY, files, executable=executable)
        return REPOSITORY
    git = github.state.repository(REPOSITORY).git
    head = git.ref("refs/heads/main")
    before = dict.fromkeys(path for *_, path in git.tree(head)) if head else {}
    git.commit_files("main", {**before, **files}, "Another case\n", executable)
    return REPOSITORY


def put_away(github: GitHubStandIn) -> None:
    """For the next service, to whom nothing shall look as if it had been missed."""
    github.webhook_url = None
    github.hook.attempts.clear()
    for repository in github.state.repositories.values():
        for number in list(repository.issues):
            github.close_issue(repository.full_name, number)


class ScriptedMessages:
    """The Messages server's script: each issue's own turns, the last one again and again. A callable makes its turn."""

    def __init__(self) -> None:
        self.scripts: dict[str, Turns] = {}

    def __call__(self, request: dict[str, Any]) -> Turn:
        first = str(request["messages"][0])
        turns = next(turns for title, turns in self.scripts.items() if title in first)
        turn = turns[min(turns_of(request), len(turns) - 1)]
        return turn() if callable(turn) else turn


def open_service(
    github: GitHubStandIn, messages: MessagesServer, folder: Path, sandbox: str, settings: Mapping[str, str]
) -> Service:
    """The service on `folder`, whose layers are kept from one service to the next."""
    fixed = {"ANTHROPIC_API_KEY": MODEL_KEY, "ANTHROPIC_BASE_URL": messages.url, "AGENT_FIX_SANDBOX": sandbox}
    return Service(github, folder, {**fixed, **settings}, folder / "service.log")
