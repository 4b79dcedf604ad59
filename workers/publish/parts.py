"""Parts that drafts, escalations and local reports share."""

import shlex

from agent.transcript import Transcript
from repo_tools.test_report import TestReport
from repo_tools.verification.contract import Verification
from workers.host import Evidence
from workers.publish.markdown import code, cut, fence, folded, html_code, table

SPEND = {
    "turns": "model calls",
    "tokens": "tokens",
    "usd": "US dollars",
    "seconds": "seconds",
    "test_runs": "test runs",
}
MAX_TESTS = 10
MAX_PATCH = 20_000
MAX_OUTPUT = 6_000


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


def counts(report: TestReport | None) -> str:
    """``40 passed, 1 failed``."""
    if report is None:
        return "not run"
    if report.problem:
        return "no result"
    told = [f"{number} {name}" for name, number in report.counts().items() if number]
    return ", ".join(told) or "no tests"


def tests_table(verification: Verification) -> str:
    """What turned green, and the suite, before and after."""
    shown = verification.turned_green[:MAX_TESTS]
    rows = [(code(test), "✗ fails", "✓ passes") for test in shown]
    more = len(verification.turned_green) - len(shown)
    if more:
        rows.append((f"and {more} more", "✗ fail", "✓ pass"))
    rows.append(("the base commit's suite", counts(verification.baseline), counts(verification.regression)))
    return table(("test", "before", "with this change"), rows)


def failure(verification: Verification) -> str:
    """What the first test that turned green said before, folded."""
    for test in verification.turned_green:
        for report in (verification.red, verification.baseline):
            case = report.by_id.get(test) if report else None
            if case and case.id in (report.red if report else ()) and case.message:
                return folded(f"How {html_code(test)} fails without it", fence(cut(case.message, MAX_OUTPUT)))
    return ""


def base(evidence: Evidence, commit_url: str | None = None) -> str:
    """``Base 0123456789ab.``: a link where there is an address, else the whole id; empty where no base was settled."""
    commit = evidence.base_commit
    if commit is None:
        return ""
    return f"Base [{code(commit[:12])}]({commit_url})." if commit_url else f"Base {code(commit)}."


def conditions(evidence: Evidence, verification: Verification, commit_url: str | None) -> str:
    """Who saw it, how, and at which commit."""
    commands = [r.command for r in (verification.baseline, verification.green) if r and r.command]
    told = " and ".join(code(shlex.join(command)) for command in dict.fromkeys(commands))
    return (
        f"Seen by the harness, not claimed by the model: {told} in fresh sandboxes without network "
        f"({code(evidence.engine)}), the base commit's tests and test configuration in force. "
        f"{base(evidence, commit_url)}"
    )


def patch_part(patch: bytes, summary: str, limit: int = MAX_PATCH) -> str:
    """The diff, folded and cut; empty where there is none."""
    if not patch.strip():
        return ""
    return folded(summary, fence(cut(patch.decode("utf-8", "replace"), limit), "diff"))


def last_call(transcript: Transcript, tool: str) -> tuple[str, str] | None:
    """The text argument and the answer of the last call of `tool`."""
    for turn in reversed(transcript.turns):
        for use in reversed(turn.tools):
            if use.name == tool:
                arguments = use.arguments if isinstance(use.arguments, dict) else {}
                return str(arguments.get("summary") or arguments.get("reason") or ""), use.result
    return None
