"""CPU of one step of the agent's loop, early and late in a run: scripted model, files in memory, nothing journaled."""

import time
from itertools import repeat

from agent.budget import BudgetLimits
from agent.loop import Agent
from agent.model import Usage
from agent.scripted import reply, text, tool_use
from bench.table import Row, alone, compared
from tests.support.memory_workspace import TASK, MemoryWorkspace, make_agent

EARLY, LATE = 30, 300
AROUND = 10
RUNS = 5
TARGET_MILLISECONDS = 5.0
TARGET_GROWTH = 1.25  # the same, as far as such short times can be told apart
SOURCE = "".join(
    f"def function_{n}(value):\n    return value + {n}  # a line like many\n\n\n" for n in range(150)
).encode()


def measure() -> list[Row]:
    """Milliseconds of CPU a step, around step 30 and around step 300; then the late steps beside the early ones."""
    runs = [_step_seconds(LATE + AROUND) for _ in range(RUNS)]
    early, late = _milliseconds(runs, EARLY), _milliseconds(runs, LATE)
    return [
        alone(f"loop step {EARLY}: processor time", early, TARGET_MILLISECONDS, "ms"),
        alone(f"loop step {LATE}: processor time", late, TARGET_MILLISECONDS, "ms"),
        compared(f"loop step {LATE} beside step {EARLY}", late, early, TARGET_GROWTH, "ms"),
    ]


def _milliseconds(runs: list[list[float]], step: int) -> list[float]:
    return [seconds * 1000 for run in runs for seconds in run[step - AROUND : step + AROUND]]


def _step_seconds(steps: int) -> list[float]:
    agent = _agent()
    agent.open(TASK)
    seconds = []
    for _ in range(steps):
        started = time.process_time()
        agent.step()
        seconds.append(time.process_time() - started)
    return seconds


def _agent() -> Agent:
    """Each step reads a file of 600 lines and writes another."""
    blocks = (
        text("Reading, then writing."),
        tool_use("read_file", path="source.py"),
        tool_use("write_file", path="other.py", content="x = 1\n" * 200),
    )
    unlimited = BudgetLimits(None, None, None, None, None)
    return make_agent(repeat(reply(*blocks, usage=Usage(1, 1))), MemoryWorkspace({"source.py": SOURCE}), unlimited)
