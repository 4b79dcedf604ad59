"""What the product does on GitHub, each job as one attempt that is tried again; and every write that belongs to one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from agent.errors import GaveUp
from tests.support.attempts import StoredRun, stored_run
from tests.support.evidence import make_attempt, make_transcript, make_verification, turn, use
from tests.support.github import LABEL, REPOSITORY, Scene, settings_for
from workers.github.app_auth import InstallationTokens, load_credentials
from workers.github.app_client import AppClient
from workers.github.markers import marker
from workers.github.rest import Connection
from workers.host import RunRefusedError, request_of
from workers.journal import intents_after_end
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.redelivery import redeliver_missed
from workers.store import RunStore

NOWHERE = "http://127.0.0.1:9/"
ENDED = Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, "The label was taken off.")
LONG_TURNS = 12
"""So many that the transcript goes on in a comment."""

Attempt = Callable[[], object]


@dataclass(frozen=True)
class Stage:
    """A repository, and the store of who works on its issues. `webhook` takes deliveries for the same store."""

    scene: Scene
    store: RunStore
    webhook: str

    def new_issue(self) -> int:
        return self.scene.github.open_issue(REPOSITORY, "add() subtracts", "`add(1, 2)` gives -1.")

    def run_for(self, issue: int) -> StoredRun:
        return stored_run(self.store, replace(self.scene.run, issue_number=issue, base_commit=self.scene.base))


@dataclass(frozen=True)
class Job:
    """`begin` prepares it for an issue and gives one attempt; `wanted` is what stands in the end, and nothing else."""

    begin: Callable[[Stage, int], Attempt]
    wanted: Mapping[str, int]


@dataclass(frozen=True)
class Write:
    """One request of a job; `path` is a regular expression."""

    job: str
    method: str
    path: str

    def __str__(self) -> str:
        """For people."""
        return f"{self.method} " + self.path.removesuffix("$").replace(r"\d+", "N")


def _admission(stage: Stage, issue: int) -> Attempt:
    scene, stored = stage.scene, stage.run_for(issue)
    scene.github.label_issue(REPOSITORY, issue, LABEL, "maintainer")
    scene.github.state.tokens.clear()  # GitHub takes the kept one no longer
    return lambda: scene.host.admit(stored.attempt())


def _draft(stage: Stage, issue: int) -> Attempt:
    scene, stored = stage.scene, stage.run_for(issue)
    turns = [turn(n, f"Step {n}", use("read_file", "x" * 9_000, path=f"f{n}.py")) for n in range(LONG_TURNS)]
    verification = make_verification(change=scene.evidence().attempt.change)  # type: ignore[union-attr]
    attempt = make_attempt(verification=verification, transcript=make_transcript(turns))
    return lambda: scene.host.publish_draft(scene.evidence(run=stored.attempt(), attempt=attempt))


def _escalation(stage: Stage, issue: int) -> Attempt:
    scene, stored = stage.scene, stage.run_for(issue)
    attempt = make_attempt(GaveUp("I cannot."), verification=None)
    return lambda: scene.host.publish_escalation(
        scene.evidence(run=stored.attempt(), attempt=attempt, reason=Reason.GAVE_UP)
    )


def _cancellation(stage: Stage, issue: int) -> Attempt:
    scene, stored = stage.scene, stage.run_for(issue)
    return lambda: scene.host.publish_cancellation(
        scene.evidence(run=stored.attempt(), attempt=None, reason=ENDED.reason, detail=ENDED.detail)
    )


def _refusal(stage: Stage, issue: int) -> Attempt:
    scene, stored = stage.scene, stage.run_for(issue)
    return lambda: scene.host.publish_refusal(stored.attempt(), RunRefusedError(Reason.PERMISSION, "No."))


def _late(stage: Stage, issue: int) -> Attempt:
    """Of a cancelled run there come a draft, and its cancellation twice."""
    scene, stored = stage.scene, stage.run_for(issue)
    scene.host.publish_draft(scene.evidence(run=stored.attempt()))
    for _ in range(2):
        words = f"{marker(stored.id, 'cancellation')}\nStopped."
        scene.github.add_comment(REPOSITORY, issue, words, scene.github.state.bot.login)
    stored.end(ENDED)
    row = stage.store.get(stored.id)
    if row is None:
        raise LookupError(stored.id)
    run = replace(request_of(row), intents=intents_after_end(stage.store, row.id))
    return lambda: scene.host.remove_late(run, ENDED)


def _redelivery(stage: Stage, issue: int) -> Attempt:
    github = stage.scene.github
    github.webhook_url = NOWHERE
    github.label_issue(REPOSITORY, issue, LABEL, "maintainer")
    github.webhook_url = stage.webhook
    return lambda: _redeliver(stage)


def _redeliver(stage: Stage) -> None:
    github = stage.scene.github
    credentials = load_credentials(settings_for(github, stage.scene.github.state.folder))
    with Connection(github.api_url).open(credentials.strategy) as rest:
        yesterday = datetime.now(UTC) - timedelta(days=1)
        redeliver_missed(AppClient(rest), stage.store, yesterday, yesterday, lambda: True)


def _sweep(stage: Stage, issue: int) -> Attempt:
    stage.run_for(issue)
    github = stage.scene.github
    tokens = InstallationTokens(
        Connection(github.api_url), load_credentials(settings_for(github, stage.scene.github.state.folder))
    )
    return lambda: tokens.reading_token(github.state.installation_id)


JOBS: Mapping[str, Job] = {
    "admission": Job(_admission, {"reactions": 1}),
    "draft": Job(_draft, {"pull requests": 1, "branches": 1, "transcript-1": 1}),
    "escalation": Job(_escalation, {"escalation": 1, "transcripts": 1}),
    "cancellation": Job(_cancellation, {"cancellation": 1}),
    "refusal": Job(_refusal, {"refusal": 1}),
    "late": Job(_late, {"closed pull requests": 1, "late": 1, "cancellation": 1}),
    "redelivery": Job(_redelivery, {}),
    "sweep": Job(_sweep, {}),
}
"""Besides, one run is known of each issue."""
COMMENT = r"/issues/\d+/comments$"
SENT_BY: Mapping[str, tuple[Write, ...]] = {
    "InstallationTokens._mint": (Write("admission", "POST", "/access_tokens$"),),
    "InstallationTokens.reading_token": (Write("sweep", "POST", "/access_tokens$"),),
    "AppClient.redeliver": (Write("redelivery", "POST", "/attempts$"),),
    "RepositoryClient.react": (Write("admission", "POST", "/reactions$"),),
    "RepositoryClient.create_comment": tuple(
        Write(job, "POST", COMMENT) for job in ("draft", "escalation", "cancellation", "refusal", "late")
    ),
    "RepositoryClient.delete_comment": (Write("late", "DELETE", r"/issues/comments/\d+$"),),
    "RepositoryClient.create_pull_request": (Write("draft", "POST", "/pulls$"),),
    "RepositoryClient.close_pull_request": (Write("late", "PATCH", r"/pulls/\d+$"),),
    "GitData.create_ref": (Write("draft", "POST", "/git/refs$"), Write("escalation", "POST", "/git/refs$")),
    "GitData.delete_ref": (Write("late", "DELETE", "/git/refs/heads/"),),
    "GitData.create_commit": (Write("draft", "POST", "/git/commits$"), Write("escalation", "POST", "/git/commits$")),
    "GitData.create_tree": (Write("draft", "POST", "/git/trees$"),),
    "GitData.create_orphan_tree": (Write("escalation", "POST", "/git/trees$"),),
    "GitData._new_file": (Write("draft", "POST", "/git/blobs$"), Write("escalation", "POST", "/git/blobs$")),
}
"""Every method that sends a write, and its writes; a test holds the names against the code."""
