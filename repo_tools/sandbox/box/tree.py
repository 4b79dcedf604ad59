"""The work tree as git would see it."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from repo_tools.sandbox.box import paths

MAX_DEPTH = 100
"""Directories nested deeper are an attack, not a repository."""
MAX_ENTRIES = 500_000
SETTLED_NANOSECONDS = 50_000_000
"""A file that changed less than this before it was read may change again within the same clock tick: not remembered."""
READ_BYTES = 1 << 20
MOST_HASHED_BYTES = 4 << 30
"""Of one listing: more than a work tree holds, but files with holes, and names of one file, may come to any size."""
NOT_READ = "0" * 40
"""No blob's id."""


class Visit(NamedTuple):
    """One entry that `walk` came by."""

    directory: int  # open descriptor
    name: str  # in that directory
    path: str  # below the root
    info: os.stat_result


def walk(root: int, skip: tuple[str, ...] = ()) -> Iterator[Visit]:
    """Everything below the open directory `root`, depth first and sorted; links are reported, not followed."""
    open_directories = [(os.dup(root), "", entries(root, skip))]
    try:
        while open_directories:
            directory, prefix, names = open_directories[-1]
            if not names:
                os.close(directory)
                open_directories.pop()
                continue
            name = names.pop()
            info = os.stat(name, dir_fd=directory, follow_symlinks=False)
            yield Visit(directory, name, prefix + name, info)
            if stat.S_ISDIR(info.st_mode):
                below = enter(directory, name, len(open_directories))
                open_directories.append((below, prefix + name + "/", entries(below)))
    finally:
        for directory, _prefix, _names in open_directories:
            os.close(directory)


def entries(directory: int, skip: tuple[str, ...] = ()) -> list[str]:
    """Names in reverse, so that the next one is popped from the end."""
    return sorted((name for name in os.listdir(directory) if name not in skip), reverse=True)


def enter(directory: int, name: str, depth: int) -> int:
    if depth > MAX_DEPTH:
        raise OSError(errno.ENAMETOOLONG, "directories nest too deeply")
    try:
        return paths.open_below(directory, name, create=False)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=directory)  # git keeps no such mode; the owner may look
        return paths.open_below(directory, name, create=False)


def identity(info: os.stat_result) -> tuple[int, ...]:
    """Changes whenever content does: nobody in the box can set ctime."""
    return (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)


class TreeReader:
    """Lists a directory as git blobs; remembers by the files' status what it hashed."""

    def __init__(self) -> None:
        self._blobs: dict[tuple[int, ...], str] = {}
        self.hashed = 0
        self._left = 0

    def lines(self, path: str, now_ns: int) -> Iterator[bytes]:
        """``mode SP blob id SP path NUL`` for each file and link, `NOT_READ` in place of an id that would take too
        long. `now_ns`: the wall clock."""
        self._left = MOST_HASHED_BYTES
        root = paths.open_directory(paths.split(path))
        known, self._blobs, self.hashed = self._blobs, {}, 0
        try:
            for visit in walk(root, skip=(".git",)):
                mode = git_mode(visit.info.st_mode)
                if mode:
                    blob = known.get(identity(visit.info)) or self._hash(visit)
                    self._remember(visit.info, blob, now_ns)
                    yield b"%s %s %s\0" % (mode, blob.encode("ascii"), os.fsencode(visit.path))
        finally:
            os.close(root)

    def _remember(self, info: os.stat_result, blob: str, now_ns: int) -> None:
        if blob != NOT_READ and now_ns - info.st_ctime_ns > SETTLED_NANOSECONDS:
            self._blobs[identity(info)] = blob
        if len(self._blobs) > MAX_ENTRIES:
            raise OSError(errno.EFBIG, f"more than {MAX_ENTRIES} files")

    def _hash(self, visit: Visit) -> str:
        if visit.info.st_size > self._left:
            return NOT_READ
        self._left -= visit.info.st_size
        self.hashed += 1
        if stat.S_ISLNK(visit.info.st_mode):
            target = os.fsencode(os.readlink(visit.name, dir_fd=visit.directory))
            return hash_blob(iter((target,)), len(target))
        descriptor = open_own(visit.directory, visit.name)
        try:
            return hash_blob(read_chunks(descriptor), os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)


def git_mode(mode: int) -> bytes:
    """As git-fast-import(1) writes it; empty for what git does not keep."""
    if stat.S_ISLNK(mode):
        return b"120000"
    if stat.S_ISREG(mode):
        return b"100755" if mode & stat.S_IXUSR else b"100644"
    return b""


def open_own(directory: int, name: str) -> int:
    try:
        return paths.open_regular(directory, name)
    except PermissionError:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
        os.chmod(name, stat.S_IMODE(mode) | stat.S_IRUSR, dir_fd=directory)
        return paths.open_regular(directory, name)


def read_chunks(descriptor: int) -> Iterator[bytes]:
    chunk = os.read(descriptor, READ_BYTES)
    while chunk:
        yield chunk
        chunk = os.read(descriptor, READ_BYTES)


def hash_blob(chunks: Iterator[bytes], size: int) -> str:
    digest = hashlib.sha1(b"blob %d\0" % size)  # noqa: S324 - git's object format
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()
