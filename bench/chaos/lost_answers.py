"""Each write to GitHub takes effect and its answer is lost: the next attempt finds what is there."""

import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agent.errors import GaveUp
from app.standins.github import GitHubStandIn
from app.standins.github_faults import Fault, FaultKind
from bench.chaos.parts import Result
from repo_tools.errors import TransientError
from tests.support.evidence import make_attempt
from tests.support.github import REPOSITORY, Scene, make_scene
from workers.host import RunRequest
from workers.intents import Unkept
from workers.outcomes import Reason

DRAFT = ("/pulls$", "/git/refs$", "/git/commits$", "/git/trees$", "/git/blobs$")
COMMENT = ("/comments$", "/git/refs$")
KINDS = (FaultKind.DROP_ANSWER, FaultKind.ERROR_AFTER_EFFECT)
ATTEMPTS = 4


@dataclass
class Kept(Unkept):
    """Intents that outlive an attempt, as the journal's do."""

    known: dict[str, dict[str, Any]] = field(default_factory=dict)

    def intend(self, effect: str, **data: Any) -> bool:
        before = effect in self.known
        self.known.setdefault(effect, data)
        return before

    def intended(self, effect: str) -> dict[str, Any] | None:
        return self.known.get(effect)


def lost_answers(times: int) -> list[Result]:
    """A row for each write, each so many times; all writes at once, for most of it is waiting."""
    writes = [("draft", path) for path in DRAFT] + [("escalation", path) for path in COMMENT]
    with ThreadPoolExecutor(len(writes)) as pool:
        return list(pool.map(lambda write: _lost_alone(write[0], write[1], times), writes))


def _lost_alone(what: str, path: str, times: int) -> Result:
    with GitHubStandIn() as github, tempfile.TemporaryDirectory() as folder:
        return _lost(make_scene(github, Path(folder)), what, path, times)


def _lost(scene: Scene, what: str, path: str, times: int) -> Result:
    found: list[str] = []
    for number in range(times):
        run = _new_run(scene, f"{what}-{path.strip('/$').replace('/', '-')}-{number}")
        scene.github.faults.add(Fault(KINDS[number % len(KINDS)], "POST", path))
        _until_done(_draft(scene, run) if what == "draft" else _escalation(scene, run))
        found += _damage(scene, run, what)
    return Result(f"answer lost: {what}, POST {path.rstrip('$')}", "stand-in", times, times, found)


def _new_run(scene: Scene, run_id: str) -> RunRequest:
    number = scene.github.open_issue(REPOSITORY, "add() subtracts", "`add(1, 2)` gives -1.")
    return replace(scene.run, run_id=run_id, issue_number=number, intents=Kept())


def _draft(scene: Scene, run: RunRequest) -> Callable[[], object]:
    return lambda: scene.host.publish_draft(scene.evidence(run=run))


def _escalation(scene: Scene, run: RunRequest) -> Callable[[], object]:
    attempt = make_attempt(GaveUp("I cannot."), verification=None)
    evidence = scene.evidence(run=run, attempt=attempt, reason=Reason.GAVE_UP, detail="The model gave up.")
    return lambda: scene.host.publish_escalation(evidence)


def _until_done(act: Callable[[], object]) -> None:
    """As a worker does: what may pass is tried again. The last attempt's error is a bug of ours."""
    for _ in range(ATTEMPTS - 1):
        try:
            act()
        except TransientError:
            continue
        return
    act()


def _damage(scene: Scene, run: RunRequest, what: str) -> list[str]:
    """Exactly one of what the ending consists of, and none of the other."""
    prefix = f"agent-fix/issue-{run.issue_number}-"
    git = scene.github.state.repository(REPOSITORY).git
    pulls = [p for p in scene.github.pull_requests(REPOSITORY) if p.pull and p.pull.head.startswith(prefix)]
    branches = git.git("for-each-ref", "--format=%(refname:short)", f"refs/heads/{prefix}*").split()
    there = Counter(
        pulls=len(pulls), branches=len(branches), comments=len(scene.github.comments(REPOSITORY, run.issue_number))
    )
    wanted = Counter(pulls=1, branches=1) if what == "draft" else Counter(comments=1)
    return [] if there == wanted else [f"run {run.run_id}: {dict(there)}, not {dict(wanted)}"]
