"""Why a run ended, as a reason for programs and a sentence for people. Pure: one table.

A sentence goes to the store, the API, the terminal and the issue: words that are not ours are cleaned of secrets and
of what could steer a terminal here.
"""

from agent.errors import (
    AgentStop,
    ContextFull,
    GaveUp,
    LimitExceeded,
    ModelAccessError,
    ModelError,
    ModelUnavailableError,
    NoToolCalls,
    NotProved,
    Submitted,
    figure,
)
from repo_tools.environment.contract import NoTestsError, SetupFailedError
from repo_tools.environment.tools import ToolMissingError
from repo_tools.errors import RepoError, SandboxError, ServiceError
from repo_tools.test_report import TestReport
from repo_tools.verification.contract import Verdict, Verification
from workers.outcomes import SPEND, Reason
from workers.publish.markdown import clean
from workers.publish.proof import unproven_reds

Ending = tuple[Reason, str]


class BaselineError(RepoError):
    """The suite of the base commit gives no result to compare with."""


class SuiteTooSlowError(RepoError):
    """The suite of the base commit did not end in its time; it may be sound."""


def check_baseline(report: TestReport) -> None:
    """SuiteTooSlowError, ServiceError, BaselineError: unless a change can be compared with `report`."""
    if report.timed_out:
        raise SuiteTooSlowError(f"The suite of the base commit did not end within {report.seconds:.0f} seconds.")
    if report.service_ended:
        raise ServiceError(f"{report.problem}")
    if report.problem is not None:
        raise BaselineError(f"The suite of the base commit gave no result: {report.problem}")


def ending_of_attempt(stop: AgentStop, verification: Verification | None) -> Ending:
    """How an attempt that came to its end is told."""
    match stop:
        case Submitted():
            return _proof(verification)
        case ContextFull():
            return Reason.CONTEXT_FULL, f"The work no longer fits the model: {stop}."
        case LimitExceeded():
            words = SPEND.get(stop.kind, stop.kind).removesuffix("s" if stop.limit == 1 else "")
            kept = f", {figure(stop.kept)} kept for the verification" if stop.kept else ""
            told = f"The budget of {figure(stop.limit)} {words} is used up ({figure(stop.used)} used{kept})."
            return Reason(f"limit_{stop.kind}"), told
        case GaveUp():
            return Reason.GAVE_UP, clean(f"The model gave up: {stop.reason}")
        case NotProved():
            return Reason.NOT_PROVED, "No change could be proved by tests."
        case NoToolCalls():
            return Reason.NO_TOOL_CALLS, clean(f"The model stopped using its tools: {stop}")
    raise TypeError(f"an ending that has no words: {type(stop).__name__}")


def _proof(verification: Verification | None) -> Ending:
    if verification is not None and verification.verdict is Verdict.CONTRACT_CHANGED:
        told = "The change replaces an existing test, or what it uses; its new form is red before and green after."
        return Reason.CONTRACT_CHANGED, told
    weak = verification is not None and unproven_reds(verification) == verification.turned_green
    before = "Red before only because something was not there yet" if weak else "Red before"
    return Reason.PROVED, f"{before}, green after, and nothing that passed is broken."


def ending_of_error(error: Exception) -> Ending:
    """How a failure before or beside the attempt is told to the people of the repository."""
    match error:
        case NoTestsError() | BaselineError():
            return Reason.NO_TESTS, clean(str(error))
        case SuiteTooSlowError():
            return Reason.SUITE_TOO_SLOW, str(error)
        case ToolMissingError():
            return Reason.TOOL_MISSING, clean(str(error))
        case SetupFailedError():
            return Reason.SETUP_FAILED, clean(str(error))
        case RepoError():
            return Reason.REPOSITORY, clean(str(error))
        case ModelError():
            return Reason.MODEL, f"The model's provider {_refusal(error)}; the operator's log says more."
        case ServiceError():
            return Reason.SERVICES, clean(str(error))
        case SandboxError():
            return Reason.SANDBOX, "The sandbox failed; the operator's log says more."
    raise TypeError(f"an error that has no words: {type(error).__name__}") from error


def _refusal(error: ModelError) -> str:
    """https://docs.claude.com/en/api/errors"""
    if error.status is None or isinstance(error, ModelUnavailableError):
        return "did not answer"
    otherwise = "to work without credit" if isinstance(error, ModelAccessError) else "the request"
    what = {401: "the key", 403: "the key", 404: "the model's name"}.get(error.status, otherwise)
    return f"refused {what} ({error.status})"
