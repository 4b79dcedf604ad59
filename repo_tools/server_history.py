"""What was changed lately in a server's repository, of which the mirror holds single commits."""

import shutil
import tempfile
import time
from collections.abc import Collection
from pathlib import Path

from repo_tools import remote
from repo_tools.checkout import Checkout
from repo_tools.errors import RepoError
from repo_tools.git import Git, GitLimits
from repo_tools.mirror import locked
from repo_tools.repo_map.history import Change, changes_in, write_log

YEAR_SECONDS = 365 * 86_400
FETCHED = GitLimits(32_000_000)
"""Packed. Without contents a year is 0.2 to 4 MB of most repositories, 11 MB where it has 5,000 commits."""

LOGGED = GitLimits(8_000_000)
WAIT_SECONDS = 5.0
"""For another worker that is fetching the same."""

WORK_SECONDS = 10.0
"""Time-out of fetch and log together."""

MISSED_SECONDS = 3_600.0
"""Nobody asks again so soon after a failure: many last, and each costs a run the time-out."""


class ServerHistory:
    """The log of the year before a commit of one repository, kept in `file` until that of another commit is asked for.

    The commits come into a repository that is gone once the log is written: it lacks all contents, which is damage to
    everybody else. Any number of processes may use the file; one fetches at a time. Why the last fetch failed stands in
    a file beside it.
    """

    def __init__(
        self,
        file: Path,
        *,
        plain_http_hosts: Collection[str] = (),
        ca_bundle: Path | None = None,
        fetched: GitLimits = FETCHED,
        wait_seconds: float = WAIT_SECONDS,
        work_seconds: float = WORK_SECONDS,
    ) -> None:
        self.file = file
        self._missed = file.with_name(f"{file.name}.missed")
        self._plain_http_hosts = plain_http_hosts
        self._ca_bundle = ca_bundle
        self._fetched = fetched
        self._wait_seconds = wait_seconds
        self._work_seconds = work_seconds

    def kept(self, commit: str) -> tuple[Change, ...] | None:
        """None where what is kept is not of this commit. OSError."""
        try:
            head, _, log = self.file.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        return changes_in(log) if head == commit.encode() else None

    def fetch(self, url: str, checkout: Checkout, *, token: str | None) -> tuple[Change, ...]:
        """RepoError or OSError where they cannot be had: the server is away or slow, refuses, or has too much to say,
        now or within the last hour."""
        remote.check_url(url, self._plain_http_hosts)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.file.with_name(f"{self.file.name}.lock"), self._wait_seconds):
            kept = self.kept(checkout.commit)
            if kept is None:
                self._check_missed()
                self._sweep()
                kept = self._try(url, checkout, token)
        return kept

    def _check_missed(self) -> None:
        try:
            age_seconds = time.time() - self._missed.stat().st_mtime
        except FileNotFoundError:
            return
        if 0 <= age_seconds < MISSED_SECONDS:
            raise RepoError(f"{self._missed.read_text('utf-8', 'replace')} It is not asked for again within the hour.")

    def _try(self, url: str, checkout: Checkout, token: str | None) -> tuple[Change, ...]:
        """A worker that is killed under way, by what it fetches perhaps, has failed too."""
        self._missed.write_text("A fetch of the history did not end.", "utf-8")
        try:
            changes = self._make(url, checkout, token)
        except (RepoError, OSError) as error:
            self._missed.write_text(str(error), "utf-8", "replace")
            raise
        self._missed.unlink(missing_ok=True)
        return changes

    def _make(self, url: str, checkout: Checkout, token: str | None) -> tuple[Change, ...]:
        give_up = time.monotonic() + self._work_seconds
        with tempfile.TemporaryDirectory(
            prefix=f".{self.file.name}-", dir=self.file.parent, ignore_cleanup_errors=True
        ) as name:
            git_dir, log, new = Path(name, "git"), Path(name, "log"), Path(name, "new")
            Git(git_dir.parent, discover=True).run("init", "--quiet", "--bare", "--template=", "--", str(git_dir))
            self._fetch_into(git_dir, url, checkout, token)
            left = max(0.0, give_up - time.monotonic())
            write_log(git_dir, checkout.commit, log, limits=LOGGED, timeout_seconds=left)
            text = log.read_bytes()
            new.write_bytes(checkout.commit.encode() + b"\n" + text)
            new.rename(self.file)
        return changes_in(text)

    def _fetch_into(self, git_dir: Path, url: str, checkout: Checkout, token: str | None) -> None:
        if checkout.committed_seconds is None:
            raise RepoError("A commit without a time has no year before it.")
        remote.fetch_history(
            git_dir,
            url,
            checkout.commit,
            checkout.committed_seconds - YEAR_SECONDS,
            token=token,
            ca_bundle=self._ca_bundle,
            limits=self._fetched,
            timeout_seconds=self._work_seconds,
        )

    def _sweep(self) -> None:
        """Remove what fetches left that were killed. Only for the holder of the lock."""
        for folder in self.file.parent.glob(f".{self.file.name}-*"):
            shutil.rmtree(folder, ignore_errors=True)
