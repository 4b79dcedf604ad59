"""Commits made through GitHub's Git Data API: no work tree, no git, no push.

https://docs.github.com/en/rest/git
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from repo_tools.changes import ChangeSet, FileChange
from workers.github.errors import ConflictError, GitHubUnavailableError, InvalidError, NotFoundError
from workers.github.rest import Rest


@dataclass(frozen=True)
class Commit:
    sha: str
    tree: str
    parents: tuple[str, ...]


class EmptyRepositoryError(ConflictError):
    """There is no commit yet."""


class GitData:
    """Objects and refs of one repository. Refs are made, never moved; deleted only where `late` says so. Objects have
    no intents of their own: nobody sees them before a ref, and one that is written twice is one."""

    def __init__(self, rest: Rest, repository_path: str) -> None:
        self._rest = rest
        self._path = f"{repository_path}/git"

    def ref(self, name: str) -> str | None:
        """The commit that ref `name` (``heads/main``) points to."""
        try:
            return str(self._rest.get(f"{self._path}/ref/{quote(name)}")["object"]["sha"])
        except NotFoundError:
            return None
        except ConflictError as error:
            raise EmptyRepositoryError(error.what, error.status, error.message, "Push a first commit.") from error

    def create_ref(self, name: str, sha: str) -> bool:
        """False where the ref exists already and points elsewhere. A lost answer is looked up."""
        try:
            self._rest.post(f"{self._path}/refs", {"ref": f"refs/{name}", "sha": sha})
        except (InvalidError, GitHubUnavailableError):
            found = self.ref(name)
            if found is None:
                raise
            return found == sha
        return True

    def delete_ref(self, name: str) -> None:
        """Harmless where it is gone."""
        try:
            self._rest.delete(f"{self._path}/refs/{quote(name)}")
        except InvalidError:
            if self.ref(name) is not None:
                raise

    def place(self, name: str, tree: str, parents: Sequence[str], message: str) -> str | None:
        """The commit at ref `name`, which holds this tree on these parents: made now, or found from earlier. None where
        it holds anything else: that is somebody else's."""
        head = self.ref(name)
        if head is None:
            made = self.create_commit(message, tree, parents).sha
            head = made if self.create_ref(name, made) else self.ref(name)
        if head is None:
            return None
        commit = self.commit(head)
        return head if (commit.tree, commit.parents) == (tree, tuple(parents)) else None

    def commit(self, sha: str) -> Commit:
        return _commit(self._rest.get(f"{self._path}/commits/{sha}"))

    def create_commit(self, message: str, tree: str, parents: Sequence[str]) -> Commit:
        """Without author and committer, so that they are the App's and GitHub signs it."""
        body = {"message": message, "tree": tree, "parents": list(parents)}
        return _commit(self._rest.post(f"{self._path}/commits", body))

    def create_tree(self, change: ChangeSet) -> str:
        """The tree of the change's base commit with the change applied."""
        base = self.commit(change.base_commit).tree
        entries = [self._entry(path, change.files[path]) for path in change]
        return str(self._rest.post(f"{self._path}/trees", {"base_tree": base, "tree": entries})["sha"])

    def create_orphan_tree(self, files: dict[str, bytes]) -> str:
        entries = [self._new_file(path, "100644", content) for path, content in sorted(files.items())]
        return str(self._rest.post(f"{self._path}/trees", {"tree": entries})["sha"])

    def _entry(self, path: str, change: FileChange | None) -> dict[str, Any]:
        if not _is_utf8(path):
            raise InvalidError(f"tree entry {path!r}", None, "the API takes no path that is not UTF-8")
        if change is None:
            return {"path": path, "mode": "100644", "type": "blob", "sha": None}
        return self._new_file(path, str(change.mode), change.content)

    def _new_file(self, path: str, mode: str, content: bytes) -> dict[str, Any]:
        body = {"content": base64.b64encode(content).decode("ascii"), "encoding": "base64"}
        sha = self._rest.post(f"{self._path}/blobs", body)["sha"]
        return {"path": path, "mode": mode, "type": "blob", "sha": sha}


def _is_utf8(path: str) -> bool:
    """Bytes outside of it travel as surrogates, which JSON cannot carry."""
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _commit(value: dict[str, Any]) -> Commit:
    return Commit(value["sha"], value["tree"]["sha"], tuple(parent["sha"] for parent in value["parents"]))
