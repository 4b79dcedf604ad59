"""A tree as an uncompressed tar stream, content by content, never whole in memory."""

import tarfile
from collections.abc import Iterable
from typing import BinaryIO

from repo_tools.changes import FileMode, Tree
from repo_tools.errors import RepoError
from repo_tools.git_objects import ObjectReader

_KINDS = {
    FileMode.REGULAR: (tarfile.REGTYPE, 0o644),
    FileMode.EXECUTABLE: (tarfile.REGTYPE, 0o755),
    FileMode.SYMLINK: (tarfile.SYMTYPE, 0o777),
    FileMode.SUBMODULE: (tarfile.DIRTYPE, 0o755),
}
_PADDING = b"\0" * tarfile.BLOCKSIZE
_MOST_TARGET_BYTES = 4096  # PATH_MAX of Linux
MOST_CONTENT_BYTES = 2 << 30
"""Twice of what a box's work tree takes. Many paths may name one blob, and a small pack hold a large one."""


def write_tree_tar(into: BinaryIO, tree: Tree, reader: ObjectReader, modified_seconds: int) -> None:
    """Every path of `tree`, in its order. `modified_seconds`: the time stamp of all files, seconds since 1970.
    RepoError before more than `MOST_CONTENT_BYTES` are written."""
    left = MOST_CONTENT_BYTES
    contents = reader.stream(entry.blob_id for entry in tree.values() if entry.mode is not FileMode.SUBMODULE)
    for path, entry in tree.items():
        kind, permissions = _KINDS[entry.mode]
        size, chunks = (0, iter(())) if entry.mode is FileMode.SUBMODULE else next(contents)
        left -= size
        if left < 0:
            raise RepoError(f"The commit's files are more than {MOST_CONTENT_BYTES >> 20} MiB, which no sandbox takes.")
        if entry.mode is FileMode.SYMLINK and size > _MOST_TARGET_BYTES:
            raise RepoError("The commit holds a link whose target is longer than any path.")
        target = b"".join(chunks) if entry.mode is FileMode.SYMLINK else b""
        into.write(_header(path, kind, permissions, 0 if target else size, target, modified_seconds))
        _write_padded(into, chunks)
    into.write(_PADDING * 2)


def _header(path: str, kind: bytes, permissions: int, size: int, target: bytes, modified_seconds: int) -> bytes:
    """GNU's format: names and link targets of any length and any bytes."""
    member = tarfile.TarInfo(path)
    member.type = kind
    member.mode = permissions
    member.size = size
    member.mtime = modified_seconds
    member.linkname = target.decode("utf-8", "surrogateescape")
    return member.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


def _write_padded(into: BinaryIO, chunks: Iterable[bytes]) -> None:
    written = 0
    for chunk in chunks:
        into.write(chunk)
        written += len(chunk)
    into.write(_PADDING[: -written % tarfile.BLOCKSIZE])
