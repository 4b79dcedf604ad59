"""The ending that people were told of by an attempt which died before it could tell the store: it stands, whatever ends
the next attempt."""

from workers.github.branch import own_pulls
from workers.github.client import RepositoryClient
from workers.github.comments import RunComments, comment_effect
from workers.host import RunRequest
from workers.outcomes import Outcome, OutcomeKind, Reason

DRAFT = "draft"
"""The effect that opens the pull request."""
COMMENTS = {
    OutcomeKind.ESCALATION: "escalation",
    OutcomeKind.CANCELLED: "cancellation",
    OutcomeKind.REFUSED: "refusal",
}
"""The kind of comment on the issue that tells of an ending."""


def may_be_told(run: RunRequest, but: OutcomeKind) -> list[OutcomeKind]:
    """Other endings than `but` that an attempt was about to tell."""
    return [kind for kind in OutcomeKind if kind is not but and run.intents.intended(_effect(run, kind)) is not None]


def told(
    client: RepositoryClient, run: RunRequest, kind: OutcomeKind, author: str, comments: RunComments
) -> Outcome | None:
    """The ending of this kind, if GitHub shows it, with the words that were written down before it was sent."""
    words = run.intents.intended(_effect(run, kind)) or {}
    if "reason" not in words:
        return None
    reason, detail = Reason(words["reason"]), words["detail"]
    if kind is OutcomeKind.DRAFT_PULL_REQUEST:
        pull = comments.wait.until(lambda: next(own_pulls(client, run, author), None))
        return Outcome(kind, reason, detail, pull.url, pull.url) if pull else None
    comment = comments.look_for(run.issue_number, COMMENTS[kind])
    return Outcome(kind, reason, detail, comment.url) if comment else None


def _effect(run: RunRequest, kind: OutcomeKind) -> str:
    if kind is OutcomeKind.DRAFT_PULL_REQUEST:
        return DRAFT
    return comment_effect(COMMENTS[kind], run.issue_number)
