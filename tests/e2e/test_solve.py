"""`agent-fix solve` as a person runs it, on each kind of sandbox; only the model is scripted."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest

from agent.scripted import text, tool_use
from app.standins.messages import MessagesServer, turns_of
from repo_tools.interpreter.contract import LOST
from tests.support.engine import docker_settings, require_bubblewrap
from tests.support.long import first_of

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

Blocks = list[dict[str, Any]]
PLAN = text("Success criterion: the given tests pass.\n\nPlan: read, write, run.")
TESTS = b"""\
from fizzbuzz import fizzbuzz


def test_numbers():
    assert [fizzbuzz(n) for n in (1, 2, 4)] == ["1", "2", "4"]


def test_fizz_and_buzz():
    assert (fizzbuzz(9), fizzbuzz(10), fizzbuzz(30)) == ("Fizz", "Buzz", "FizzBuzz")
"""
HALF = "def fizzbuzz(n):\n    return str(n)\n"
WHOLE = "def fizzbuzz(n):\n    return 'Fizz' * (n % 3 == 0) + 'Buzz' * (n % 5 == 0) or str(n)\n"
NO_PACKAGES = "[]"
RUN_SECONDS = 900
"""The longest installs the whole environment, once for each engine."""
REAL_PACKAGES = "numpy,pandas,matplotlib,scikit-learn"


@dataclass
class Shell:
    """Runs the command with one kind of sandbox; layers are kept from one test to the next."""

    folder: Path
    settings: dict[str, str]
    requests: list[dict[str, Any]] = field(default_factory=list)

    def environment(self, messages: MessagesServer, packages: str) -> dict[str, str]:
        own = {
            "PYTHONPATH": os.getcwd(),
            "ANTHROPIC_API_KEY": "test-key",
            "ANTHROPIC_BASE_URL": messages.url,
            "AGENT_FIX_DATA_DIR": str(self.folder / "data"),
            "AGENT_FIX_SOLVE_REQUIREMENTS": packages,
        }
        return {**os.environ, **own, **self.settings}

    def solve(
        self, turns: Sequence[Blocks], *arguments: object, packages: str = NO_PACKAGES, **settings: str
    ) -> subprocess.CompletedProcess[str]:
        """The last turn is said again and again."""
        with MessagesServer(lambda request: turns[min(turns_of(request), len(turns) - 1)]) as messages:
            environment = {**self.environment(messages, packages), **settings}
            command = [sys.executable, "-m", "app.cli", "solve", *map(str, arguments)]
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=RUN_SECONDS,
            )
            self.requests = list(messages.requests)
        return done

    def told(self) -> list[str]:
        """Every tool result that the model was shown, in order."""
        blocks = (block for message in self.requests[-1]["messages"] for block in message["content"])
        return [block["content"] for block in blocks if block["type"] == "tool_result"]

    def output(self, name: str) -> Path:
        return self.folder / name


@pytest.fixture(
    scope="module", params=["bubblewrap", pytest.param("docker", marks=[pytest.mark.docker, pytest.mark.long])]
)
def shell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shell:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "docker":
        settings = docker_settings()
    else:
        require_bubblewrap(folder / "probe")
        settings = {"AGENT_FIX_SANDBOX": request.param}
    (folder / "test_fizzbuzz.py").write_bytes(TESTS)
    return Shell(folder, settings)


def fizzbuzz(content: str) -> dict[str, Any]:
    return tool_use("write_file", path="fizzbuzz.py", content=content)


def finish() -> dict[str, Any]:
    return tool_use("finish", summary="Multiples of three and five are told apart.")


def test_it_works_until_the_given_tests_pass(shell: Shell) -> None:
    turns = [[PLAN, fizzbuzz(HALF), tool_use("run_tests")], [finish()], [fizzbuzz(WHOLE), finish()]]
    done = shell.solve(
        turns, "--task", "Write fizzbuzz.", "--tests", "test_fizzbuzz.py", "--output", shell.output("fizz")
    )
    assert done.returncode == 0, done.stderr
    assert "solved: The given tests pass in a fresh sandbox." in " ".join(done.stderr.split())
    assert "told apart" in done.stdout
    assert (shell.output("fizz") / "files" / "fizzbuzz.py").read_text() == WHOLE
    report = (shell.output("fizz") / "report.md").read_text()
    assert "**Solved.**" in report
    assert "2 passed" in report
    assert (shell.output("fizz") / "transcript.json").exists()
    assert "The given tests do not pass in a fresh sandbox" in shell.told()[2]
    assert "test_fizz_and_buzz" in shell.told()[2]
    assert "environment may lack" not in report + str(shell.requests[0])  # nothing was made yet: that is why it is red


def test_tests_that_cannot_pass_end_with_their_last_output_and_exit_code_three(shell: Shell) -> None:
    impossible = shell.folder / "test_impossible.py"
    impossible.write_bytes(TESTS + b"\n\ndef test_contradiction():\n    assert fizzbuzz(1) == 'two', 'never so'\n")
    cheat = tool_use("write_file", path="test_impossible.py", content="def test_nothing():\n    pass\n")
    quiet = tool_use("write_file", path="conftest.py", content="collect_ignore = ['test_impossible.py']\n")
    turns = [[PLAN, fizzbuzz(WHOLE), cheat, quiet, finish()], [finish()], [fizzbuzz(HALF), finish()], [PLAN]]
    done = shell.solve(
        turns, "--task", "Write fizzbuzz.", "--tests", impossible, "--output", shell.output("never"),
        AGENT_FIX_BUDGET__TURNS="4",
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert "never so" in done.stdout
    assert "test_contradiction" in done.stdout
    assert (shell.output("never") / "files" / "fizzbuzz.py").read_text() == WHOLE  # two of three, not one
    assert "never so" in (shell.output("never") / "report.md").read_text()
    told = shell.told()
    assert "protected" in told[1]
    assert "2 passed, 1 failed" in told[3]
    assert "Nothing has changed" in told[4]


def test_tests_that_passed_from_the_start_are_told_as_that(shell: Shell) -> None:
    nothing = shell.folder / "test_nothing.py"
    nothing.write_text("def test_nothing():\n    pass\n")
    done = shell.solve(
        [[PLAN, fizzbuzz(WHOLE), finish()]],
        "--task", "Write fizzbuzz.", "--tests", nothing, "--output", shell.output("nothing"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "They passed before anything was made, too" in " ".join(done.stderr.split())
    assert "They passed before anything was made, too" in (shell.output("nothing") / "report.md").read_text()


def test_a_budget_that_ends_does_not_take_a_candidate_away_that_passes(shell: Shell) -> None:
    turns = [[PLAN, fizzbuzz(WHOLE), tool_use("run_tests")], [fizzbuzz("broken(")]]
    done = shell.solve(
        turns, "--task", "Write fizzbuzz.", "--tests", "test_fizzbuzz.py", "--output", shell.output("late"),
        AGENT_FIX_BUDGET__TURNS="2",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (shell.output("late") / "files" / "fizzbuzz.py").read_text() == WHOLE


SALES = "region,day,units,price\n" + "".join(
    f"{'north' if n % 3 else 'south'},2026-01-{n % 28 + 1:02},{'' if n % 10 == 0 else n % 7 + 1},{n % 5 + 0.25}\n"
    for n in range(200)
)
QUESTION = "What is the mean and the median of the revenue of a sale in the north? Leave out sales without units."
COMPUTE = """\
import pandas as pd
import matplotlib.pyplot as plt
sales = pd.read_csv("data/sales.csv")
sales["revenue"] = sales.units * sales.price
north = sales[sales.region == "north"].revenue.dropna()
north.plot.hist()
plt.savefig("revenue.png")
print(f"mean {north.mean():.6f} median {north.median():.6f} count {len(north)}")
"""


def expected() -> list[float]:
    rows = csv.DictReader(io.StringIO(SALES))
    return [float(r["units"]) * float(r["price"]) for r in rows if r["region"] == "north" and r["units"]]


@pytest.mark.timeout(RUN_SECONDS)
def test_a_question_about_a_table_is_answered_with_code_figures_and_plots(shell: Shell) -> None:
    """The environment that a person gets: pandas, matplotlib and all."""
    (shell.folder / "sales.csv").write_text(SALES)
    revenue = expected()
    figures = [{"name": "mean revenue", "value": round(mean(revenue), 6)}, {"name": "sales", "value": len(revenue)}]
    query = "SELECT count(*) AS n, round(avg(units * price), 6) FROM sales WHERE region = 'north' AND units IS NOT NULL"
    turns = [
        [PLAN, tool_use("run_python", code="import sklearn, numpy\nnumpy.arange(3).sum()")],
        [tool_use("run_python", code=COMPUTE), tool_use("sql", query=query)],
        [tool_use("run_python", code="round(north.max(), 2)")],
        [tool_use("answer", text="The mean revenue **grew**.", figures=figures, files=["revenue.png"])],
    ]
    done = shell.solve(
        turns, "--task", QUESTION, "--data", "sales.csv", "--output", shell.output("sales"), packages=REAL_PACKAGES
    )
    assert done.returncode == 0, done.stderr
    told = shell.told()
    assert told[0].endswith("3") or "np.int64(3)" in told[0]
    assert f"mean {mean(revenue):.6f} median {median(revenue):.6f} count {len(revenue)}" in told[1]
    assert "[files kept: revenue.png]" in told[1]
    assert told[2].splitlines()[1] == f"{len(revenue)} | {round(mean(revenue), 6)}"
    assert str(round(max(revenue), 2)) in told[3]
    assert "The mean revenue **grew**." in done.stdout
    assert str(round(mean(revenue), 6)) in done.stdout
    folder = shell.output("sales")
    assert (folder / "files" / "revenue.png").read_bytes().startswith(b"\x89PNG")
    report = (folder / "report.md").read_text()
    assert "![](files/revenue.png)" in report
    assert 'sales = pd.read_csv("data/sales.csv")' in report
    assert query in report


def test_time_outs_keep_the_state_and_crashes_say_that_it_is_lost(shell: Shell) -> None:
    turns = [
        [PLAN, tool_use("run_python", code="kept = 41")],
        [tool_use("run_python", code="while True:\n    kept = 41", timeout_seconds=1)],
        [tool_use("run_python", code="kept + 1"), tool_use("run_python", code="import os\nos._exit(3)")],
        [tool_use("run_python", code="'kept' in globals()")],
        [tool_use("run_python", code="x = 1\nmuch = bytearray(64 << 30)")],
        [tool_use("run_python", code="x")],
        [tool_use("answer", text="Done.")],
    ]
    done = shell.solve(turns, "--task", "Try.", "--output", shell.output("try"), "--json")
    assert done.returncode == 0, done.stderr
    told = shell.told()
    assert json.loads(done.stdout)["answer"] == "Done."
    assert told[1].endswith("[interrupted after 1 s; variables are kept]")
    assert told[2] == "42"
    assert told[3] == "[the interpreter ended (exit code 3); the next step begins with a new one]"
    assert told[4] == f"[{LOST}]\nFalse"
    assert told[5].splitlines()[-1] == "MemoryError"
    assert told[6] == "1"


@pytest.mark.parametrize(("how", "code"), first_of([(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)]))
def test_a_run_whose_process_was_cut_off_goes_on_and_says_that_variables_are_lost(
    shell: Shell, how: signal.Signals, code: int
) -> None:
    killed: list[int] = []
    started: list[subprocess.Popen[str]] = []

    def kill_once() -> Blocks:
        if not killed:
            killed.append(started[0].pid)
            os.kill(started[0].pid, how)
            started[0].wait(RUN_SECONDS)
        return [tool_use("run_python", code="print('kept' in globals(), open('note.txt').read())")]

    turns: list[Callable[[], Blocks]] = [
        lambda: [PLAN, tool_use("run_python", code="kept = 1\nopen('note.txt', 'w').write('still here')")],
        kill_once,
        lambda: [tool_use("answer", text="It went on.")],
    ]
    with MessagesServer(lambda request: turns[turns_of(request)]()) as messages:
        environment = {**shell.environment(messages, NO_PACKAGES), "AGENT_FIX_LEASE_SECONDS": "5"}
        command = [sys.executable, "-m", "app.cli", "solve", "--output", str(shell.output("on"))]
        heard = ["env", "--default-signal=INT"]  # which a shell's background jobs, these tests among them, ignore
        first = subprocess.Popen(
            [*heard, *command, "--task", "Go on."], env=environment, text=True, stderr=subprocess.PIPE
        )
        started.append(first)
        _, said = first.communicate(timeout=RUN_SECONDS)
        assert first.returncode == code, said
        assert ("agent-fix: interrupted\n" in said) is (how is signal.SIGINT)
        (run_id,) = [p.name for p in (shell.folder / "data" / "solve").iterdir()]
        assert f"`agent-fix solve --resume {run_id}`" in said
        resume, done = [*command, "--resume", run_id], None
        while done is None or "one that died keeps it for 5 s" in done.stderr:
            time.sleep(1)
            done = subprocess.run(
                resume, env=environment, capture_output=True, text=True, check=False, timeout=RUN_SECONDS
            )
        shell.requests = list(messages.requests)
    assert done.returncode == 0, done.stderr
    assert "It went on." in done.stdout
    assert shell.told()[1] == f"[{LOST}]\nFalse still here"
    assert len(killed) == 1
    assert (shell.output("on") / "files" / "note.txt").read_text() == "still here"
    assert list((shell.folder / "data" / "solve").iterdir()) == []
