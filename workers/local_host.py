"""A folder on this machine as the place a run works for: `agent-fix fix`."""

from dataclasses import dataclass
from pathlib import Path

from repo_tools.checkout import Checkout
from repo_tools.local import LocalRepository
from workers.host import Evidence, RunRefusedError, RunRequest
from workers.outcomes import Outcome, OutcomeKind
from workers.publish.draft import publishable, render_commit_message
from workers.publish.local_report import render_report
from workers.publish.transcript_markdown import TRANSCRIPT_FILES, transcript_files


@dataclass(frozen=True)
class LocalHost:
    """Writes `change.patch`, `report.md`, `transcript.md` and `transcript.json` to `output`; `branch`, if given,
    becomes a ref on top of `base_commit`. The person's work tree and index stay as they are."""

    repository: LocalRepository
    base_commit: str
    output: Path
    branch: str | None = None

    def labelling(self, run: RunRequest) -> int | None:
        """Nobody labels here."""
        return None

    def admit(self, run: RunRequest) -> None:
        """Whoever runs the command may."""

    def checkout(self, run: RunRequest) -> Checkout:
        return self.repository.checkout(self.base_commit)

    def repository_key(self, run: RunRequest) -> str:
        return f"local {self.repository.path.resolve()}"

    def check_wanted(self, run: RunRequest, *, at_once: bool = False) -> None:
        """Wanted until interrupted."""

    def publish_draft(self, evidence: Evidence) -> Outcome:
        self._write(evidence)
        if self.branch is not None:
            message = render_commit_message(evidence)
            self.repository.add_branch(self.branch, self.base_commit, publishable(evidence), message)
        return Outcome(OutcomeKind.DRAFT_PULL_REQUEST, evidence.reason, evidence.detail, url=str(self.output))

    def publish_escalation(self, evidence: Evidence) -> Outcome:
        self._write(evidence)
        return Outcome(OutcomeKind.ESCALATION, evidence.reason, evidence.detail, url=str(self.output))

    def publish_cancellation(self, evidence: Evidence) -> Outcome:
        return Outcome(OutcomeKind.CANCELLED, evidence.reason, evidence.detail)

    def publish_refusal(self, run: RunRequest, refusal: RunRefusedError) -> Outcome:
        return Outcome(OutcomeKind.REFUSED, refusal.reason, str(refusal))

    def _write(self, evidence: Evidence) -> None:
        self.output.mkdir(parents=True, exist_ok=True)
        (self.output / ".gitignore").write_text("*\n")  # it may stand in the person's own work tree
        (self.output / "change.patch").write_bytes(evidence.patch)
        (self.output / "report.md").write_text(render_report(evidence), encoding="utf-8")
        written = transcript_files(evidence)
        for name in TRANSCRIPT_FILES:
            (self.output / name).unlink(missing_ok=True)  # an earlier run's, which would pass for this one's
        for name, content in written.items():
            (self.output / name).write_bytes(content)
