"""An attempt that was cut short goes on where it was: nothing is asked, executed or paid for twice."""

import json
from dataclasses import replace
from typing import Any

import pytest

from agent import thinking
from agent.assignment import FIX, Assignment
from agent.budget import BudgetLimits, Spent
from agent.errors import LimitExceeded, NotProved, Submitted
from agent.replay import UNANSWERED, last_change, resumable, transcript_of
from agent.scripted import reply, text, tool_use
from agent.tools.toolbox import Toolbox
from tests.support.memory_workspace import (
    NOT_PROVED,
    TASK,
    MemoryWorkspace,
    Recorder,
    ScriptedAgent,
    StoppedError,
    make_agent,
)

FILES = {"calc.py": b"def add(a, b):\n    return a - b\n"}
UNLIMITED = BudgetLimits(None, None, None, None, None)
FEW_TURNS = replace(UNLIMITED, turns=6)
"""So few that the model is told of it, after the first reply and after the last one."""
SCRIPT = (
    reply(text("Criterion and plan."), tool_use("read_file", path="calc.py"), tool_use("run_tests")),
    reply(text("I wonder.")),
    reply(
        tool_use("edit_file", path="calc.py", old="a - b", new="a + b"), tool_use("write_file", path="t.py", content="")
    ),
    reply(text("Done."), tool_use("finish", summary="sign")),
)


