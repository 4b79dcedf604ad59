"""The loop: how attempts go on and how they end."""

import json
from dataclasses import asdict
from decimal import Decimal

import pytest

from agent.budget import Budget, BudgetLimits
from agent.errors import (
    ContextFull,
    GaveUp,
    Interrupted,
    LimitExceeded,
    ModelError,
    ModelUnavailableError,
    NoToolCalls,
    NotProved,
    Submitted,
)
from agent.model import Reply, Request, Usage
from agent.scripted import reply, text, tool_use
from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.errors import SandboxError
from repo_tools.verification.contract import Verdict, Verification
from tests.support.memory_workspace import (
    NOT_PROVED,
    PRICE,
    PROVED,
    TASK,
    MemoryWorkspace,
    Recorder,
    StoppedError,
    make_agent,
    results,
    verdict,
)

EDIT = ("edit_file", {"path": "calc.py", "old": "a - b", "new": "a + b"})


def calc() -> MemoryWorkspace:
    return MemoryWorkspace({"calc.py": b"def add(a, b):\n    return a - b\n"})


def test_a_proved_change_ends_the_attempt_with_everything_it_rests_on() -> None:
    agent = make_agent(
        [
            reply(text("Criterion: 1 + 2 is 3. Plan: fix the sign."), tool_use("read_file", path="calc.py")),
            reply(tool_use(EDIT[0], **EDIT[1]), tool_use("finish", summary="the sign was wrong")),
        ],
        calc(),
    )
    attempt = agent.run(TASK)
    assert isinstance(attempt.ending, Submitted)
    assert attempt.change.files == {"calc.py": FileChange(FileMode.REGULAR, b"def add(a, b):\n    return a + b\n")}
    assert attempt.verification is not None
    assert attempt.verification.verdict is Verdict.PROVED
    assert attempt.transcript.opening == "Criterion: 1 + 2 is 3. Plan: fix the sign."
    assert [[use.name for use in turn.tools] for turn in attempt.transcript.turns] == [
        ["read_file"],
        ["edit_file", "finish"],
    ]
    assert agent.budget.turns == 2
    assert agent.budget.usage == Usage(200, 40)


def test_all_results_of_one_reply_go_into_the_next_message_in_order() -> None:
    calls = [tool_use("read_file", path="calc.py"), tool_use("nothing"), tool_use("search", pattern="return")]
    agent = make_agent([reply(*calls), reply(tool_use("give_up", reason="enough"))], calc())
    agent.run(TASK)
    last = agent.model.requests[-1]
    assert [m["role"] for m in last.messages] == ["user", "assistant", "user"]
    assert [r["tool_use_id"] for r in results(last)] == [c["id"] for c in calls]
    assert [r["is_error"] for r in results(last)] == [False, True, False]


def test_an_unproved_change_goes_back_to_the_model_and_may_be_proved_later() -> None:
    verdicts = iter([NOT_PROVED, PROVED])
    replies = [
        reply(tool_use("finish", summary="done")),
        reply(tool_use(EDIT[0], **EDIT[1]), tool_use("finish", summary="now it is")),
    ]
    agent = make_agent(replies, calc(), verify=lambda change: next(verdicts)(change))  # noqa: PLW0108 - another verdict each time
    attempt = agent.run(TASK)
    assert isinstance(attempt.ending, Submitted)
    assert "nothing went from red to green" in results(agent.model.requests[1])[0]["content"]


def test_two_verifications_without_proof_end_the_attempt() -> None:
    replies = [
        reply(tool_use("finish", summary="done")),
        reply(tool_use(EDIT[0], **EDIT[1]), tool_use("finish", summary="done")),
    ]
    attempt = make_agent(replies, calc(), verify=NOT_PROVED).run(TASK)
    assert isinstance(attempt.ending, NotProved)
    assert str(attempt.ending) == "nothing went from red to green"


def test_the_same_change_is_not_verified_twice() -> None:
    asked: list[ChangeSet] = []

    def verify(change: ChangeSet) -> Verification:
        asked.append(change)
        return NOT_PROVED(change)

    replies = [reply(tool_use("finish", summary="done")), reply(tool_use("finish", summary="really"))]
    attempt = make_agent(replies, calc(), verify=verify).run(TASK)
    assert isinstance(attempt.ending, NotProved)
    assert len(asked) == 1


def test_a_replaced_contract_earns_a_pull_request_too() -> None:
    attempt = make_agent(
        [reply(tool_use("finish", summary="done"))], calc(), verify=verdict(Verdict.CONTRACT_CHANGED)
    ).run(TASK)
    assert isinstance(attempt.ending, Submitted)


def test_the_last_call_stands_in_the_transcript_without_repeating_the_models_words() -> None:
    attempt = make_agent([reply(tool_use("give_up", reason="needs a new dependency"))]).run(TASK)
    (use,) = attempt.transcript.turns[-1].tools
    assert (use.arguments, use.result) == ({"reason": "needs a new dependency"}, "GaveUp")


