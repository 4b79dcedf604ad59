"""Which candidate is the best, and when a task with given tests is solved."""

from dataclasses import replace

import pytest

from agent.budget import BudgetLimits
from agent.errors import LimitExceeded, Submitted, ToolFailed
from agent.scripted import reply, tool_use
from agent.trials import KIND, Trials
from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.test_report import TestOutcome, TestReport
from tests.support.memory_workspace import BASE, TASK, MemoryWorkspace, Recorder, make_agent, report

PASSED, FAILED, SKIPPED, ERROR = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.SKIPPED, TestOutcome.ERROR
GIVEN = frozenset({"test_x.py"})
ONE = report(("test_x.py::a", PASSED), ("test_x.py::b", FAILED))
BOTH = report(("test_x.py::a", PASSED), ("test_x.py::b", PASSED))
NONE = report(("test_x.py::a", FAILED), ("test_x.py::b", FAILED))


def change(content: str) -> ChangeSet:
    return ChangeSet(BASE, {"x.py": FileChange(FileMode.REGULAR, content.encode())})


def trials(*reports: TestReport) -> Trials:
    coming = iter(reports)
    return Trials(GIVEN, lambda _: next(coming))


def test_finish_ends_the_run_where_the_given_tests_pass_and_records_it_first() -> None:
    record = Recorder()
    with pytest.raises(Submitted):
        trials(BOTH).finish("done", change("1"), record)
    (data,) = record.data(KIND)
    assert (data["passed"], data["solved"], data["confirmed"]) == (2, True, True)
    assert ChangeSet.from_json(data["change"]) == change("1")


@pytest.mark.parametrize(
    "said",
    [
        ONE,
        report(("test_x.py::a", PASSED), problem="the accounts differ"),
        report(("test_x.py::a", SKIPPED)),
        report(("test_x.py", ERROR)),
        report(("test_other.py::a", PASSED)),
        report(),
    ],
)
def test_anything_less_comes_back_as_a_report(said: TestReport) -> None:
    told = trials(said).finish("done", change("1"), Recorder())
    assert told.startswith("The given tests do not pass")


def test_every_given_file_must_have_tests() -> None:
    judge = Trials(frozenset({"test_x.py", "test_y.py"}), lambda _: BOTH)
    assert "do not pass" in judge.finish("done", change("1"), Recorder())


def test_a_given_file_that_supports_the_others_need_have_none() -> None:
    judge = Trials(frozenset({"test_x.py", "cases.py"}), lambda _: BOTH, holding=frozenset({"test_x.py"}))
    with pytest.raises(Submitted):
        judge.finish("done", change("1"), Recorder())
    broken = report(("test_x.py::a", PASSED), ("cases.py", ERROR))
    judge = Trials(frozenset({"test_x.py", "cases.py"}), lambda _: broken, holding=frozenset({"test_x.py"}))
    assert "do not pass" in judge.finish("done", change("1"), Recorder())


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (report(("test_x.py::a", SKIPPED)), "None of the given tests passed: one that is skipped"),
        (report(("test_other.py::a", PASSED)), "No test of test_x.py was run."),
    ],
)
def test_what_is_green_and_not_enough_is_told_why(said: TestReport, why: str) -> None:
    assert why in trials(said).finish("done", change("1"), Recorder())
    assert why not in trials(ONE).finish("done", change("1"), Recorder())


def test_a_confirmation_that_ran_out_of_time_does_not_hide_what_was_seen() -> None:
    judge = trials(replace(report(problem="The test run did not end within 2 seconds."), timed_out=True))
    judge.tested(BOTH, change("1"), Recorder())
    best = judge.best()
    assert best
    assert (best.change, best.passed, best.solved) == (change("1"), 2, False)
    assert "did not end within 2 seconds" in best.told
    assert "2 passed" in best.told


def test_the_longest_run_is_known_while_its_candidate_is_confirmed() -> None:
    known: list[float] = []

    def run(_: ChangeSet) -> TestReport:
        known.append(judge.longest_seconds)
        return BOTH

    judge = Trials(GIVEN, run)
    judge.tested(replace(BOTH, seconds=12.0), change("1"), Recorder())
    judge.best()
    assert known == [12.0]


def test_the_longest_run_is_known_after_a_resume_too() -> None:
    record, judge = Recorder(), trials()
    judge.tested(replace(BOTH, seconds=12.0), change("1"), record)
    judge.tested(replace(ONE, seconds=1.0), change("2"), record)
    assert judge.longest_seconds == 12.0
    past = [(KIND, data) for data in record.data(KIND)]
    assert Trials(GIVEN, lambda _: BOTH, past).longest_seconds == 12.0


