"""How a run ends. One of four, exactly once."""

from dataclasses import dataclass
from enum import StrEnum


class RunStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    ENDED = "ended"


class OutcomeKind(StrEnum):
    DRAFT_PULL_REQUEST = "draft_pull_request"
    ESCALATION = "escalation"
    CANCELLED = "cancelled"
    REFUSED = "refused"


class Reason(StrEnum):
    """Why a run ended as it did; stable words for programs. The sentence for people is `Outcome.detail`."""

    PROVED = "proved"
    CONTRACT_CHANGED = "contract_changed"
    ANSWERED = "answered"  # a question, for which there is no proof
    LIMIT_TURNS = "limit_turns"
    LIMIT_TOKENS = "limit_tokens"
    LIMIT_USD = "limit_usd"
    LIMIT_SECONDS = "limit_seconds"
    LIMIT_TEST_RUNS = "limit_test_runs"
    CONTEXT_FULL = "context_full"  # the conversation no longer fits the model's window
    GAVE_UP = "gave_up"
    NOT_PROVED = "not_proved"
    NO_TOOL_CALLS = "no_tool_calls"
    NO_TESTS = "no_tests"  # no test command found, or nothing collected
    SUITE_TOO_SLOW = "suite_too_slow"  # the base commit's suite did not end in its time
    SETUP_FAILED = "setup_failed"
    TOOL_MISSING = "tool_missing"  # the image has no such program, or not in the version that is asked for
    CONFIGURATION = "configuration"  # what the repository says of its runs cannot be used
    REPOSITORY = "repository"  # empty, archived, unreadable
    MODEL = "model"  # the provider refused or stayed away
    GITHUB = "github"  # GitHub refuses the App: its key, its clock, its token
    SERVICES = "services"  # a server that the tests need cannot be had, or does not come up
    SANDBOX = "sandbox"  # no box could be had, or it kept failing
    ATTEMPTS = "attempts"  # the worker died each time
    PERMISSION = "permission"
    UNWANTED = "unwanted"  # label removed, issue closed
    DUPLICATE = "duplicate"  # another run is of the same labelling
    INTERNAL = "internal"


@dataclass(frozen=True)
class Outcome:
    """`url` is where people find it: pull request, comment, or output folder."""

    kind: OutcomeKind
    reason: Reason
    detail: str
    url: str | None = None
    pull_request_url: str | None = None


SPEND = {
    "turns": "model calls",
    "tokens": "tokens",
    "usd": "US dollars",
    "seconds": "seconds",
    "test_runs": "test runs",
}
"""The limits of a run, in words."""
