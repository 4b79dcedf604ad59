"""A folder on this machine as the place of a task without a repository: `agent-fix solve`."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from repo_tools.checkout import Checkout
from repo_tools.errors import RepoError
from repo_tools.given_files import read_given
from repo_tools.paths import check_path
from workers.folder_host import FolderHost, write_report
from workers.host import Evidence, RunRequest
from workers.publish.solve_report import FILES, render_solve_report


@dataclass
class SolveHost(FolderHost):
    """Reads what was given from the repository at `given`; writes `report.md`, the transcript and the files of the best
    candidate to `output`. `published` is what was written last."""

    given: Path
    output: Path
    published: Evidence | None = None

    def checkout(self, run: RunRequest) -> Checkout:
        return read_given(self.given)

    def repository_key(self, run: RunRequest) -> str:
        """Set-up sees nothing of a task: its environment serves every other."""
        return "solve"

    def write(self, evidence: Evidence) -> None:
        self.published = evidence
        made = evidence.solution.files if evidence.solution else {}
        placed = {self._place(path): content for path, content in made.items()}
        write_report(self.output, render_solve_report(evidence, self._others(placed)), evidence)
        for place, content in placed.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)

    def _others(self, placed: Collection[Path]) -> list[str]:
        """What stands among the files of the result and is none of them: an earlier run's, or the person's own."""
        top = (self.output / FILES).resolve()
        return sorted(
            path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_file() and path not in placed
        )

    def _place(self, path: str) -> Path:
        """RepoError where a link that stands in the folder would lead out of it."""
        top = (self.output / FILES).resolve()
        place = (top / check_path(path)).resolve()
        if not place.is_relative_to(top):
            raise RepoError(f"{path!r} leads out of {top}.")
        return place
