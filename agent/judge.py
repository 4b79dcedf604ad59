"""Who decides over the work: what `finish` comes to, and when the run ends with it."""

from typing import Protocol

from agent import prompts
from agent.attempt import Record, Verify
from agent.errors import NotProved, Submitted, ToolFailed
from repo_tools.changes import ChangeSet
from repo_tools.test_report import TestReport
from repo_tools.verification.contract import Verification

VERIFICATIONS = 2
"""Of one run, at most."""


class Judge(Protocol):
    """Of one attempt; told of every `finish` and every test run."""

    @property
    def verification(self) -> Verification | None:
        """The last one made, where changes are verified."""
        ...

    def finish(self, summary: str, change: ChangeSet, record: Record) -> str:
        """What the model is told, where the attempt goes on; else AgentStop. What is found is recorded first.
        ToolFailed where there is nothing to finish."""
        ...

    def finished_before(self) -> None:
        """Count a `finish` of an earlier process, whose answer stands in the conversation."""
        ...

    def tested(self, report: TestReport, change: ChangeSet, record: Record) -> None:
        """Take note of a test run that the model asked for."""
        ...


class Unjudged:
    """A question ends with an answer, which nothing proves."""

    verification: Verification | None = None

    def finish(self, summary: str, change: ChangeSet, record: Record) -> str:
        raise ToolFailed("This task ends with `answer`.")

    def finished_before(self) -> None:
        """Never told: no `finish` comes back."""

    def tested(self, report: TestReport, change: ChangeSet, record: Record) -> None:
        """It decides nothing."""


class Proof:
    """A fix is proved by a verification, of which there are few."""

    def __init__(self, verify: Verify) -> None:
        self.verification: Verification | None = None
        self._verify = verify
        self._left = VERIFICATIONS

    def finish(self, summary: str, change: ChangeSet, record: Record) -> str:
        """Submitted, or the report for the model while verifications are left, or NotProved."""
        if self.verification is not None and self.verification.change == change:
            raise NotProved("finish was called again although nothing had changed since it was not proved")
        self._left -= 1
        self.verification = verification = self._verify(change)
        record("verification", {**verification.to_json(), "summary": summary})
        if verification.verdict.earns_pull_request:
            raise Submitted(summary)
        if self._left <= 0:
            raise NotProved(verification.reasons[0])
        return prompts.verification_report(verification, self._left)

    def finished_before(self) -> None:
        self._left -= 1

    def tested(self, report: TestReport, change: ChangeSet, record: Record) -> None:
        """It proves nothing: `finish` does."""