def test_giving_up_ends_with_the_models_reason() -> None:
    attempt = make_agent([reply(tool_use("give_up", reason="needs a new dependency"))]).run(TASK)
    assert isinstance(attempt.ending, GaveUp)
    assert attempt.ending.reason == "needs a new dependency"


def test_three_replies_without_a_tool_call_in_a_row_end_the_attempt() -> None:
    record = Recorder()
    silent = [reply(text("Let me think.")), reply(tool_use("list_files"))] + [reply(text("Hm."))] * 3
    attempt = make_agent(silent, record=record).run(TASK)
    assert isinstance(attempt.ending, NoToolCalls)
    assert [kind for kind, _ in record.steps] == [
        "reply", "nudge", "reply", "tool_result", "reply", "nudge", "reply", "nudge", "reply",
    ]  # fmt: skip


def test_a_call_that_fails_in_the_same_way_over_and_over_ends_the_attempt() -> None:
    wrong = [reply(tool_use("read_file", file="a.py"))] * 4
    other = reply(tool_use("read_file", path="no.py"))
    well = reply(tool_use("list_files"))
    agent = make_agent([*wrong, other, *wrong, well, well, well, well, well, *wrong, wrong[0], well])
    attempt = agent.run(TASK)
    assert isinstance(attempt.ending, NoToolCalls)
    assert "5 replies in a row repeated a call that fails. Wrong arguments for read_file" in str(attempt.ending)
    assert len(attempt.transcript.turns) == 19


def test_an_empty_reply_is_recorded_but_not_sent_back() -> None:
    record = Recorder()
    agent = make_agent([reply(), reply(text(" ")), reply(tool_use("give_up", reason="x"))], record=record)
    agent.run(TASK)
    assert [m["role"] for m in agent.model.requests[-1].messages] == ["user", "user", "user"]
    assert record.data("reply")[0]["blocks"] == ()


def test_thinking_goes_back_as_received_before_a_tool_call() -> None:
    thinking = {"type": "thinking", "thinking": "sign?", "signature": "c2ln"}
    agent = make_agent([reply(thinking, tool_use("list_files")), reply(tool_use("give_up", reason="x"))])
    attempt = agent.run(TASK)
    assert agent.model.requests[1].messages[1]["content"][0] == thinking
    assert attempt.transcript.turns[0].thinking == "sign?"


@pytest.mark.parametrize(
    ("limits", "kind"),
    [
        (BudgetLimits(turns=1), "turns"),
        (BudgetLimits(tokens=120), "tokens"),
        (BudgetLimits(usd=Decimal("0.0006")), "usd"),
        (BudgetLimits(test_runs=1), "test_runs"),
    ],
)
def test_every_limit_ends_the_attempt_before_the_next_spending(limits: BudgetLimits, kind: str) -> None:
    workspace = calc()
    attempt = make_agent([reply(tool_use("run_tests"))] * 3, workspace, limits).run(TASK)
    assert isinstance(attempt.ending, LimitExceeded)
    assert attempt.ending.kind == kind
    assert len(workspace.test_calls) == 1
    assert attempt.transcript.turns[-1].tools


def test_a_conversation_that_no_longer_fits_the_window_ends_the_attempt() -> None:
    many = [reply(tool_use("list_files"), usage=Usage(3_000 * n, 100)) for n in range(1, 9)]
    agent = make_agent(many, context_tokens=20_000)
    attempt = agent.run(TASK)
    assert isinstance(attempt.ending, ContextFull)
    assert attempt.ending.kind == "tokens"
    assert "window" in str(attempt.ending)
    assert agent.budget.turns == 5


def test_500_calls_in_one_reply_are_answered_and_20_are_run() -> None:
    """F12."""
    calls = [tool_use("run_tests") for _ in range(500)]
    workspace = calc()
    agent = make_agent([reply(*calls), reply(tool_use("give_up", reason="x"))], workspace, BudgetLimits(test_runs=None))
    agent.run(TASK)
    assert len(results(agent.model.requests[1])) == 500
    assert len(workspace.test_calls) == 20
    assert agent.budget.turns == 2


def test_a_tool_call_cut_off_at_the_output_limit_is_not_run() -> None:
    whole, cut = tool_use("read_file", path="calc.py"), tool_use("write_file", path="calc.py", content="def a")
    agent = make_agent([reply(whole, cut, stop_reason="max_tokens"), reply(tool_use("give_up", reason="x"))], calc())
    attempt = agent.run(TASK)
    first, second = results(agent.model.requests[1])
    assert not first["is_error"]
    assert second["is_error"]
    assert "smaller pieces" in second["content"]
    assert not attempt.change


def test_a_refusal_ends_the_attempt_as_given_up() -> None:
    attempt = make_agent([reply(text("I cannot help."), stop_reason="refusal")]).run(TASK)
    assert isinstance(attempt.ending, GaveUp)
    assert "I cannot help." in attempt.ending.reason


