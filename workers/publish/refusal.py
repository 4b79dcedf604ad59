"""The one comment on a run that was not begun."""

from workers.host import RunRefusedError, RunRequest
from workers.outcomes import Reason
from workers.publish.escalation import NEXT_STEP
from workers.publish.markdown import code, inert, plain, sections

MAX_POINT = 600


def render_refusal(run: RunRequest, refusal: RunRefusedError, label: str) -> str:
    """`refusal` holds a sentence of ours, and points that may quote what stands in the repository. Nothing was spent,
    and the comment says so."""
    return (
        sections(
            f"**Not started.** {inert(refusal.text)} Nothing was spent.",
            "\n".join(f"- {plain(point, MAX_POINT)}" for point in refusal.points),
            f"**Next:** {_next(refusal.reason, label)}",
            f"Run {code(run.run_id)}.",
        )
        + "\n"
    )


def _next(reason: Reason, label: str) -> str:
    if reason is Reason.PERMISSION:
        return f"Someone with write access takes the label {code(label)} off and puts it on again."
    if reason is Reason.CONFIGURATION:
        return f"{NEXT_STEP[reason]} Then put the label {code(label)} on again."
    if reason is Reason.REPOSITORY:
        return f"Once this is put right, put the label {code(label)} on again."
    return NEXT_STEP[reason]
