"""What the tests ran without, or with something in its place, and what was left out of them, is told wherever a run is
told."""

from dataclasses import replace

import pytest

from agent.tools.testing import describe
from tests.support.evidence import make_evidence, report
from workers.outcomes import Reason
from workers.publish.draft import render_draft
from workers.publish.escalation import render_escalation
from workers.publish.local_report import render_report

NOTE = "The tests run without PostgreSQL 16 (port 5432), which ci.yml:12 asks for: nobody has it."


def tellings(*notes: str) -> dict[str, str]:
    evidence = make_evidence(baseline=replace(report(), notes=notes))
    failed = replace(evidence, reason=Reason.NOT_PROVED)
    return {
        "draft": render_draft(evidence).body,
        "escalation": render_escalation(failed),
        "escalation before the agent": render_escalation(replace(failed, attempt=None)),
        "local report": render_report(evidence),
        "the model": describe(replace(report(), notes=notes)),
    }


@pytest.mark.parametrize("telling", tellings())
def test_each_note_is_told(telling: str) -> None:
    assert "without PostgreSQL 16 (port 5432)" in tellings(NOTE)[telling]
    assert telling == "the model" or "About the tests:" in tellings(NOTE)[telling]


@pytest.mark.parametrize("telling", tellings())
def test_nothing_is_told_where_all_is_as_the_repository_asks(telling: str) -> None:
    assert "About the tests" not in tellings()[telling]
