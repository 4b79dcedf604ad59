"""Paths without links: every component is opened below the one before, so that nothing can be swapped in between."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

DIRECTORY_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Without O_DIRECTORY, together with which gVisor (release 20221219) follows links after all."""
KERNEL_TREES = ("proc", "sys", "dev")
"""Top-level directories whose entries are no files."""


def refusal(text: str) -> PermissionError:
    return PermissionError(errno.EACCES, text)


def split(path: str) -> list[str]:
    """Components of an absolute path. PermissionError for anything but plain names below an ordinary directory."""
    parts = [part for part in path.split("/") if part]
    if not path.startswith("/") or "\0" in path or any(part in (".", "..") for part in parts):
        raise refusal("not a plain absolute path")
    if parts and parts[0] in KERNEL_TREES:
        raise refusal("not a place for files")
    return parts


def open_below(parent: int, name: str, create: bool) -> int:
    """A descriptor of directory `name` in `parent`."""
    try:
        return open_listed(parent, name)
    except FileNotFoundError:
        if not create:
            raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
            raise refusal("leads through something that is not a directory") from error
        raise
    with suppress(FileExistsError):
        os.mkdir(name, 0o755, dir_fd=parent)
    return open_below(parent, name, create=False)


def open_listed(parent: int, name: str) -> int:
    """NotADirectoryError, or OSError with ELOOP for a link."""
    descriptor = os.open(name, DIRECTORY_FLAGS, dir_fd=parent)
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def open_directory(parts: list[str], create: bool = False) -> int:
    descriptor = os.open("/", DIRECTORY_FLAGS)
    for name in parts:
        try:
            below = open_below(descriptor, name, create)
        finally:
            os.close(descriptor)
        descriptor = below
    return descriptor


@contextmanager
def parent_of(parts: list[str], create: bool = False) -> Iterator[tuple[int, str]]:
    """(descriptor of the parent directory, last component)."""
    if not parts:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    descriptor = open_directory(parts[:-1], create)
    try:
        yield descriptor, parts[-1]
    finally:
        os.close(descriptor)


def open_regular(parent: int, name: str) -> int:
    """A regular file, for reading; FIFOs do not block, links and devices are refused."""
    try:
        descriptor = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY, dir_fd=parent
        )
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise refusal("not a regular file") from error
        raise
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise refusal("not a regular file")
