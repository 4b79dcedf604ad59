"""A run outlives the process that works on it."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.standins.messages import tool_use
from tests.e2e.conftest import OpenStage
from tests.support import calc
from tests.support.stage import Stage
from workers.store import MAX_ATTEMPTS

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def mortal(open_stage: OpenStage) -> Iterator[Stage]:
    """A service whose runs are soon taken over."""
    with open_stage({"AGENT_FIX_LEASE_SECONDS": "5"}) as stage:
        yield stage


def test_a_worker_killed_in_the_middle_of_a_run_costs_no_finished_model_call_twice(mortal: Stage) -> None:
    """Q01: the pool's process is killed between two turns; another one goes on from the journal."""
    killed: list[int] = []

    def kill_once_then_mend() -> list[dict[str, object]]:
        if not killed:
            killed.append(kill_the_one_that_works(mortal.service.pid))
        return [calc.mend(), tool_use("run_tests")]

    before = len(mortal.requests)
    played = mortal.play(calc.FILES, [[*calc.PLAN, calc.write_test()], kill_once_then_mend, [calc.finish()]])
    asked = [sum(m["role"] == "assistant" for m in r["messages"]) for r in mortal.requests[before:]]
    assert len(killed) == 1
    assert played.ending == ("draft_pull_request", "proved")
    assert played.run["attempts"] == 2
    assert asked.count(0) == 1  # finished before the kill: never asked again
    assert asked.count(1) == 2  # in flight at the kill: asked once more
    assert len(played.pull_requests) == 1
    assert played.comments == []


def test_a_run_that_kills_its_worker_each_time_is_handed_over_after_a_few_attempts(mortal: Stage) -> None:
    """Q07: attempts are counted in the database."""

    def kill() -> list[dict[str, object]]:
        kill_the_one_that_works(mortal.service.pid)
        return []

    before = len(mortal.requests)
    played = mortal.play(calc.FILES, [kill])
    assert played.ending == ("escalation", "attempts")
    assert len(mortal.requests) - before == MAX_ATTEMPTS
    assert len(played.comments) == 1


def kill_the_one_that_works(service: int) -> int:
    """SIGKILL to the worker's process that holds the run: the deepest python of the worker's tree."""
    (pool,) = [p for p in descendants(service) if "worker" in command(p) and is_pool_process(p)]
    os.kill(pool, signal.SIGKILL)
    return pool


def is_pool_process(pid: int) -> bool:
    """Forked from its parent without a command of its own."""
    return command(pid) == command(parent(pid))


def descendants(pid: int) -> list[int]:
    children = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and parent(int(p.name)) == pid]
    return children + [d for child in children for d in descendants(child)]


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except FileNotFoundError:
        return 0


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()