def test_a_paused_turn_goes_on() -> None:
    agent = make_agent([reply(text("Wait"), stop_reason="pause_turn"), reply(tool_use("give_up", reason="x"))])
    agent.run(TASK)
    assert agent.model.requests[1].messages[-1] == {"role": "user", "content": [{"type": "text", "text": "Go on."}]}


def test_every_step_is_recorded_as_json_with_the_spend_before_the_loop_goes_on() -> None:
    record = Recorder()
    replies = [reply(tool_use(EDIT[0], **EDIT[1])), reply(tool_use("finish", summary="done"))]
    make_agent(replies, calc(), record=record).run(TASK)
    steps = [(kind, json.loads(json.dumps(data))) for kind, data in record.steps]
    assert [kind for kind, _ in steps] == ["reply", "tool_result", "reply", "verification"]
    change = ChangeSet.from_json(steps[1][1]["change"]).files["calc.py"]
    assert change is not None
    assert change.content.endswith(b"a + b\n")
    assert [data["spend"]["turns"]["used"] for _, data in steps] == [1, 1, 2, 2]
    assert steps[0][1]["usage"] == {
        "input_tokens": 100, "output_tokens": 20, "cache_read_tokens": 0, "cache_write_tokens": 0,
    }  # fmt: skip


def test_a_record_that_raises_stops_the_run_and_what_was_reached_is_kept() -> None:
    agent = make_agent([reply(text("Plan"), tool_use(EDIT[0], **EDIT[1]))], calc(), record=Recorder("tool_result"))
    with pytest.raises(StoppedError):
        agent.run(TASK)
    attempt = agent.attempt_so_far("the label was removed")
    assert isinstance(attempt.ending, Interrupted)
    assert attempt.transcript.turns[0].tools[0].name == "edit_file"
    assert attempt.change


def test_a_model_that_fails_propagates_and_its_cost_is_charged() -> None:
    agent = make_agent([reply(text("Plan"), tool_use("list_files")), ModelError("bad key", Usage(7))])
    with pytest.raises(ModelError):
        agent.run(TASK)
    attempt = agent.attempt_so_far("bad key")
    assert attempt.transcript.opening == "Plan"
    assert agent.budget.usage == Usage(107, 20)
    assert agent.budget.turns == 1


def test_a_call_that_the_budgets_time_cut_off_ends_as_that_limit() -> None:
    now = [0.0]

    def too_slow(request: Request) -> Reply:
        now[0] += request.deadline_seconds
        raise ModelUnavailableError("timed out", Usage(5))

    agent = make_agent([too_slow])
    agent.budget = Budget(BudgetLimits(seconds=60), PRICE, clock=lambda: now[0])
    attempt = agent.run(TASK)
    assert isinstance(attempt.ending, LimitExceeded)
    assert (attempt.ending.kind, attempt.ending.used) == ("seconds", 60)
    assert agent.budget.usage == Usage(5)


def test_a_sandbox_that_fails_is_not_shown_to_the_model_as_output() -> None:
    class Broken(MemoryWorkspace):
        def paths(self) -> tuple[str, ...]:
            raise SandboxError("the box is gone")

    with pytest.raises(SandboxError):
        make_agent([reply(tool_use("list_files"))], Broken()).run(TASK)


def test_a_first_reply_without_a_plan_is_asked_for_one() -> None:
    agent = make_agent(
        [
            reply(tool_use("list_files")),
            reply(text("The plan."), tool_use("list_files")),
            reply(tool_use("give_up", reason="x")),
        ]
    )
    attempt = agent.run(TASK)
    assert "plan" in agent.model.requests[1].messages[-1]["content"][-1]["text"]
    assert results(agent.model.requests[2]) == agent.model.requests[2].messages[-1]["content"]
    assert attempt.transcript.opening == "The plan."


def test_the_model_is_told_when_few_turns_are_left() -> None:
    agent = make_agent([reply(text("Plan"), tool_use("list_files"))] * 2, limits=BudgetLimits(turns=2))
    agent.run(TASK)
    assert agent.model.requests[1].messages[-1]["content"][-1]["text"] == "Turns left: 1."


def test_secrets_that_a_tool_shows_stay_out_of_the_transcript() -> None:
    """K01."""
    secret = "ghp_" + "a1B2" * 9
    agent = make_agent(
        [reply(tool_use("read_file", path=".env")), reply(tool_use("give_up", reason="x"))],
        MemoryWorkspace({".env": secret.encode()}),
    )
    attempt = agent.run(TASK)
    assert secret not in json.dumps(asdict(attempt.transcript))


def test_a_step_late_in_a_run_touches_no_more_of_the_history_than_an_early_one() -> None:
    """Counted, not timed: the messages that an early request holds are the same objects in every later one."""
    agent = make_agent(
        [reply(text("Go"), tool_use("list_files"))] * 300, limits=BudgetLimits(None, None, None, None, None)
    )
    agent.open(TASK)
    for _ in range(300):
        agent.step()
    last = agent.model.requests[-1].messages
    assert len(last) == 599
    for request in agent.model.requests:
        assert all(ours is kept for ours, kept in zip(request.messages, last, strict=False))
