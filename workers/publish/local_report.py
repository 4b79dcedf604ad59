"""`report.md` of `agent-fix fix`: the same evidence for a person at a terminal, without GitHub's limits."""

from workers.host import Evidence
from workers.publish.draft import render_verdict
from workers.publish.escalation import AT_A_TERMINAL, render_attempt, render_reason
from workers.publish.markdown import code, inert, one_line, sections
from workers.publish.parts import base, patch_part
from workers.publish.transcript_markdown import transcript_document

WHOLE = 1 << 30


def render_report(evidence: Evidence) -> str:
    """Verdict or reason first, the whole patch and transcript last."""
    attempt = evidence.attempt
    proved = attempt and attempt.verification and attempt.verification.verdict.earns_pull_request
    reason = render_reason(evidence, AT_A_TERMINAL)
    endings = (render_verdict(evidence),) if proved else (reason, *render_attempt(evidence))
    turns = transcript_document(attempt.transcript) if attempt else ""
    return (
        sections(
            f"# {inert(one_line(evidence.run.title, 200))}",
            *endings,
            patch_part(evidence.patch, "The change", WHOLE),
            "## Transcript" if turns else "",
            turns,
            f"Repository {code(evidence.run.repository)}, run {code(evidence.run.run_id)}. {base(evidence)}".rstrip(),
        )
        + "\n"
    )