def test_finish_without_a_change_since_the_last_time_runs_nothing() -> None:
    judge = trials(ONE)
    judge.finish("done", change("1"), Recorder())
    with pytest.raises(ToolFailed, match="Nothing has changed"):
        judge.finish("done", change("1"), Recorder())


def test_the_best_passes_most_and_is_the_latest_of_equals() -> None:
    judge = trials(ONE, ONE, NONE)
    for content in ("1", "2", "3"):
        judge.finish("", change(content), Recorder())
    best = judge.best()
    assert best is not None
    assert best.change == change("2")
    assert "2 failed" in judge.last_told()


def test_a_candidate_of_the_models_own_test_run_is_confirmed_in_a_fresh_box_before_it_counts() -> None:
    confirming = trials(BOTH)
    confirming.tested(BOTH, change("1"), Recorder())
    best = confirming.best()
    assert best is not None
    assert (best.solved, best.confirmed) == (True, True)
    deceived = trials(NONE)
    deceived.tested(BOTH, change("1"), Recorder())
    best = deceived.best()
    assert best is not None
    assert not best.solved
    assert deceived.best_so_far() == best


def test_one_that_does_not_hold_in_a_fresh_box_leaves_its_place_to_the_next() -> None:
    judge = trials(report(problem="the process ended early"), BOTH)
    for content in ("sound", "deceives", "deceives"):
        judge.tested(BOTH, change(content), Recorder())
    best = judge.best()
    assert best is not None
    assert (best.change, best.solved, best.confirmed) == (change("sound"), True, True)


def test_only_a_few_are_confirmed_after_the_end_and_one_of_those_is_the_best() -> None:
    confirmed: list[ChangeSet] = []

    def run(tried: ChangeSet) -> TestReport:
        confirmed.append(tried)
        return ONE

    judge = Trials(GIVEN, run)
    for content in "123456":
        judge.tested(BOTH, change(content), Recorder())
    best = judge.best()
    assert best is not None
    assert (best.change, best.confirmed, best.passed) == (change("4"), True, 1)
    assert confirmed == [change("6"), change("5"), change("4")]


def test_a_run_of_other_tests_is_no_candidate() -> None:
    judge, record = trials(), Recorder()
    judge.tested(report(("tests/own.py::a", PASSED)), change("1"), record)
    assert (judge.best(), record.steps) == (None, [])


def test_trials_of_an_earlier_process_count() -> None:
    record = Recorder()
    trials(ONE).finish("", change("1"), record)
    judge = Trials(GIVEN, never, record.steps)
    best = judge.best()
    assert best is not None
    assert (best.change, best.passed) == (change("1"), 1)


def test_what_an_earlier_process_found_before_it_died_is_its_ending_here_or_is_told() -> None:
    record = Recorder()
    judge = trials(ONE, BOTH)
    judge.finish("", change("1"), record)
    with pytest.raises(Submitted):
        judge.finish("", change("2"), record)
    after = Trials(GIVEN, never, record.steps)
    with pytest.raises(ToolFailed, match=r"(?s)Nothing has changed.*1 passed, 1 failed"):
        after.finish("", change("1"), Recorder())
    with pytest.raises(Submitted):
        after.finish("", change("2"), Recorder())


def never(_: ChangeSet) -> TestReport:
    raise AssertionError("nothing is to be run")


def test_the_loop_goes_on_until_they_pass_however_often_finish_is_called() -> None:
    judge = trials(NONE, ONE, ONE, BOTH)
    writes = [tool_use("write_file", path="x.py", content=str(n)) for n in range(4)]
    replies = [reply(write, tool_use("finish", summary="s")) for write in writes]
    attempt = make_agent(replies, MemoryWorkspace(), judge=judge).run(TASK)
    assert isinstance(attempt.ending, Submitted)


def test_the_budget_ends_the_run_and_the_best_candidate_stays() -> None:
    workspace = MemoryWorkspace(test_report=ONE)
    judge = trials(ONE)
    write = tool_use("write_file", path="x.py", content="1")
    agent = make_agent([reply(write, tool_use("run_tests"))], workspace, BudgetLimits(turns=1), judge=judge)
    attempt = agent.run(TASK)
    assert isinstance(attempt.ending, LimitExceeded)
    best = judge.best_so_far()
    assert best is not None
    assert best.passed == 1
