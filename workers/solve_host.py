"""A folder on this machine as the place of a task without a repository: `agent-fix solve`."""

from dataclasses import dataclass
from pathlib import Path

from repo_tools.checkout import Checkout
from repo_tools.errors import RepoError
from repo_tools.given_files import read_given
from repo_tools.paths import check_path
from workers.host import Evidence, RunRefusedError, RunRequest
from workers.outcomes import Outcome, OutcomeKind
from workers.publish.solve_report import FILES, render_solve_report
from workers.publish.transcript_markdown import transcript_files


@dataclass
class SolveHost:
    """Reads what was given from the repository at `given`; writes `report.md`, the transcript and the files of the best
    candidate to `output`. `published` is what was written last."""

    given: Path
    output: Path
    published: Evidence | None = None

    def labelling(self, run: RunRequest) -> int | None:
        """Nobody labels here."""
        return None

    def admit(self, run: RunRequest) -> None:
        """Whoever runs the command may."""

    def checkout(self, run: RunRequest) -> Checkout:
        return read_given(self.given)

    def repository_key(self, run: RunRequest) -> str:
        """Set-up sees nothing of a task: its environment serves every other."""
        return "solve"

    def check_wanted(self, run: RunRequest, *, at_once: bool = False) -> None:
        """Wanted until interrupted."""

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
        self.published = evidence
        self.output.mkdir(parents=True, exist_ok=True)
        (self.output / ".gitignore").write_text("*\n")  # it may stand in a work tree of the person's own
        for path, content in evidence.solution.files.items() if evidence.solution else ():
            place = self._place(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        (self.output / "report.md").write_text(render_solve_report(evidence), encoding="utf-8")
        for name, content in transcript_files(evidence).items():
            (self.output / name).write_bytes(content)

    def _place(self, path: str) -> Path:
        """RepoError where a link that stands in the folder would lead out of it."""
        top = (self.output / FILES).resolve()
        place = (top / check_path(path)).resolve()
        if not place.is_relative_to(top):
            raise RepoError(f"{path!r} leads out of {top}.")
        return place
