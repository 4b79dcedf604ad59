"""What a commit or a folder holds: paths with their modes and the ids of their contents."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class FileMode(StrEnum):
    """The modes git knows for a tree's entry (git-fast-import(1)); submodules are listed, never read."""

    REGULAR = "100644"
    EXECUTABLE = "100755"
    SYMLINK = "120000"
    SUBMODULE = "160000"

    @property
    def is_file(self) -> bool:
        return self in (FileMode.REGULAR, FileMode.EXECUTABLE)


class TreeEntry(NamedTuple):
    """One path of a tree: its mode and the id of its content as a git blob (40 hex digits)."""

    mode: FileMode
    blob_id: str


Tree = Mapping[str, TreeEntry]
"""Root-relative path with forward slashes (bytes outside UTF-8 as surrogates) -> entry."""
