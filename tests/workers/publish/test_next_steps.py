"""What a person does next, in words that fit where they read it."""

from dataclasses import replace

import pytest

from tests.support.evidence import make_evidence
from workers.outcomes import Reason
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
