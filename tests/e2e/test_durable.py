"""A run outlives the process that works on it."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.scripted import tool_use
from bench.chaos.processes import descendants
from tests.e2e.conftest import OpenStage
from tests.support import calc
from tests.support.processes import command_of, eventually, is_alive
from tests.support.stage import Stage
from workers.store import MAX_ATTEMPTS

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]


SLEEP = ("sleep", "12.0625")  # by its odd length the process is found, and so long that it can be
SLOW_BESIDE_THE_NEW_TEST = f"""
import pathlib, subprocess

def test_slow():
    if pathlib.Path("test_first_price.py").exists():
        left = pathlib.Path("/tmp/left-by-the-killed-box")
        assert not left.exists()
        left.touch()
        subprocess.run({SLEEP}, check=True)
"""


@pytest.fixture(scope="module")
def mortal(open_stage: OpenStage) -> Iterator[Stage]:
    """A service whose runs are soon taken over."""
    with open_stage({"AGENT_FIX_LEASE_SECONDS": "20"}) as stage:
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


@pytest.mark.long(short="test_a_worker_killed_in_the_middle_of_a_run_costs_no_finished_model_call_twice")
def test_a_worker_killed_while_tests_run_leaves_no_box_and_the_step_is_done_again_in_a_clean_one(mortal: Stage) -> None:
    """Q02."""
    killer = KillsWhileTestsRun(mortal)
    killer.start()
    slow = {**calc.FILES, "test_slow.py": SLOW_BESIDE_THE_NEW_TEST.encode()}
    before = len(mortal.requests)
    played = mortal.play(slow, calc.mended(tool_use("run_tests")))
    killer.join()
    asked = [sum(m["role"] == "assistant" for m in r["messages"]) for r in mortal.requests[before:]]
    assert killer.pool is not None
    assert not any(is_alive(pid) for pid in killer.in_the_box)
    assert played.ending == ("draft_pull_request", "proved")
    assert played.run["attempts"] == 2
    assert asked == [0, 1]  # neither the call before the kill nor the one after it is made twice
    assert len(played.pull_requests) == 1


@pytest.mark.long(short="test_a_worker_killed_in_the_middle_of_a_run_costs_no_finished_model_call_twice")
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


class KillsWhileTestsRun(threading.Thread):
    """Kills the pool's process the first time that a box of the service runs `SLEEP`."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self._service = stage.service.pid
        self.in_the_box: list[int] = []
        self.pool: int | None = None

    def run(self) -> None:
        eventually(self._found, 240, "tests that run in a box")
        self.pool = kill_the_one_that_works(self._service)

    def _found(self) -> bool:
        wanted = "".join(f"{word}\0" for word in SLEEP)
        self.in_the_box = [pid for pid in descendants(self._service) if command_of(pid) == wanted]
        return bool(self.in_the_box)


def kill_the_one_that_works(service: int) -> int:
    """SIGKILL to the worker's process that holds the run: the deepest python of the worker's tree. A child that was
    just forked looks like it until it has a command of its own: two looks in succession have to find the same one."""
    looks: list[list[int]] = [[]]

    def agreed() -> bool:
        looks.append([p for p in descendants(service) if "worker" in command_of(p) and is_pool_process(p)])
        return len(looks[-1]) == 1 and looks[-1] == looks[-2]

    eventually(agreed, what="one process of the pool")
    (pool,) = looks[-1]
    os.kill(pool, signal.SIGKILL)
    return pool


def is_pool_process(pid: int) -> bool:
    """Forked from its parent without a command of its own."""
    return command_of(pid) == command_of(parent(pid))


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except OSError:  # it ended meanwhile
        return 0