class Killed(Recorder):
    """Keeps steps as a journal does, as JSON, and dies after so many."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def __call__(self, kind: str, data: Any) -> None:
        super().__call__(kind, json.loads(json.dumps(data)))
        if len(self.steps) == self.after:
            raise StoppedError(kind)


def resumed(
    killed: Killed, replies: Any, limits: BudgetLimits = UNLIMITED, **options: Any
) -> tuple[ScriptedAgent, MemoryWorkspace]:
    workspace = MemoryWorkspace(FILES)
    workspace.change = last_change(killed.steps) or workspace.change
    return make_agent(replies, workspace, limits, earlier=spent(killed), **options), workspace


def spent(killed: Killed) -> Spent:
    return Spent.from_spend(killed.steps[-1][1]["spend"])


def cut_short(after: int, limits: BudgetLimits = UNLIMITED) -> tuple[Killed, MemoryWorkspace]:
    killed, workspace = Killed(after), MemoryWorkspace(FILES)
    with pytest.raises(StoppedError):
        make_agent(SCRIPT, workspace, limits, record=killed).run(TASK)
    return killed, workspace


@pytest.mark.parametrize("limits", [UNLIMITED, FEW_TURNS], ids=["unlimited", "few turns"])
@pytest.mark.parametrize("after", range(1, 10))
def test_wherever_it_is_cut_short_the_whole_is_as_if_it_had_not_been(after: int, limits: BudgetLimits) -> None:
    whole = make_agent(SCRIPT, MemoryWorkspace(FILES), limits)
    expected = whole.run(TASK)
    killed, first = cut_short(after, limits)
    paid_for = len(killed.data("reply"))
    record = Recorder()
    agent, second = resumed(killed, SCRIPT[paid_for:], limits, record=record)
    attempt = agent.run(TASK, killed.steps)

    assert isinstance(attempt.ending, Submitted)
    assert attempt.change == expected.change
    said = [(t.number, t.text, t.tools) for t in expected.transcript.turns]
    assert [(t.number, t.text, t.tools) for t in attempt.transcript.turns] == said
    assert agent.budget.turns == len(SCRIPT)
    assert agent.budget.test_runs == 1
    assert len(first.test_calls) + len(second.test_calls) <= 2
    kinds = [kind for kind, _ in killed.steps + record.steps]
    assert kinds.count("reply") == len(SCRIPT)
    assert kinds.count("tool_result") == 4
    assert ("Turns left: 5." in str(whole.model.requests[-1].messages)) == (limits is FEW_TURNS)
    if agent.model.requests:
        assert agent.model.requests[-1].messages == whole.model.requests[-1].messages


def test_an_attempt_goes_on_with_the_first_message_it_began_with() -> None:
    killed, _ = cut_short(3)
    agent, _ = resumed(killed, SCRIPT[1:])
    agent.run(replace(TASK, repo_map="another map"), killed.steps)
    assert "another map" not in str(agent.model.requests[0].messages)


def test_what_the_harness_said_stays_as_it_was_said() -> None:
    """A later release has other words, and the operator has changed the limits since."""
    killed, _ = cut_short(5, FEW_TURNS)  # in the middle of the third reply
    older = [(kind, json.loads(json.dumps(data).replace("Your reply called", "OLDER"))) for kind, data in killed.steps]
    killed.steps = [(kind, {**data, "reminders": ["OLD"]} if data.get("reminders") else data) for kind, data in older]
    agent, _ = resumed(killed, SCRIPT[3:])
    agent.run(TASK, killed.steps)
    asked = agent.model.requests[0].messages
    assert [block.get("text") for block in asked[2]["content"]][2:] == ["OLD"]
    assert [block["text"] for block in asked[4]["content"]] == ["OLDER no tool, so nothing happened. Go on with a tool "
        "call; call `finish` when the change is done, or `give_up`."]  # fmt: skip
    assert "Turns left" not in str(asked)


def test_an_attempt_goes_on_asking_for_as_many_tokens_as_it_began_with() -> None:
    killed, _ = cut_short(3)
    agent, _ = resumed(killed, SCRIPT[1:], context_tokens=40_000)
    agent.run(TASK, killed.steps)
    assert {request.max_output_tokens for request in agent.model.requests} == {32_000}
    fresh = make_agent(SCRIPT, MemoryWorkspace(FILES), context_tokens=40_000)
    fresh.run(TASK)
    assert {request.max_output_tokens for request in fresh.model.requests} == {10_000}


def test_steps_of_other_rules_are_not_resumed_and_steps_of_others_are_passed_over() -> None:
    killed, _ = cut_short(3)
    assert resumable([("baseline", {}), *killed.steps], FIX.rules) == killed.steps
    kind, data = killed.steps[0]
    assert (
        resumable([(kind, {**data, "request": {**data["request"], "rules": "older"}}), *killed.steps[1:]], FIX.rules)
        == ()
    )
    assert resumable([("baseline", {})], FIX.rules) == resumable([], FIX.rules) == ()


def test_rules_are_prompt_tools_and_how_models_are_asked_to_think(monkeypatch: pytest.MonkeyPatch) -> None:
    def rules(assignment: Assignment = FIX) -> str:
        return replace(assignment).rules

    before = rules()
    assert rules(replace(FIX, nudge="Another one.")) == before  # which stands in the journal
    assert rules(replace(FIX, system="Another one.")) != before
    assert rules(replace(FIX, toolbox=Toolbox(FIX.toolbox.tools[1:]))) != before
    monkeypatch.setattr(thinking, "ADAPTIVE", {"type": "adaptive"})
    assert rules() != before


def test_only_the_calls_without_a_result_are_made_again() -> None:
    killed, first = cut_short(2)  # after the result of read_file
    agent, second = resumed(killed, SCRIPT[1:])
    agent.run(TASK, killed.steps)
    assert (len(first.test_calls), len(second.test_calls)) == (0, 1)


def test_a_model_call_that_may_have_been_in_flight_is_charged_at_its_worst() -> None:
    between_turns, _ = cut_short(3)
    within_a_turn, _ = cut_short(2)
    (sure, _), (maybe, _) = (resumed(killed, SCRIPT[1:]) for killed in (within_a_turn, between_turns))
    sure.run(TASK, within_a_turn.steps)
    maybe.run(TASK, between_turns.steps)
    assert sure.budget.tokens == 480
    assert maybe.budget.tokens > 480 + 32_000


def test_limits_go_on_from_what_was_spent() -> None:
    killed, _ = cut_short(3)
    agent = make_agent([], MemoryWorkspace(FILES), BudgetLimits(turns=1), earlier=spent(killed))
    attempt = agent.run(TASK, killed.steps)
    assert isinstance(attempt.ending, LimitExceeded)
    assert attempt.ending.kind == "turns"


def test_a_verification_that_came_back_counts() -> None:
    first_finish = reply(tool_use("finish", summary="one"))
    killed = Killed(after=3)
    with pytest.raises(StoppedError):
        make_agent([first_finish], MemoryWorkspace(FILES), UNLIMITED, NOT_PROVED, killed).run(TASK)
    assert [kind for kind, _ in killed.steps] == ["reply", "verification", "tool_result"]
    agent, _ = resumed(killed, [reply(tool_use("finish", summary="two"))], verify=NOT_PROVED)
    assert isinstance(agent.run(TASK, killed.steps).ending, NotProved)


@pytest.mark.parametrize("after", range(1, 10))
def test_wherever_it_is_cut_short_the_steps_tell_what_was_said_so_far(after: int) -> None:
    killed, _ = cut_short(after)
    whole = make_agent(SCRIPT, MemoryWorkspace(FILES), UNLIMITED)
    told, said = transcript_of(killed.steps), whole.run(TASK).transcript
    assert told.opening == "Criterion and plan."
    assert [turn.text for turn in told.turns] == [turn.text for turn in said.turns[: len(told.turns)]]
    answers = [use.result for turn in told.turns for use in turn.tools if use.result != UNANSWERED]
    assert len(answers) == sum(kind == "tool_result" for kind, _ in killed.steps)
    assert answers == [use.result for turn in said.turns for use in turn.tools][: len(answers)]
