"""`agent-fix fix`: one run on a local repository, through the same store, pipeline and engine as any other."""

import getpass
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from repo_tools.errors import RepoError
from repo_tools.local import LocalRepository
from workers.carry_out import carry_out
from workers.local_host import LocalHost
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.pipeline import Workshop
from workers.store import IssueSnapshot, NewDelivery, RunStore

MAX_ISSUE_BYTES = 1_000_000


@dataclass(frozen=True)
class LocalIssue:
    title: str
    body: str


@dataclass(frozen=True)
class LocalRun:
    """What was asked for on the command line, already checked."""

    path: Path
    issue: LocalIssue
    base: str
    output: Path
    branch: str | None


def read_issue(path: Path) -> LocalIssue:
    """Markdown, its first line the title (a leading ``#`` is taken off). ValueError says what is wrong with it."""
    content = path.read_bytes()
    if len(content) > MAX_ISSUE_BYTES:
        raise ValueError(f"is larger than {MAX_ISSUE_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 text (byte {error.start})") from error
    title, _, body = text.lstrip().partition("\n")
    title = title.lstrip("#").strip()
    if not title:
        raise ValueError("has no title: its first line is the title")
    return LocalIssue(title, body.strip())


def run_locally(
    asked: LocalRun, store: RunStore, workshop: Workshop, lease_seconds: float, started: Callable[[str], None]
) -> Outcome:
    """`started` is told the run's id before anything is spent. An interrupt ends the run as cancelled."""
    repository = LocalRepository(asked.path)
    commit = repository.resolve(asked.base)
    if asked.branch is not None:
        repository.check_new_branch(asked.branch)
    created = store.create_run_once(NewDelivery(f"local-{secrets.token_hex(16)}", "local", None), _snapshot(asked))
    claim = store.claim(created.run_id, "command line", lease_seconds)
    if claim is None:
        raise RepoError(f"run {created.run_id} was taken by another process")
    started(created.run_id)
    host = LocalHost(repository, commit, asked.output, asked.branch)
    try:
        return carry_out(store, claim, host, workshop, lease_seconds, last_attempt=True)
    except BaseException as error:  # whatever ends the command ends its run
        row = store.get(created.run_id) or claim.run
        store.finish(claim, _cut_short(error), row.spend)
        raise


def _cut_short(error: BaseException) -> Outcome:
    if isinstance(error, KeyboardInterrupt):
        return Outcome(OutcomeKind.CANCELLED, Reason.UNWANTED, "interrupted at the keyboard")
    return Outcome(OutcomeKind.ESCALATION, Reason.INTERNAL, "an internal error ended the command")


def _snapshot(asked: LocalRun) -> IssueSnapshot:
    """Local runs have no repository id; a random one below zero keeps them apart from each other and from GitHub's."""
    return IssueSnapshot(
        installation_id=0,
        repository_id=-secrets.randbelow(2**53) - 1,
        repository=asked.path.resolve().name,
        issue_number=0,
        title=asked.issue.title,
        body=asked.issue.body,
        sender=getpass.getuser(),
        labelled_at=None,
    )
