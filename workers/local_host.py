"""A folder on this machine as the place a run works for: `agent-fix fix`."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from repo_tools.checkout import Checkout
from repo_tools.errors import RepoError
from repo_tools.local import LocalRepository
from repo_tools.repo_map.history import Change, recent_changes
from workers.folder_host import FolderHost, write_report
from workers.host import Evidence, RunRequest
from workers.outcomes import Outcome
from workers.publish.draft import publishable, render_commit_message
from workers.publish.local_report import render_report


@dataclass(frozen=True)
class LocalHost(FolderHost):
    """Writes `change.patch`, `report.md`, `transcript.md` and `transcript.json` to `output`; `branch`, if given,
    becomes a ref on top of `base_commit`. The person's work tree and index stay as they are."""

    repository: LocalRepository
    base_commit: str
    output: Path
    branch: str | None = None

    def checkout(self, run: RunRequest) -> Checkout:
        return self.repository.checkout(self.base_commit)

    def recent_changes(self, run: RunRequest, checkout: Checkout) -> Sequence[Change]:
        with suppress(RepoError), self.repository.checkout(checkout.commit) as own:
            return recent_changes(own.git_dir, own.commit)
        return ()

    def repository_key(self, run: RunRequest) -> str:
        return f"local {self.repository.path.resolve()}"

    def folder(self, run: RunRequest) -> str:
        """The one that the command was given."""
        return self.repository.below.rstrip("/")

    def publish_draft(self, evidence: Evidence) -> Outcome:
        outcome = super().publish_draft(evidence)
        if self.branch is not None:
            message = render_commit_message(evidence)
            self.repository.add_branch(self.branch, self.base_commit, publishable(evidence), message)
        return outcome

    def write(self, evidence: Evidence) -> None:
        write_report(self.output, render_report(evidence), evidence)
        (self.output / "change.patch").write_bytes(evidence.patch)
