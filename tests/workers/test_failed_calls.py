"""What a model call cost that brought no answer counts, however often the run waits for the provider."""

from pathlib import Path

import pytest

from agent.errors import ModelUnavailableError
from agent.model import Usage
from agent.scripted import Scripted, reply, tool_use
from tests.support.engine import shared_bubblewrap
from tests.support.issues import run_of
from tests.support.real_worker import RealWorker, real_worker, script
from workers.outcomes import OutcomeKind, Reason
from workers.store import Run

pytestmark = pytest.mark.bubblewrap

CUT = Usage(100_000, 5_000)
"""What each broken stream had counted."""


def rung(worker: RealWorker, run_id: str, *replies: Scripted) -> Run:
    worker.ring(run_id, script(*replies))
    return run_of(worker.store, run_id)


def test_each_wait_for_the_provider_leaves_what_it_cost_in_the_row_and_in_the_limits(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with real_worker(shared_bubblewrap(tmp_path_factory), tmp_path) as worker:
        run_id = worker.queue()
        for times in range(1, 4):
            waiting = rung(worker, run_id, ModelUnavailableError("The stream was cut.", CUT))
            assert (waiting.attempts, waiting.waits) == (0, times)
            assert waiting.spend["tokens"]["used"] == times * CUT.total_tokens
            assert waiting.spend["seconds"]["used"] > 0
        ended = rung(worker, run_id, reply(tool_use("give_up", reason="It is a matter of taste.")))
    assert (ended.outcome, ended.reason) == (OutcomeKind.ESCALATION, Reason.GAVE_UP)
    assert ended.spend["tokens"]["used"] > 3 * CUT.total_tokens
