"""A `Checkout` of files in memory, for what only reads."""

from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

from repo_tools.changes import ChangeSet, FileMode, TreeEntry, blob_id
from repo_tools.checkout import Unread


class FilesCheckout:
    """The tree holds `files`; those in `links` are symbolic links."""

    commit = "c" * 40

    def __init__(self, files: Mapping[str, str | bytes], links: frozenset[str] = frozenset()) -> None:
        self._files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
        self.tree: Mapping[str, TreeEntry] = {
            path: TreeEntry(FileMode.SYMLINK if path in links else FileMode.REGULAR, blob_id(content))
            for path, content in self._files.items()
        }

    committed_seconds: int | None = None

    def read(self, path: str) -> bytes:
        return self._files[path]

    def read_many(self, paths: Sequence[str], max_bytes: int) -> Iterator[bytes | Unread]:
        return (self._files[path] if len(self._files[path]) <= max_bytes else Unread.TOO_LARGE for path in paths)

    def write_tar(self, into: BinaryIO) -> None:
        raise AssertionError("nothing is set up here")

    def patch(self, change: ChangeSet) -> bytes:
        raise AssertionError("nothing is changed here")
