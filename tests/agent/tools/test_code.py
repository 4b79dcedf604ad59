"""run_python, sql and answer: what the model is told, and what becomes of its files."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from agent.assignment import FIX, FIX_WITH_PYTHON, Assignment, solving
from agent.budget import Budget, BudgetLimits
from agent.errors import Answered
from agent.model import ToolCall
from agent.scripted import reply, tool_use
from agent.tools.python_session import describe
from agent.tools.tool import Desk
from agent.tools.toolbox import Result
from repo_tools.changes import ChangeSet
from repo_tools.interpreter.contract import LOST, Altered, QueryRefusedError, QueryResult, Step
from repo_tools.interpreter.notebook import Notebook, Noted
from tests.support.memory_workspace import PRICE, TASK, MemoryWorkspace, Recorder, make_agent

ASKING, TESTED = solving(tested=False, data=True), solving(tested=True, data=False)


@dataclass
class Saying:
    """An interpreter that answers each step with the next of `steps`; after each, `files` are there."""

    steps: list[Step]
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, float]] = field(default_factory=list)

    def run(self, code: str, change: ChangeSet, *, timeout_seconds: float) -> Step:
        self.asked.append((code, timeout_seconds))
        return self.steps.pop(0)

    def altered(self) -> Altered:
        return Altered(tuple(self.files))

    def read(self, path: str, *, max_bytes: int) -> bytes:
        return self.files[path]

    def leave(self, path: str) -> None:
        pass

    def close(self) -> None:
        pass


class Rows:
    """Tables that answer with a fixed result, or refuse."""

    def __init__(self, result: QueryResult | QueryRefusedError) -> None:
        self.result = result

    def query(self, query: str, *, max_rows: int, timeout_seconds: float, reading_seconds: float = 1.0) -> QueryResult:
        if isinstance(self.result, QueryRefusedError):
            raise self.result
        return self.result


def call(
    name: str, arguments: dict[str, Any], *, assignment: Assignment = ASKING, seconds: int | None = None, **desk: Any
) -> Result:
    budget = Budget(BudgetLimits(seconds=seconds), PRICE, clock=lambda: 0.0)
    at = Desk(MemoryWorkspace({"plot.png": b""}), budget, lambda summary: "", **desk)
    return assignment.toolbox.execute(ToolCall("1", name, arguments), at)


def run(step: Step, keeps_files: bool = True, files: dict[str, bytes] | None = None, **options: Any) -> Result:
    workspace = MemoryWorkspace()
    notebook = Notebook(Saying([step], files or {}), workspace, keeps_files=keeps_files)
    return call("run_python", {"code": "1"}, notebook=notebook, **options)


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (Step("8\n"), "8"),
        (Step(""), "(no output)"),
        (Step("8\n", restarted=True), f"[{LOST}]\n8"),
        (Step("KeyboardInterrupt\n", True), "KeyboardInterrupt\n[interrupted after 120 s; variables are kept]"),
        (
            Step("x\n", ended="exit code 3"),
            "x\n[the interpreter ended (exit code 3); the next step begins with a new one]",
        ),
        (
            Step("", True, ended="it was killed"),
            "[interrupted after 120 s]\n[the interpreter ended (it was killed); the next step begins with a new one]",
        ),
        (Step("8\n", missing={"a.py": "full"}), "[not in the interpreter's copy: a.py: full]\n8"),
    ],
)
def test_the_model_is_told_what_was_printed_and_what_happened_to_the_interpreter(step: Step, told: str) -> None:
    result = run(step)
    assert (result.content, result.is_error) == (told, False)


def test_the_files_that_were_kept_and_those_that_were_not_are_named() -> None:
    result = run(Step("done\n"), files={"plots/a.png": b"png", "../b": b""})
    assert result.content.startswith("done\n[files kept: plots/a.png]\n[not kept: ../b: ")
    assert result.changed_files


def test_the_files_that_code_removed_are_named() -> None:
    noted = Noted(Step("done\n"), kept=("a",), removed=("b", "c"))
    assert describe(noted, 1) == "done\n[files kept: a]\n[files removed: b, c]"


def test_how_many_more_files_were_not_kept_is_told() -> None:
    left = {f"f{number:02}": "too many" for number in range(25)}
    told = describe(Noted(Step(""), left=left), 1).splitlines()
    assert told[-2:] == ["[not kept: f19: too many]", "[not kept: 5 more]"]


def test_a_step_gets_no_more_time_than_the_budget_leaves() -> None:
    saying = Saying([Step(""), Step("")])
    notebook = Notebook(saying, MemoryWorkspace(), keeps_files=True)
    call("run_python", {"code": "1", "timeout_seconds": 600}, seconds=90, notebook=notebook)
    call("run_python", {"code": "2", "timeout_seconds": 7}, seconds=90, notebook=notebook)
    assert saying.asked == [("1", 90), ("2", 7)]


def test_in_a_fix_the_tool_is_off_unless_the_operator_turns_it_on_and_then_changes_nothing() -> None:
    assert "run_python" not in FIX.toolbox.by_name
    assert "run_python" in FIX_WITH_PYTHON.toolbox.by_name
    assert not run(Step(""), keeps_files=False, files={"a": b""}, assignment=FIX_WITH_PYTHON).changed_files
    assert FIX.rules != FIX_WITH_PYTHON.rules


def test_the_tools_of_a_task_are_those_that_it_can_use() -> None:
    assert {"run_python", "sql", "answer"} <= set(ASKING.toolbox.by_name)
    assert "finish" not in ASKING.toolbox.by_name
    assert {"run_python", "run_tests", "finish"} <= set(TESTED.toolbox.by_name)
    assert not {"sql", "answer"} & set(TESTED.toolbox.by_name)


def test_rows_are_lines_and_the_model_knows_whether_they_are_all() -> None:
    found = QueryResult(("a", "b"), (("1", "x\ny"),))
    assert call("sql", {"query": "q"}, tables=Rows(found)).content == "a | b\n1 | x\\ny\n[1 row]"
    more = call("sql", {"query": "q"}, tables=Rows(replace(found, more=True))).content
    assert more.endswith("[only the first 1 row]")
    doubtful = call("sql", {"query": "q"}, tables=Rows(replace(found, doubts=("a.csv: no header?",)))).content
    assert doubtful.endswith("[1 row]\n[a.csv: no header?]")


def test_a_query_that_is_refused_is_the_models_to_correct() -> None:
    refused = call("sql", {"query": "q"}, tables=Rows(QueryRefusedError("no such table: t\nTables:\nsales")))
    assert (refused.is_error, refused.content) == (True, "no such table: t\nTables:\nsales")


def test_an_answer_ends_the_run_with_its_figures_and_files() -> None:
    figures = [{"name": "mean", "value": 2.5}, {"name": "best", "value": "north"}]
    with pytest.raises(Answered) as caught:
        call("answer", {"text": "It is 2.5.", "figures": figures, "files": ["plot.png"]})
    assert caught.value.figures == (("mean", "2.5"), ("best", "north"))
    assert caught.value.files == ("plot.png",)


def test_an_answer_names_only_files_that_are_there() -> None:
    assert "no-such.png" in call("answer", {"text": "x", "files": ["no-such.png"]}).content


def test_what_code_made_is_part_of_the_checkpoint_that_a_resumed_run_starts_from() -> None:
    workspace, record = MemoryWorkspace(), Recorder()
    notebook = Notebook(Saying([Step("ok\n")], {"plot.png": b"png"}), workspace, keeps_files=True)
    script = [reply(tool_use("run_python", code="plot()")), reply(tool_use("answer", text="done"))]
    attempt = make_agent(script, workspace, record=record, assignment=ASKING, notebook=notebook).run(TASK)
    assert isinstance(attempt.ending, Answered)
    (result,) = record.data("tool_result")
    assert list(result["change"]["files"]) == ["plot.png"]
