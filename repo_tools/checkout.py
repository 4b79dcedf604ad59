"""One commit, read from git objects: tree, contents, a tar stream. Never a work tree on the host."""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, BinaryIO, Protocol

from repo_tools.tree import Tree

if TYPE_CHECKING:
    from repo_tools.changes import ChangeSet


class Unread(Enum):
    """Why a content is not read."""

    TOO_LARGE = "too large"
    MISSING = "missing"
    """Not in this clone, which was made with a filter or is damaged."""


class Checkout(Protocol):
    """The pristine base of a run. Reads objects only: no hooks, no filters, no smudging, no links followed."""

    commit: str  # 40 hex digits
    tree: Tree

    @property
    def committed_seconds(self) -> int | None:
        """When it was made (seconds since 1970); None where that says nothing."""
        ...

    def read(self, path: str) -> bytes:
        """Content of one path (a link's target for links). KeyError where the tree has no such file."""
        ...

    def read_many(self, paths: Sequence[str], max_bytes: int) -> Iterator[bytes | Unread]:
        """Contents in that order, or why one is not read."""
        ...

    def write_tar(self, into: BinaryIO) -> None:
        """The whole tree as an uncompressed tar stream: modes 0644 and 0755, links, submodules as empty folders."""
        ...

    def patch(self, change: "ChangeSet") -> bytes:
        """`change` as a patch that ``git apply`` takes (binary files included)."""
        ...
