"""A git repository that belongs to the person at this machine: read by plumbing, written only by `add_branch`."""

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from repo_tools.errors import RepoError
from repo_tools.git import OWN_IDENTITY, Git, ReadingGit
from repo_tools.git_checkout import GitCheckout
from repo_tools.paths import check_change
from repo_tools.refs import check_branch_name

if TYPE_CHECKING:
    from repo_tools.changes import ChangeSet


class LocalRepository:
    """The repository that holds `path`: its top folder, one below it, a linked work tree, a bare or a shared clone.

    `below` is where `path` is in its work tree (root-relative, with a slash at the end; empty: at the top, or in a bare
    one). Its work tree, its index and its configuration stay as they are; none of its hooks and programs run.
    """

    def __init__(self, path: Path) -> None:
        """RepoError where `path` is no folder of a git repository that can be read."""
        self.path = path
        self._git_dir, self._common_dir, self.below = _find(path)
        self._git = ReadingGit(self._git_dir)

    def origin(self) -> str:
        """What it was cloned from, as a URL or a path, or else where it is itself: the same of all its clones."""
        try:
            url = self._git.run("config", "--get", "remote.origin.url").decode("utf-8", "surrogateescape").strip()
        except RepoError:  # it was not cloned
            url = ""
        return (url or str(self._common_dir.resolve())).rstrip("/").removesuffix(".git").rstrip("/")

    def resolve(self, revision: str) -> str:
        """The commit that `revision` (a branch, a tag, ``HEAD~2``, an id) names. RepoError where there is none."""
        if revision.startswith("-") or not revision.isprintable():
            raise RepoError(f"{revision!r} names no commit.")
        try:
            found = self._git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except RepoError as error:
            raise RepoError(self._why_unresolved(revision)) from error
        return found.decode().split()[-1]

    def checkout(self, commit: str) -> GitCheckout:
        """The commit with this id (as `resolve` gives it)."""
        return GitCheckout(self._common_dir, commit)

    def check_new_branch(self, name: str) -> None:
        """RepoError where `name` is no name for a branch, or there is such a branch already."""
        if self._existing(f"refs/heads/{check_branch_name(name)}") is not None:
            raise RepoError(f"The branch {name!r} exists already; choose another name.")

    def add_branch(self, name: str, base_commit: str, change: "ChangeSet", message: str) -> str:
        """A new branch with one commit, base + `change`, on top of `base_commit`; the commit's id.

        A branch that already is just that is left as it is; any other of that name is refused (RepoError).
        """
        ref = f"refs/heads/{check_branch_name(name)}"
        check_change(change, self.checkout(base_commit).tree)
        with import_module("tempfile").TemporaryDirectory(prefix="agent-fix-git-") as working:  # a map needs none of it
            tree = import_module("repo_tools.patches").write_tree(self._common_dir, change, Path(working))
        existing = self._existing(ref)
        if existing is None:
            return self._create(ref, base_commit, tree, message)
        if self._git.run("rev-parse", f"{existing}^{{tree}}", f"{existing}^@").decode().split() != [tree, base_commit]:
            raise RepoError(f"The branch {name!r} exists already and holds something else; choose another name.")
        return existing

    def _create(self, ref: str, base_commit: str, tree: str, message: str) -> str:
        git = Git(self._git_dir, environment=OWN_IDENTITY)
        commit = git.run("commit-tree", tree, "-p", base_commit, stdin=message.encode()).decode().strip()
        git.run("update-ref", "--no-deref", "-m", "agent-fix", ref, commit, "0" * 40)
        return commit

    def _existing(self, ref: str) -> str | None:
        found = self._git.run("for-each-ref", "--format=%(objectname) %(refname)", ref).decode().splitlines()
        return next((line.split()[0] for line in found if line.split()[1] == ref), None)

    def _why_unresolved(self, revision: str) -> str:
        if not self._git.run("for-each-ref", "--count=1"):
            return f"The repository {self.path} has no commit yet."
        return f"{revision!r} names no commit of the repository {self.path}."


_MAKE_ONE = (
    "\nWhere it is an unpacked archive, make it one: git init && git add --all --force && git commit -m 'as unpacked'"
)


def _find(path: Path) -> tuple[Path, Path, str]:
    """(git directory, the directory it shares with other work trees, where `path` is below its work tree)."""
    if not path.is_dir():
        raise RepoError(f"{path} is not a folder.")
    if "\n" in str(path.resolve()):
        raise RepoError(f"The folder's name {str(path.resolve())!r} holds a line break, which git's lists do not take.")
    question = ("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir")
    try:
        answer = ReadingGit(path, discover=True).run(*question, "--show-object-format", "--show-prefix")
    except RepoError as error:
        remedy = _MAKE_ONE if "not a git repository" in str(error) else ""
        raise RepoError(f"{path} is not in a git repository that can be read. {error}{remedy}") from error
    git_dir, common_dir, object_format, below = os.fsdecode(answer).removesuffix("\n").rsplit("\n", 3)
    if object_format != "sha1":
        raise RepoError(f"{path} keeps its objects as {object_format}; only SHA-1 repositories are supported.")
    return Path(git_dir), Path(common_dir), below
