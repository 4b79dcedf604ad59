"""Every way to end has a reason and a sentence."""

from dataclasses import replace

import pytest

from agent import errors
from agent.errors import (
    AgentStop,
    Answered,
    ContextFull,
    GaveUp,
    Interrupted,
    LimitExceeded,
    NoToolCalls,
    NotProved,
    Submitted,
)
from repo_tools.environment.contract import NoTestsError, SetupFailedError
from repo_tools.environment.tools import ToolMissingError
from repo_tools.errors import (
    RepoError,
    RepoUnavailableError,
    SandboxError,
    SandboxUnavailableError,
    ServiceError,
    ServiceMissingError,
)
from repo_tools.test_report import TestCase, TestOutcome
from tests.support.evidence import make_verification, report
from workers.endings import BaselineError, SuiteTooSlowError, check_baseline, ending_of_attempt, ending_of_error
from workers.outcomes import Reason

STOPS: dict[AgentStop, Reason] = {
    Submitted(): Reason.PROVED,
    GaveUp("nothing to go by"): Reason.GAVE_UP,
    NotProved(): Reason.NOT_PROVED,
    NoToolCalls("3 replies in a row called no tool"): Reason.NO_TOOL_CALLS,
    ContextFull(210_000, 200_000): Reason.CONTEXT_FULL,
    **{LimitExceeded(k, 3, 3): Reason(f"limit_{k}") for k in ("turns", "tokens", "usd", "seconds", "test_runs")},
}


@pytest.mark.parametrize(("stop", "reason"), STOPS.items(), ids=lambda value: type(value).__name__)
def test_each_ending_of_an_attempt_has_its_reason_and_a_sentence(stop: AgentStop, reason: Reason) -> None:
    found, sentence = ending_of_attempt(stop, None)
    assert found is reason
    assert sentence.endswith(".") or str(stop) in sentence


@pytest.mark.parametrize(
    ("used", "limit", "told"),
    [(2_001_660, 2_000_000, "2,000,000 tokens is used up (2,001,660 used)"), (1_800.004, 20, "20 tokens"),
     (0.0105, 0.01, "0.01 tokens is used up (0.0105 used)"), (1.2, 1, "1 token is used up")],
)  # fmt: skip
def test_a_limit_is_told_in_plain_figures(used: float, limit: float, told: str) -> None:
    assert told in ending_of_attempt(LimitExceeded("tokens", used, limit), None)[1]


def test_a_limit_that_is_reached_before_its_end_says_what_is_kept() -> None:
    sentence = ending_of_attempt(LimitExceeded("seconds", 2.9, 3, kept=0.75), None)[1]
    assert sentence == "The budget of 3 seconds is used up (2.9 used, 0.75 kept for the verification)."


def test_a_red_that_shows_only_what_was_not_there_is_told_as_that() -> None:
    unseen = TestCase("test_add.py", "test_add.py", TestOutcome.ERROR)
    verification = make_verification(red=replace(report(), cases=(unseen,)))
    assert ending_of_attempt(Submitted(), make_verification())[1].startswith("Red before, ")
    assert ending_of_attempt(Submitted(), verification)[1].startswith("Red before only because something")


def test_no_ending_of_an_attempt_is_forgotten() -> None:
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, AgentStop)}
    told = {type(stop) for stop in STOPS}
    # An answer is told by the case that asked; Interrupted stands beside the error that interrupted.
    assert kinds - told == {AgentStop, Answered, Interrupted}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NoTestsError("none"), Reason.NO_TESTS),
        (BaselineError("none"), Reason.NO_TESTS),
        (SuiteTooSlowError("slow"), Reason.SUITE_TOO_SLOW),
        (SetupFailedError("pip"), Reason.SETUP_FAILED),
        (ToolMissingError("node"), Reason.TOOL_MISSING),
        (RepoError("odd"), Reason.REPOSITORY),
        (RepoUnavailableError("away"), Reason.REPOSITORY),
        (errors.ModelError("401"), Reason.MODEL),
        (errors.ModelUnavailableError("529"), Reason.MODEL),
        (ServiceError("no PostgreSQL"), Reason.SERVICES),
        (ServiceMissingError("no Redis"), Reason.SERVICES),
        (SandboxError("gone"), Reason.SANDBOX),
        (SandboxUnavailableError("gone"), Reason.SANDBOX),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_failure_has_its_reason(error: Exception, reason: Reason) -> None:
    assert ending_of_error(error)[0] is reason


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errors.ModelError("x", status=401), "refused the key (401)"),
        (errors.ModelAccessError("x", status=401), "refused the key (401)"),
        (errors.ModelAccessError("credit balance is too low", status=400), "refused to work without credit (400)"),
        (errors.ModelError("x", status=404), "refused the model's name (404)"),
        (errors.ModelError("x", status=400), "refused the request (400)"),
        (errors.ModelUnavailableError("x", status=529), "did not answer"),
        (errors.ModelUnavailableError("cut"), "did not answer"),
    ],
)
def test_a_provider_that_refuses_is_told_from_one_that_does_not_answer(error: errors.ModelError, words: str) -> None:
    assert ending_of_error(error)[1] == f"The model's provider {words}; the operator's log says more."


@pytest.mark.parametrize("error", [errors.ModelError("sk-ant-secret at host x"), SandboxError("/srv/data/box")])
def test_what_only_the_operator_may_read_is_not_told_to_the_issue(error: Exception) -> None:
    assert str(error) not in ending_of_error(error)[1]


def test_a_baseline_that_ran_out_of_time_is_told_apart_from_one_without_a_result() -> None:
    slow = replace(report(problem="It did not end."), timed_out=True, seconds=600.4)
    with pytest.raises(SuiteTooSlowError, match="within 600 seconds"):
        check_baseline(slow)
    with pytest.raises(BaselineError, match="It crashed"):
        check_baseline(report(problem="It crashed."))
    with pytest.raises(ServiceError):
        check_baseline(replace(report(problem="A service stopped answering."), service_ended=True))
    check_baseline(report())
