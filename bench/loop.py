"""CPU of one step of the agent's loop, early and late in a run: scripted model, files in memory, nothing journaled."""

import statistics
import time
from itertools import repeat
from typing import Any

from agent.budget import BudgetLimits
from agent.loop import Agent
from agent.model import Usage
from agent.scripted import reply, text, tool_use
from tests.support.memory_workspace import TASK, MemoryWorkspace, make_agent

EARLY, LATE = 30, 300
AROUND = 10
RUNS = 5
SOURCE = "".join(
    f"def function_{n}(value):\n    return value + {n}  # a line like many\n\n\n" for n in range(150)
).encode()


def measure() -> list[dict[str, Any]]:
    """Rows of what, who, value and unit: milliseconds of CPU a step, the median around step 30 and around step 300."""
    runs = [_step_seconds(LATE + AROUND) for _ in range(RUNS)]
    return [
        {"what": f"loop step {step}, CPU", "who": "agent-fix", "value": _median_ms(runs, step), "unit": "ms"}
        for step in (EARLY, LATE)
    ]


def _median_ms(runs: list[list[float]], step: int) -> float:
    around = [seconds for run in runs for seconds in run[step - AROUND : step + AROUND]]
    return round(statistics.median(around) * 1000, 3)


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


if __name__ == "__main__":
    for row in measure():
        print(row)
