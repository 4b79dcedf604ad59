"""The one comment on a draft pull request that came after its run had ended otherwise."""

from workers.host import RunRequest
from workers.outcomes import Outcome, OutcomeKind
from workers.publish.markdown import code, sections

WORDS = {
    OutcomeKind.DRAFT_PULL_REQUEST: "with another pull request",
    OutcomeKind.ESCALATION: "with a hand-off",
    OutcomeKind.CANCELLED: "as cancelled",
    OutcomeKind.REFUSED: "as refused",
}


def render_late(run: RunRequest, ended: Outcome) -> str:
    """Why it is closed, and where the run's ending stands."""
    where = f"[{WORDS[ended.kind]}]({ended.url})" if ended.url else WORDS[ended.kind]
    why = f"It was opened too late, by a worker that had lost the run: the run had ended {where} by then."
    return sections(f"**Closed.** {why}", f"Run {code(run.run_id)}.") + "\n"
