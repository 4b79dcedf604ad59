"""A commit of a repository on this machine, read from its objects."""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from importlib import import_module
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from repo_tools.checkout import Unread
from repo_tools.git import ReadingGit
from repo_tools.git_objects import ObjectReader
from repo_tools.paths import check_base_tree
from repo_tools.tree import FileMode, Tree, TreeEntry

if TYPE_CHECKING:
    from repo_tools.changes import ChangeSet

_OLDEST_SECONDS = 315_619_200  # 1980-01-02: archives that tests and builds make (zip) know nothing older
_NEWEST_SECONDS = 4_102_444_800  # 2100-01-01
_COMMITTED = re.compile(rb"\ncommitter .*> (\d{1,12})")
_MOST_LISTING_BYTES = 64 << 20
"""Some 500,000 files, which no box takes. A few trees that name each other many times list billions."""


class GitCheckout:
    """The `Checkout` of one commit in a git directory. Thread-safe. Keeps a git process once something was read;
    `close` ends it, and the next read starts another."""

    def __init__(self, git_dir: Path, commit: str) -> None:
        """RepoError where `git_dir` has no such commit, or its tree could not be checked out."""
        self.commit = commit
        self.git_dir = git_dir
        self._git = ReadingGit(git_dir)
        self._lock = threading.Lock()
        self._idle: list[ObjectReader] = []
        listing = self._git.listing("ls-tree", "-r", "-z", "--full-tree", commit, most_bytes=_MOST_LISTING_BYTES)
        self.tree: Tree = _parse_tree(listing)
        check_base_tree(self.tree)

    @cached_property
    def committed_seconds(self) -> int:
        """When the commit was made (seconds since 1970), within what archive formats can say. RepoError."""
        with self._reader() as reader:
            header = reader.read(self.commit).partition(b"\n\n")[0]
        told = _COMMITTED.search(header)
        return min(max(int(told[1]) if told else 0, _OLDEST_SECONDS), _NEWEST_SECONDS)

    def read(self, path: str) -> bytes:
        entry = self.tree[path]
        if entry.mode is FileMode.SUBMODULE:
            raise KeyError(path)
        with self._reader() as reader:
            return reader.read(entry.blob_id)

    def read_many(self, paths: Sequence[str], max_bytes: int) -> Iterator[bytes | Unread]:
        """Git is asked for the sizes first: what is too large is not read."""
        ids = [self.tree[path].blob_id for path in paths]
        with self._reader() as reader:
            sizes = [*reader.sizes(ids)]
            contents = reader.stream(compress(ids, (size is not None and size <= max_bytes for size in sizes)))
            for size in sizes:
                if size is None:
                    yield Unread.MISSING
                else:
                    yield b"".join(next(contents)[1]) if size <= max_bytes else Unread.TOO_LARGE

    def write_tar(self, into: BinaryIO) -> None:
        tars, seconds = import_module("repo_tools.tar_stream"), self.committed_seconds  # a map needs none of it
        with self._reader() as reader:
            tars.write_tree_tar(into, self.tree, reader, seconds)

    def patch(self, change: "ChangeSet") -> bytes:
        if not change:
            return b""
        patch: bytes = import_module("repo_tools.patches").make_patch(self.git_dir / "objects", change)
        return patch

    def close(self) -> None:
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @contextmanager
    def _reader(self) -> Iterator[ObjectReader]:
        """One that nobody else uses meanwhile. After an error, or half of its answers, it is not used again."""
        with self._lock:
            reader = self._idle.pop() if self._idle else ObjectReader(self._git)
        try:
            yield reader
        except BaseException:
            reader.close()
            raise
        with self._lock:
            self._idle.append(reader)


def _parse_tree(listing: bytes) -> Tree:
    """``<mode> <kind> <id>\\t<path>\\0…`` (git-ls-tree(1))."""
    tree = {}
    for record in listing.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        entry, _, path = record.partition("\t")
        mode, _, blob_id = entry.split(" ")
        tree[path] = TreeEntry(_file_mode(mode), blob_id)
    return tree


@cache
def _file_mode(mode: str) -> FileMode:
    """Old commits hold modes like 100664; git itself looks at the owner's executable bit only."""
    if mode.startswith("100"):
        return FileMode.EXECUTABLE if int(mode, 8) & 0o100 else FileMode.REGULAR
    return FileMode(mode)
