"""What can be told of a run that a bug ended: its row and its journal, and nothing that the bug may have broken."""

from dataclasses import replace

from agent.attempt import Attempt
from agent.errors import Interrupted
from agent.replay import last_change, transcript_of
from repo_tools.changes import ChangeSet
from repo_tools.checkout import Checkout
from workers.host import Evidence, request_of
from workers.journal import past_steps
from workers.outcomes import Reason
from workers.store import Run, RunStore
from workers.workshop import Workshop


def evidence_of_row(row: Run, workshop: Workshop, reason: Reason, detail: str) -> Evidence:
    """An ending that rests on nothing but the row."""
    return Evidence(
        run=request_of(row),
        base_commit=row.base_commit,
        reason=reason,
        detail=detail,
        attempt=None,
        prepared=None,
        baseline=None,
        engine=workshop.engine_description,
        model=row.model or workshop.model.name,
        price_known=workshop.price_known,
        patch=b"",
        spend=row.spend,
    )


def with_journal(evidence: Evidence, store: RunStore, checkout: Checkout) -> Evidence:
    """`evidence` with what the journal holds of the attempt: what was said, and the change as it stood, whose base
    `checkout` is. As it was where the agent had not begun."""
    steps = past_steps(store, evidence.run.run_id)
    transcript = transcript_of(steps)
    if not transcript.turns:
        return evidence
    change = last_change(steps) or ChangeSet(checkout.commit, {})
    attempt = Attempt(Interrupted(evidence.detail), change, None, transcript)
    return replace(evidence, attempt=attempt, patch=checkout.patch(change) if change else b"")
