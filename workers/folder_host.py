"""What the commands that work on this machine have in common: their runs end in a folder."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from repo_tools.checkout import Checkout
from repo_tools.errors import ConfigError
from repo_tools.repo_map.history import Change
from workers.host import Evidence, RunRefusedError, RunRequest
from workers.outcomes import Outcome, OutcomeKind
from workers.publish.transcript_markdown import TRANSCRIPT_FILES, transcript_files


class OutputError(ConfigError):
    """The folder where a run ends takes no file."""


def write_report(folder: Path, report: str, evidence: Evidence) -> None:
    """`report.md` and the transcript, in the place of an earlier run's."""
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):  # it may stand in the person's own work tree, or be that tree
        (folder / ".gitignore").write_text("*\n")
    (folder / "report.md").write_text(report, encoding="utf-8")
    written = transcript_files(evidence)
    for name in TRANSCRIPT_FILES:
        (folder / name).unlink(missing_ok=True)  # there may be no new one
    for name, content in written.items():
        (folder / name).write_bytes(content)


class FolderHost(ABC):
    """A `Host` that writes to `output`, for the person who runs the command."""

    output: Path

    def labelling(self, run: RunRequest) -> int | None:
        """Nobody labels here."""
        return None

    def admit(self, run: RunRequest) -> None:  # noqa: B027 - an answer, not a gap
        """Whoever runs the command may."""

    def check_wanted(self, run: RunRequest, *, at_once: bool = False) -> None:  # noqa: B027 - likewise
        """Wanted until interrupted."""

    def recent_changes(self, run: RunRequest, checkout: Checkout) -> Sequence[Change]:
        """What was given has no history."""
        return ()

    def folder(self, run: RunRequest) -> str:
        """All that was given."""
        return ""

    def publish_draft(self, evidence: Evidence) -> Outcome:
        self._write(evidence)
        return Outcome(OutcomeKind.DRAFT_PULL_REQUEST, evidence.reason, evidence.detail, url=str(self.output))

    def publish_escalation(self, evidence: Evidence) -> Outcome:
        self._write(evidence)
        return Outcome(OutcomeKind.ESCALATION, evidence.reason, evidence.detail, url=str(self.output))

    def publish_cancellation(self, evidence: Evidence) -> Outcome:
        return Outcome(OutcomeKind.CANCELLED, evidence.reason, evidence.detail)

    def publish_refusal(self, run: RunRequest, refusal: RunRefusedError) -> Outcome:
        return Outcome(OutcomeKind.REFUSED, refusal.reason, str(refusal))

    def _write(self, evidence: Evidence) -> None:
        try:
            self.write(evidence)
        except OSError as error:
            raise OutputError("--output", f"{self.output} takes no file ({error.strerror})", "Mend that") from error

    @abstractmethod
    def write(self, evidence: Evidence) -> None:
        """What the person finds in `output`."""
