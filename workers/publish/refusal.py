"""The one comment on a run that was not begun."""

from workers.host import RunRefusedError, RunRequest
from workers.outcomes import Reason
from workers.publish.escalation import NEXT_STEP
from workers.publish.markdown import code, inert, sections


def render_refusal(run: RunRequest, refusal: RunRefusedError, label: str) -> str:
    """`refusal` holds a sentence of ours. Nothing was spent, and the comment says so."""
    return (
        sections(
            f"**Not started.** {inert(str(refusal))} Nothing was spent.",
            f"**Next:** {_next(refusal.reason, label)}",
            f"Run {code(run.run_id)}.",
        )
        + "\n"
    )


def _next(reason: Reason, label: str) -> str:
    if reason is Reason.PERMISSION:
        return f"Someone with write access takes the label {code(label)} off and puts it on again."
    if reason is Reason.REPOSITORY:
        return f"Once this is put right, put the label {code(label)} on again."
    return NEXT_STEP[reason]
