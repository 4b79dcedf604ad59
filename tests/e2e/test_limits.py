"""Every limit ends a run, and the comment names it."""

import pytest

from agent.scripted import tool_use
from app.standins.messages import Fault
from tests.e2e.conftest import DOCKER_TURNS, OpenStage
from tests.support import calc
from tests.support.stage import Stage, Turns, expect_one_escalation

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

READ = [tool_use("read_file", path="calc.py")]
SET_UP_ANEW = {**calc.FILES, "requirements.txt": b"iniconfig\n"}
"""Nothing that was set up before serves it: that takes longer than its limit."""
SECONDS = 3
KEPT_AT_MOST = 1 / 4
"""Of the time, for the verification: a run whose baseline is there ends so much before its limit."""
RUN_TESTS = [tool_use("run_tests")]


@pytest.mark.parametrize(
    ("limit", "value", "turns"),
    [
        ("turns", "2", [READ]),
        ("tokens", "1000", [READ]),
        ("usd", "0.001", [READ]),
        ("test_runs", "1", [RUN_TESTS]),
    ],
)
def test_each_limit_ends_a_run_and_is_named(stage: Stage, limit: str, value: str, turns: Turns) -> None:
    """The repository's own; the one of time and those of Docker are the operator's."""
    own = {".github/agent-fix.yml": f"budgets: {{{limit}: {value}}}\n".encode()}
    played = stage.play({**calc.FILES, **own}, turns)
    expect_one_escalation(played, f"limit_{limit}", "budget")
    spent = played.run["spend"][limit]
    assert spent["limit"] == float(value)
    assert spent["used"] >= spent["limit"]


def test_a_limit_of_time_ends_a_run_and_is_named(open_stage: OpenStage) -> None:
    with open_stage({"AGENT_FIX_BUDGET__SECONDS": str(SECONDS)}) as stage:
        played = stage.play(SET_UP_ANEW, [Fault(hang_seconds=SECONDS + 1, blocks=READ)])
    expect_one_escalation(played, "limit_seconds", "budget")
    spent = played.run["spend"]["seconds"]
    assert spent["limit"] == SECONDS
    assert spent["used"] >= SECONDS * (1 - KEPT_AT_MOST)


@pytest.mark.long(short="test_each_limit_ends_a_run_and_is_named")
@pytest.mark.docker
def test_a_limit_ends_a_run_on_docker_too(docker_stage: Stage) -> None:
    played = docker_stage.play(calc.FILES, [READ])
    expect_one_escalation(played, "limit_turns", "budget")
    assert played.run["spend"]["turns"] == {"used": DOCKER_TURNS, "limit": float(DOCKER_TURNS)}


def test_a_conversation_that_fills_the_models_window_ends_the_run(open_stage: OpenStage) -> None:
    long = b"".join(b"# line %05d of a long file\n" % number for number in range(2_000))
    with open_stage({"AGENT_FIX_CONTEXT_TOKENS": "8000"}) as stage:
        played = stage.play({**calc.FILES, "long.py": long}, [[*calc.PLAN, tool_use("read_file", path="long.py")]])
    expect_one_escalation(played, "context_full", "window")


MEBIBYTE = 1 << 20
LARGE = {f"{name}.bin": name.encode() * 6 * MEBIBYTE for name in "abcd"}


def test_changes_beyond_the_quota_are_refused_until_the_run_is_handed_over(each_stage: Stage) -> None:
    """F08: moved files count with all their bytes; the fourth is one too many, however often it is tried."""
    moves = [tool_use("move_file", **{"from": path, "to": f"moved/{path}"}) for path in LARGE]
    once_more = [tool_use("move_file", **{"from": "d.bin", "to": f"moved/{turn}"}) for turn in range(2)]
    turns = [[*calc.PLAN, *moves], once_more, [tool_use("give_up", reason="There is no room for all of it.")]]
    played = each_stage.play({**calc.FILES, **LARGE}, turns)
    expect_one_escalation(played, "gave_up", "no room")
    tools = [tool for turn in played.run["transcript"]["turns"] for tool in turn["tools"]]
    refused = [tool["result"] for tool in tools if tool["is_error"]]
    assert len(refused) == 1 + len(once_more)
    assert all("20,000,000 bytes" in words for words in refused)
