"""What is reckoned from runs that began one after the other."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bench.scale import THOUGHT_SECONDS, own_seconds
from workers.outcomes import RunStatus
from workers.store import Run

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
RUN = Run("r", RunStatus.ENDED, 1, 1, "a/b", 1, "title", "body", "maria", BEGIN, BEGIN)


def runs(workers: int, each: int, seconds: float) -> list[Run]:
    """Of workers that begin evenly over one run's least time, and have so many runs each without a pause."""
    begun = [
        BEGIN + timedelta(seconds=THOUGHT_SECONDS * worker / workers + seconds * number)
        for worker in range(workers)
        for number in range(each)
    ]
    return [replace(RUN, started_at=at, ended_at=at + timedelta(seconds=seconds)) for at in begun]


@pytest.mark.parametrize("workers", [1, 2, 8, 32])
def test_a_workers_time_for_a_run_does_not_count_that_others_began_later(workers: int) -> None:
    assert own_seconds(runs(workers, each=4, seconds=13.0), workers) == pytest.approx(13.0)
