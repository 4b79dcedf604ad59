"""What a person does next, in words that fit where they read it."""

from dataclasses import replace

import pytest

from agent.errors import GaveUp, NotProved
from agent.transcript import ToolUse
from repo_tools.test_report import TestOutcome, TestReport
from repo_tools.verification.contract import Verdict
from tests.support.evidence import make_attempt, make_evidence, make_transcript, make_verification, report, turn
from workers.outcomes import Reason
from workers.publish.escalation import render_escalation
from workers.publish.local_report import render_report
from workers.publish.solve_report import render_solve_report

NOT_PROVED = [reason for reason in Reason if reason not in (Reason.PROVED, Reason.ANSWERED, Reason.PERMISSION)]


def next_line(text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith("**Next:**"))


@pytest.mark.parametrize("reason", NOT_PROVED)
def test_nobody_at_a_terminal_is_told_to_label(reason: Reason) -> None:
    evidence = replace(make_evidence(attempt=None), reason=reason)
    assert "label" not in next_line(render_report(evidence))


@pytest.mark.parametrize("reason", NOT_PROVED)
def test_a_task_without_a_repository_has_no_issue(reason: Reason) -> None:
    told = next_line(render_solve_report(replace(make_evidence(attempt=None), reason=reason)))
    assert "label" not in told
    assert "issue" not in told


RED, GREEN = report(("t.py::a", TestOutcome.ERROR)), report(("t.py::a", TestOutcome.PASSED))


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (RED, RED, "No test passes here, with the change neither."),
        (RED, GREEN, "The closest test is below."),
        (GREEN, RED, "The closest test is below."),
        (GREEN, GREEN, "A failing test, or exact steps, in the issue help most."),
    ],
)
def test_what_helps_a_change_without_a_proof_depends_on_what_its_tests_say(
    before: TestReport, after: TestReport, told: str
) -> None:
    verification = make_verification(Verdict.NOT_PROVED, baseline=before, regression=after, red=None, green=None)
    attempt = make_attempt(NotProved(), verification=verification)
    evidence = make_evidence(reason=Reason.NOT_PROVED, attempt=attempt, baseline=before)
    text = render_escalation(evidence)
    assert next_line(text).startswith(f"**Next:** {told}")
    assert ("The closest test:" in text) is (RED in (before, after))


@pytest.mark.parametrize("is_error", [False, True])
def test_a_refused_call_is_no_test_run(is_error: bool) -> None:
    transcript = make_transcript([turn(1, "", ToolUse("run_tests", {"path": "a"}, "Wrong arguments", is_error))])
    attempt = make_attempt(GaveUp("no"), verification=None, transcript=transcript)
    told = render_escalation(make_evidence(reason=Reason.GAVE_UP, attempt=attempt))
    assert ("The last test run" in told) is not is_error
