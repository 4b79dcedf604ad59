"""Parts that drafts, escalations and local reports share."""

import re
from collections.abc import Sequence

from agent.transcript import Transcript
from workers.host import Evidence
from workers.outcomes import SPEND
from workers.publish.markdown import code, cut, fence, folded, plain, table

MAX_REASONS = 5
MAX_REASON = 500
MAX_OUTPUT = 6_000
MAX_HOSTS = 20
BINARY = re.compile(r"^GIT binary patch\n.*?(?=^diff --git |\Z)", re.MULTILINE | re.DOTALL)


def spend_table(evidence: Evidence) -> str:
    """Used and allowed of each limit; empty where nothing was ever counted."""
    spend = evidence.spend
    if not spend:
        return ""
    used = (_amount(kind, spend[kind]["used"]) for kind in SPEND)
    allowed = (_amount(kind, spend[kind]["limit"]) for kind in SPEND)
    note = "" if evidence.price_known else " Its price is not known: counted at the dearest known one."
    shown = table(("", *SPEND.values()), (("used", *used), ("allowed", *allowed)))
    return f"{shown}\n\nModel: {code(evidence.model)}.{note}"


def _amount(kind: str, value: float | None) -> str:
    """Cents, but a run that cost less than ten of them is told more closely."""
    if value is None:
        return "no limit"
    if kind != "usd":
        return f"{value:,.0f}"
    return f"{value:.4f}" if 0 < value < 0.1 else f"{value:,.2f}"


def base(evidence: Evidence, commit_url: str | None = None) -> str:
    """``Base 0123456789ab.``: a link where there is an address, else the whole id; empty where no base was settled."""
    commit = evidence.base_commit
    if commit is None:
        return ""
    return f"Base [{code(commit[:12])}]({commit_url})." if commit_url else f"Base {code(commit)}."


def refused_hosts(evidence: Evidence, limit: int = MAX_HOSTS) -> str:
    """What set-up asked for in vain, now or when the environment that this run found was made; empty where nothing
    was."""
    hosts = evidence.prepared.refused_hosts if evidence.prepared else ()
    if not hosts:
        return ""
    more = f" and {len(hosts) - limit} more" if len(hosts) > limit else ""
    return (
        f"Set-up asked for hosts that it may not reach: {', '.join(code(host, 100) for host in hosts[:limit])}{more}. "
        "What comes from there is missing in the sandbox; the operator may allow hosts in `AGENT_FIX_ALLOWED_HOSTS`."
    )


def suite_notes(evidence: Evidence) -> str:
    """What the tests ran without, or with something in its place, and what was left out of them; empty where all was as
    the repository asks."""
    notes = evidence.baseline.notes if evidence.baseline else ()
    return told_reasons("About the tests:", notes)


def package_notes(evidence: Evidence) -> str:
    """Of which day the packages are where they are not of today, and which are not as asked for; empty else."""
    notes = evidence.prepared.layer.making.notes if evidence.prepared else ()
    return told_reasons("About the environment:", notes)


def patch_part(patch: bytes, summary: str, limit: int) -> str:
    """The diff, folded and cut; empty where there is none. Nobody reads what is binary, not even `redact`."""
    if not patch.strip():
        return ""
    shown = BINARY.sub("(binary)\n", patch.decode("utf-8", "replace"))
    return folded(summary, fence(cut(shown, limit), "diff"))


def told_reasons(head: str, reasons: Sequence[str]) -> str:
    """Sentences of the verification, as a list under `head`; empty where there are none."""
    lines = [f"- {plain(reason, MAX_REASON)}" for reason in reasons[:MAX_REASONS]]
    lines += [f"- and {len(reasons) - MAX_REASONS} more"] if len(reasons) > MAX_REASONS else []
    return "\n".join([head, "", *lines]) if lines else ""


def last_call(transcript: Transcript, tool: str) -> tuple[str, str] | None:
    """The text argument and the answer of the last call of `tool` that was not refused."""
    for turn in reversed(transcript.turns):
        for use in reversed(turn.tools):
            if use.name == tool and not use.is_error:
                arguments = use.arguments if isinstance(use.arguments, dict) else {}
                return str(arguments.get("summary") or arguments.get("reason") or ""), use.result
    return None
