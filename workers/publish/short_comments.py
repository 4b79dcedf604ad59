"""The short comments: on a run that was not begun, on one that was stopped under way, and on a draft that came too
late."""

from workers.host import Evidence, RunRefusedError, RunRequest
from workers.outcomes import Outcome, OutcomeKind, Reason
from workers.publish.escalation import NEXT_STEP
from workers.publish.markdown import code, inert, plain, sections
from workers.publish.parts import spend_table

MAX_POINT = 600
ENDED = {
    OutcomeKind.DRAFT_PULL_REQUEST: "with another pull request",
    OutcomeKind.ESCALATION: "with a hand-off",
    OutcomeKind.CANCELLED: "as cancelled",
    OutcomeKind.REFUSED: "as refused",
}


def render_refusal(run: RunRequest, refusal: RunRefusedError, label: str) -> str:
    """`refusal` holds a sentence of ours, and points that may quote what stands in the repository. Nothing was spent,
    and the comment says so."""
    points = "\n".join(f"- {plain(point, MAX_POINT)}" for point in refusal.points)
    return _comment(
        f"**Not started.** {inert(refusal.text)} Nothing was spent.",
        points,
        f"**Next:** {_next(refusal.reason, label)}",
        run=run,
    )


def _next(reason: Reason, label: str) -> str:
    if reason is Reason.PERMISSION:
        return f"Someone with write access takes the label {code(label)} off and puts it on again."
    if reason is Reason.CONFIGURATION:
        return f"{NEXT_STEP[reason]} Then put the label {code(label)} on again."
    if reason is Reason.REPOSITORY:
        return f"Once this is put right, put the label {code(label)} on again."
    return NEXT_STEP[reason]


def render_cancellation(evidence: Evidence) -> str:
    """Why it stopped and what was spent by then."""
    spent = spend_table(evidence) or "Nothing was spent on the model."
    return _comment(f"**Stopped.** {inert(evidence.detail)}", spent, run=evidence.run)


def render_late(run: RunRequest, ended: Outcome) -> str:
    """Why the draft is closed, and where the run's ending stands."""
    where = f"[{ENDED[ended.kind]}]({ended.url})" if ended.url else ENDED[ended.kind]
    why = f"It was opened too late, by a worker that had lost the run: the run had ended {where} by then."
    return _comment(f"**Closed.** {why}", run=run)


def _comment(*parts: str, run: RunRequest) -> str:
    return sections(*parts, f"Run {code(run.run_id)}.") + "\n"
