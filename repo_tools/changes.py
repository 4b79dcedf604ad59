"""The ChangeSet: what a run wants to change, as a value, against one base commit."""

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from repo_tools.tree import FileMode, Tree, TreeEntry

__all__ = ["ChangeSet", "FileChange", "FileMode", "Tree", "TreeEntry", "blob_id"]


def blob_id(content: bytes) -> str:
    """The id git gives to `content` as a blob (SHA-1 object format)."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class FileChange:
    """The new state of one path."""

    mode: FileMode
    content: bytes

    @property
    def entry(self) -> TreeEntry:
        return TreeEntry(self.mode, blob_id(self.content))


@dataclass(frozen=True)
class ChangeSet:
    """path -> new state, or None where the path is deleted, against `base_commit`.

    Renames are a deletion and an addition. Content travels as bytes: line endings, BOM and the missing final
    newline are kept. Immutable; each `with_…` returns a new value.
    """

    base_commit: str
    files: Mapping[str, FileChange | None] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.files)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.files))

    def with_change(self, path: str, change: FileChange | None) -> "ChangeSet":
        return ChangeSet(self.base_commit, {**self.files, path: change})

    def without(self, path: str) -> "ChangeSet":
        """Forget what was to happen to `path`: it is as in the base again."""
        return ChangeSet(self.base_commit, {p: c for p, c in self.files.items() if p != path})

    def restricted_to(self, wanted: Callable[[str], bool]) -> "ChangeSet":
        return ChangeSet(self.base_commit, {p: c for p, c in self.files.items() if wanted(p)})

    def to_json(self) -> dict[str, Any]:
        """For the journal: contents as base64."""
        return {
            "base_commit": self.base_commit,
            "files": {
                path: change and {"mode": str(change.mode), "content": base64.b64encode(change.content).decode("ascii")}
                for path, change in sorted(self.files.items())
            },
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "ChangeSet":
        return cls(
            value["base_commit"],
            {
                path: change and FileChange(FileMode(change["mode"]), base64.b64decode(change["content"]))
                for path, change in value["files"].items()
            },
        )
