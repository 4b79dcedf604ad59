"""One repository of a server, kept on this machine between runs."""

import fcntl
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from repo_tools import remote
from repo_tools.changes import FileMode
from repo_tools.errors import RepoError, RepoTooLargeError, RepoUnavailableError
from repo_tools.git import Git, GitLimits
from repo_tools.git_checkout import GitCheckout
from repo_tools.git_objects import exist
from repo_tools.refs import is_commit_id

_REF = "refs/agent-fix/fetched"
_MANY_PACKS = 20
FETCHED = GitLimits(4 << 30, memory_bytes=None)
"""One fetch, packed. A box takes no more than 2 GiB of files (`repo_tools.tar_stream`)."""


class Mirror:
    """A bare repository in `directory` (one for each repository id), made at the first fetch. It holds single commits
    without history, and what came with them is data only: no configuration, hooks, tags or submodules of the server's.

    Any number of processes may use it; one fetches at a time. A damaged one is made again.
    """

    def __init__(
        self,
        directory: Path,
        *,
        plain_http_hosts: Collection[str] = (),
        ca_bundle: Path | None = None,
        fetched: GitLimits = FETCHED,
    ) -> None:
        self.directory = directory
        self._plain_http_hosts = plain_http_hosts
        self._ca_bundle = ca_bundle
        self._fetched = fetched

    def fetch(self, url: str, ref_or_commit: str, *, token: str | None) -> str:
        """The id of the commit that a branch, a full ref or a commit id names on the server.

        A commit asked for by its id that is here already costs no network. RepoUnavailableError where the server cannot
        be reached; RepoError where it refuses, or has nothing of that name, or more than a worker takes.
        """
        remote.check_url(url, self._plain_http_hosts)
        self.directory.parent.mkdir(parents=True, exist_ok=True)
        lock = lock_of(self.directory)
        with locked(lock, remote.FETCH_SECONDS):
            lock.touch()
            if is_commit_id(ref_or_commit) and self._holds(ref_or_commit):
                return ref_or_commit
            self._sweep()
            return self._fetch(url, ref_or_commit, token)

    def checkout(self, commit: str) -> GitCheckout:
        """A commit that `fetch` gave."""
        return GitCheckout(self.directory, commit)

    def _fetch(self, url: str, wanted: str, token: str | None) -> str:
        if self.directory.is_dir():
            try:
                commit = self._fetch_into(self.directory, url, wanted, token)
                if self._holds(commit):  # of what git believes to be here, a server sends nothing
                    return commit
            except (RepoUnavailableError, RepoTooLargeError):
                raise
            except RepoError:
                # The server's refusal or our own damage: only a mirror made anew can tell.
                pass
        return self._make(url, wanted, token)

    def _make(self, url: str, wanted: str, token: str | None) -> str:
        with tempfile.TemporaryDirectory(prefix=f".{self.directory.name}-", dir=self.directory.parent) as name:
            fresh, old = Path(name, "new"), Path(name, "old")
            Git(fresh.parent, discover=True).run("init", "--quiet", "--bare", "--template=", "--", str(fresh))
            commit = self._fetch_into(fresh, url, wanted, token)
            if self.directory.exists():
                self.directory.rename(old)
            fresh.rename(self.directory)
        return commit

    def _fetch_into(self, directory: Path, url: str, wanted: str, token: str | None) -> str:
        try:
            remote.fetch(directory, url, wanted, _REF, token=token, ca_bundle=self._ca_bundle, limits=self._fetched)
        except RepoTooLargeError as error:
            self._sweep()
            most = f"{self._fetched.file_bytes / (1 << 20):g} MiB"
            raise RepoTooLargeError(f"One commit of this repository is more than {most}, packed.") from error
        git = Git(directory)
        commit = git.run("rev-parse", "--verify", f"{_REF}^{{commit}}").decode().strip()
        # Each fetch sends this list to the server; only what a ref names belongs in it.
        (directory / "shallow").write_text(f"{commit}\n")
        if len(list((directory / "objects" / "pack").glob("*.pack"))) > _MANY_PACKS:
            git.run("repack", "--quiet", "-d", "--geometric=2", timeout_seconds=remote.FETCH_SECONDS)
        return commit

    def _sweep(self) -> None:
        """Remove what fetches left that were killed. Only for the holder of the lock."""
        for folder in self.directory.parent.glob(f".{self.directory.name}-*"):
            shutil.rmtree(folder, ignore_errors=True)
        for file in (self.directory / "objects" / "pack").glob("tmp_*"):
            file.unlink(missing_ok=True)

    def _holds(self, commit: str) -> bool:
        if not self.directory.is_dir():
            return False
        try:
            tree = self.checkout(commit).tree
            blobs = (entry.blob_id for entry in tree.values() if entry.mode is not FileMode.SUBMODULE)
            return exist(Git(self.directory), blobs)
        except RepoError:
            return False


def lock_of(directory: Path) -> Path:
    """Its time of change is the last use of the mirror."""
    return directory.with_name(f"{directory.name}.lock")


@contextmanager
def locked(path: Path, timeout_seconds: float) -> Iterator[None]:
    """Hold the lock file; RepoUnavailableError where somebody else holds it for too long."""
    give_up = time.monotonic() + timeout_seconds
    with path.open("ab") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > give_up:
                    raise RepoUnavailableError("Another run has been fetching this repository for too long.") from None
                time.sleep(0.05)
        yield
