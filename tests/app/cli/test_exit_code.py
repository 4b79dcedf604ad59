"""What a run that ended tells the shell."""

import pytest

from app.cli.fix import exit_code
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
