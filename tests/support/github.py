"""A run on the GitHub stand-in."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from app.standins.github import GitHubStandIn
from repo_tools.changes import ChangeSet, FileChange
from tests.support.evidence import FIXED, NEW_TEST, make_attempt, make_evidence, make_run, make_verification
from workers.github.host import GitHubHost, make_github_host
from workers.github.patience import Patience
from workers.host import Evidence, RunRequest
from workers.patrol import Patrol, make_patrol
from workers.settings import WorkerSettings
from workers.store import RunStore
from workers.store.chores import PATROL

REPOSITORY = "acme/calc"
LABEL = "agent-fix"
NOBODY = "http://127.0.0.1:9/"
"""Where no webhook listens."""
FILES = {
    "calc.py": b"def add(a, b):\n    return a - b\n",
    "test_calc.py": b"def test_zero():\n    assert True\n",
    "data.bin": bytes(range(256)),
    "notes.txt": b"one\r\ntwo\r\n",
    "run.sh": b"#!/bin/sh\n",
}


def settings_for(github: GitHubStandIn, data_dir: Path, **changed: Any) -> WorkerSettings:
    values: dict[str, Any] = {
        "github_api_url": github.api_url,
        "github_server_url": github.server_url,
        "github_app_id": github.app_id,
        "github_private_key": SecretStr(github.private_key_pem),
        "data_dir": data_dir,
        "label": LABEL,
    }
    return WorkerSettings(**values | changed)


@dataclass(frozen=True)
class Scene:
    """A labelled issue in a repository, and the host that works for it."""

    github: GitHubStandIn
    host: GitHubHost
    run: RunRequest
    base: str

    def evidence(self, files: dict[str, FileChange | None] | None = None, **changed: Any) -> Evidence:
        """Of a proved change of `files`."""
        change = ChangeSet(self.base, files) if files else self.change
        attempt = make_attempt(verification=make_verification(change=change))
        return make_evidence(**{"run": self.run, "base_commit": self.base, "attempt": attempt} | changed)

    @property
    def change(self) -> ChangeSet:
        """What `evidence` proves, unless it is told otherwise."""
        return ChangeSet(self.base, {"calc.py": FIXED, "test_add.py": NEW_TEST})

    def branch_head(self, branch: str) -> str | None:
        return self.github.state.repository(REPOSITORY).git.ref(f"refs/heads/{branch}")


def make_scene(github: GitHubStandIn, data_dir: Path, files: Mapping[str, bytes] = FILES, **settings: Any) -> Scene:
    """`acme/calc` with issue 1, labelled by `maintainer`, who may write."""
    repository = github.create_repository(REPOSITORY, files, executable=("run.sh",) if "run.sh" in files else ())
    github.add_collaborator(REPOSITORY, "maintainer", "write")
    number = github.open_issue(REPOSITORY, "add() subtracts", "`add(1, 2)` gives -1.")
    github.label_issue(REPOSITORY, number, LABEL, "maintainer")
    run = make_run(
        repository_id=repository.id,
        installation_id=github.state.installation_id,
        issue_number=number,
        queued_at=datetime.now(UTC),
    )
    wait = Patience(2.0, 0.05, lambda seconds: time.sleep(seconds if github.state.read_lag_seconds else 0))
    host = make_github_host(settings_for(github, data_dir, **settings), timeout_seconds=30, wait=wait)
    base = repository.git.ref("refs/heads/main")
    assert base
    return Scene(github, host, run, base)


def labelled(github: GitHubStandIn, repository: str = REPOSITORY, sender: str = "maintainer") -> int:
    """The number of a new issue with our label."""
    number = github.open_issue(repository, "Wrong sum", "1 + 1 is 3")
    github.label_issue(repository, number, LABEL, sender)
    return number


def patrol_of(github: GitHubStandIn, store: RunStore, folder: Path, **changed: Any) -> Patrol:
    """Whose rounds are always due."""
    always: dict[str, Any] = {"every_seconds": -3600, "sleep": lambda _: None}
    return replace(make_patrol(settings_for(github, folder), store), **always | changed)


def mark_of(store: RunStore, **changed: Any) -> dict[str, Any]:
    """What the last round of a patrol left; `changed` for the next one."""
    held = store.take_chore(PATROL, "test", 60)
    assert held is not None
    store.give_back_chore(held, {**held.mark, **changed}, 0)
    return dict(held.mark)


def with_sender(scene: Scene, sender: str) -> RunRequest:
    return replace(scene.run, sender=sender)
