"""Files that a person gives with a task, as the one commit of a repository made for it."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from repo_tools.changes import ChangeSet, Tree
from repo_tools.checkout import Checkout, Unread
from repo_tools.errors import RepoError
from repo_tools.git import OWN_IDENTITY, Git
from repo_tools.git_checkout import GitCheckout
from repo_tools.paths import check_path

_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The id that git gives to a tree without entries."""
_HASH_SECONDS = 600.0


def make_given(git_dir: Path, files: Mapping[str, Path]) -> GitCheckout:
    """A new bare repository whose one commit holds `files` (path in it -> file here), byte for byte. RepoError."""
    git_dir.mkdir(parents=True)
    Git(git_dir).run("init", "--bare", "--quiet", str(git_dir))
    with tempfile.TemporaryDirectory() as working:
        git = Git(git_dir, environment={**OWN_IDENTITY, "GIT_INDEX_FILE": f"{working}/index"})
        entries = [f"100644 {_blob(git, source)}\t{check_path(path)}\0" for path, source in files.items()]
        git.run("update-index", "-z", "--index-info", stdin="".join(entries).encode())
        tree = git.run("write-tree").decode().strip()
        commit = git.run("commit-tree", tree, "-m", "given").decode().strip()
    git.run("update-ref", "refs/heads/main", commit)
    return GitCheckout(git_dir, commit)


def read_given(git_dir: Path) -> GitCheckout:
    """What `make_given` made. RepoError."""
    commit = Git(git_dir).run("rev-parse", "--verify", "--quiet", "refs/heads/main").decode().strip()
    return GitCheckout(git_dir, commit)


class NoFiles:
    """A `Checkout` without any file: what set-up with network is shown of a person's data."""

    commit = _EMPTY_TREE
    committed_seconds = None

    def __init__(self) -> None:
        self.tree: Tree = {}

    def read(self, path: str) -> bytes:
        raise KeyError(path)

    def read_many(self, paths: Sequence[str], max_bytes: int) -> Iterator[bytes | Unread]:
        return map(self.read, paths)

    def write_tar(self, into: BinaryIO) -> None:
        into.write(bytes(1024))

    def patch(self, change: ChangeSet) -> bytes:
        raise RepoError("There is nothing to change.")


NO_FILES: Checkout = NoFiles()


def _blob(git: Git, source: Path) -> str:
    if "\n" in str(source.resolve()):
        raise RepoError(f"The name {str(source)!r} holds a line break, which git's lists do not take.")
    asked = f"{source.resolve()}\n".encode("utf-8", "surrogateescape")
    found = git.run("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=asked, timeout_seconds=_HASH_SECONDS)
    return found.decode().strip()
