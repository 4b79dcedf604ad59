"""What a run that ended tells the shell."""

import pytest

from app.cli.fix import exit_code, summary
from workers.outcomes import Outcome, OutcomeKind, Reason


@pytest.mark.parametrize(
    ("kind", "reason", "code"),
    [
        (OutcomeKind.DRAFT_PULL_REQUEST, Reason.PROVED, 0),
        (OutcomeKind.DRAFT_PULL_REQUEST, Reason.CONTRACT_CHANGED, 3),
        (OutcomeKind.ESCALATION, Reason.NOT_PROVED, 3),
        (OutcomeKind.REFUSED, Reason.CONFIGURATION, 2),
    ],
)
def test_the_exit_code_tells_proved_from_handed_over_and_from_badly_configured(
    kind: OutcomeKind, reason: Reason, code: int
) -> None:
    assert exit_code(Outcome(kind, reason, "")) == code


def test_what_a_program_of_the_repository_said_does_not_rule_the_terminal() -> None:
    told = summary(Outcome(OutcomeKind.ESCALATION, Reason.SETUP_FAILED, "Set-up failed: \x1b[2Jno such file"))
    assert told == "escalation: Set-up failed: no such file"
