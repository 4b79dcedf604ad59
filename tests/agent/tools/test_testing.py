"""run_tests and what the model is told of a report."""

import pytest

from agent.assignment import FIX
from agent.budget import Budget, BudgetLimits
from agent.errors import LimitExceeded
from agent.model import ToolCall
from agent.tools.output import shorten
from agent.tools.testing import describe
from agent.tools.tool import Desk
from repo_tools.test_report import TestOutcome, TestReport
from tests.support.memory_workspace import PRICE, MemoryWorkspace, report

PASSED, FAILED, ERROR = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.ERROR


def desk_for(workspace: MemoryWorkspace, limits: BudgetLimits) -> Desk:
    return Desk(workspace, Budget(limits, PRICE, clock=lambda: 0.0), lambda summary: "")


def test_a_selector_and_the_time_left_reach_the_workspace() -> None:
    workspace = MemoryWorkspace()
    desk = desk_for(workspace, BudgetLimits(seconds=90))
    FIX.toolbox.execute(ToolCall("1", "run_tests", {"selector": "tests/test_a.py::test_b"}), desk)
    FIX.toolbox.execute(ToolCall("2", "run_tests", {}), desk_for(workspace, BudgetLimits(seconds=None)))
    assert workspace.test_calls == [(("tests/test_a.py::test_b",), 90), ((), 600)]


def test_a_refused_selector_costs_no_test_run() -> None:
    """F10."""
    desk = desk_for(MemoryWorkspace(), BudgetLimits())
    assert FIX.toolbox.execute(ToolCall("1", "run_tests", {"selector": "-p evil"}), desk).is_error
    assert desk.budget.test_runs == 0


@pytest.mark.parametrize(
    ("selector", "counted"),
    [("tests/test_b.py::test_c", 0), ("tests/te", 0), ("tests/test_a.py::test_c", 1), ("./tests/", 1), (".", 1)],
)
def test_a_selector_whose_file_is_not_there_costs_no_test_run(selector: str, counted: int) -> None:
    desk = desk_for(MemoryWorkspace({"tests/test_a.py": b""}, report(problem="not found")), BudgetLimits())
    told = FIX.toolbox.execute(ToolCall("1", "run_tests", {"selector": selector}), desk).content
    assert desk.budget.test_runs == counted
    assert ("not counted as a test run: there is no tests/te" in told) is (counted == 0)


def test_what_ran_is_counted_wherever_its_file_is() -> None:
    desk = desk_for(MemoryWorkspace(), BudgetLimits())
    FIX.toolbox.execute(ToolCall("1", "run_tests", {"selector": "build/test_a.js"}), desk)
    assert desk.budget.test_runs == 1


def test_the_model_knows_how_many_runs_are_left_and_the_next_one_too_many_ends_the_run() -> None:
    desk = desk_for(MemoryWorkspace(), BudgetLimits(test_runs=2))
    first, second = (FIX.toolbox.execute(ToolCall("1", "run_tests", {}), desk).content for _ in range(2))
    assert first.endswith("(test run 1 of 2)")
    assert "it was the last one" in second
    with pytest.raises(LimitExceeded):
        FIX.toolbox.execute(ToolCall("1", "run_tests", {}), desk)


def test_a_report_names_counts_failures_and_what_was_left_behind() -> None:
    told = describe(
        TestReport(
            "pytest",
            report(("t.py::a", PASSED), ("t.py::b", FAILED), ("t.py::c", ERROR)).cases,
            1,
            2.0,
            "noise",
            left_behind=("out.db",),
        )
    )
    assert told.startswith("1 passed, 1 failed, 1 error in 2.0 s")
    assert "--- t.py::b\nassert 1 == 2" in told
    assert "1 path, which was put back: out.db" in told
    assert "noise" not in told


def test_several_of_a_kind_are_told_as_several() -> None:
    told = describe(
        TestReport("pytest", report(("t.py::a", ERROR), ("t.py::b", ERROR)).cases, 1, 2.0, "", left_behind=("a", "b"))
    )
    assert told.startswith("2 errors in 2.0 s")
    assert "2 paths, which were put back: a, b" in told


def test_a_report_that_cannot_be_trusted_says_so_first_and_shows_the_output() -> None:
    told = describe(report(problem="the run was stopped after 600 s"))
    assert told.startswith("No result to trust: the run was stopped after 600 s")
    assert "output of the runner" in told
    assert "no tests" in told


def test_a_thousand_failures_stay_readable() -> None:
    told = describe(report(*((f"t.py::test_{n}", FAILED) for n in range(1_000))))
    assert told.count("---") == 10
    assert len(told) < 8_000


def test_long_text_is_cut_in_the_middle_with_a_note() -> None:
    text = "head\n" + "x\n" * 1_000 + "tail"
    short = shorten(text, 100)
    assert short.startswith("head\n")
    assert short.endswith("tail")
    assert "1909 characters" in short
    assert shorten("short", 100) == "short"
