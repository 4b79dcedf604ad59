"""S03: a suite that takes all there is ends within its limits, its run in an honest outcome, and the worker goes on."""

import pytest

from agent.scripted import tool_use
from tests.support import calc
from tests.support.long import first_of
from tests.support.stage import Stage

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

MEMORY = """
def test_of_all_memory():
    taken = []
    while True:
        taken.append(b"x" * (64 << 20))
"""
PROCESSES = """
import os, time

def test_of_all_processes():
    while True:
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
"""
DISK = """
def test_of_all_disk():
    with open("bomb", "wb", buffering=0) as bomb:
        while True:
            bomb.write(bytes(1 << 20))
"""
FILES = """
def test_of_all_inodes():
    number = 0
    while True:
        open(f"bomb-{number}", "w").close()
        number += 1
"""


GIVE_UP = [tool_use("give_up", reason="The suite takes everything.")]


def test_a_suite_that_takes_its_own_box_down_is_handed_over(stage: Stage) -> None:
    played = stage.play({**calc.FILES, "test_bomb.py": FILES.encode()}, [])
    assert played.ending == ("escalation", "no_tests")
    assert "died" in played.comments[0].body
    assert len(played.comments) == 1


@pytest.mark.parametrize(
    ("bomb", "words"),
    first_of(
        [
            (MEMORY, "wanted more memory than a sandbox has"),
            (PROCESSES, "Resource temporarily unavailable"),
            (DISK, "No space left on device"),
        ]
    ),
    ids=["memory", "processes", "disk"],
)
def test_a_suite_that_meets_its_limits_fails_there_and_its_other_tests_count(
    stage: Stage, bomb: str, words: str
) -> None:
    played = stage.play({**calc.FILES, "test_bomb.py": bomb.encode()}, calc.mended())
    assert played.ending == ("draft_pull_request", "proved")
    (baseline,) = [step["data"] for step in played.run["steps"] if step["kind"] == "baseline"]
    (failure,) = baseline["failures"]
    assert words in failure["message"]


def test_a_bomb_that_the_model_writes_goes_off_in_its_own_box(stage: Stage) -> None:
    bomb = tool_use("write_file", path="test_bomb.py", content=MEMORY)
    played = stage.play(calc.FILES, [[*calc.PLAN, bomb, tool_use("run_tests")], GIVE_UP])
    assert played.ending == ("escalation", "gave_up")
    report = played.run["transcript"]["turns"][0]["tools"][1]["result"]
    assert "wanted more memory than a sandbox has" in report
