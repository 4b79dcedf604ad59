"""The one comment on a run that was stopped under way."""

from workers.host import Evidence
from workers.publish.markdown import code, inert, sections
from workers.publish.parts import spend_table


def render_cancellation(evidence: Evidence) -> str:
    """Why it stopped and what was spent by then."""
    spent = spend_table(evidence) or "Nothing was spent on the model."
    head = f"**Stopped.** {inert(evidence.detail)}"
    return sections(head, spent, f"Run {code(evidence.run.run_id)}.") + "\n"
