"""Single files: read, write, delete, and whether they were altered."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from itertools import groupby

from repo_tools.sandbox.box import frames, paths

SYMLINK = "120000"
EXECUTABLE = "100755"


def fresh_name() -> str:
    return ".agent-fix-" + os.urandom(8).hex()


def read(path: str, max_bytes: int) -> Iterator[bytes]:
    """The file's first `max_bytes` bytes, in chunks."""
    with paths.parent_of(paths.split(path)) as (parent, name):
        descriptor = paths.open_regular(parent, name)
    try:
        while max_bytes and (chunk := os.read(descriptor, min(frames.CHUNK_BYTES, max_bytes))):
            yield chunk
            max_bytes -= len(chunk)
    finally:
        os.close(descriptor)


def write(path: str, mode: str, content: Iterator[bytes]) -> None:
    """Put `content` in place with one rename, whatever stood there before (a directory excepted)."""
    with paths.parent_of(paths.split(path), create=True) as (parent, name):
        temporary = fresh_name()
        try:
            if mode == SYMLINK:
                os.symlink(b"".join(content), temporary, dir_fd=parent)
            else:
                write_new(parent, temporary, 0o755 if mode == EXECUTABLE else 0o644, content)
            os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        except OSError:
            unlink_quietly(parent, temporary)
            raise


def write_new(parent: int, name: str, mode: int, content: Iterator[bytes]) -> None:
    """Create `name` in `parent`; it must not be there yet."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(name, flags, 0o600, dir_fd=parent), "wb", buffering=0) as file:
        for chunk in content:
            write_all(file.fileno(), chunk)
        os.fchmod(file.fileno(), mode)


def write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def unlink_quietly(parent: int, name: str) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=parent)


def stamps(named: Iterable[str]) -> Iterator[bytes]:
    """Of each what stands there, when the kernel last saw it altered, and when its content was; empty where none can be
    looked at. Those that follow one another in a folder are looked for from there."""
    for _, beside in groupby(named, lambda path: path.rstrip("/").rpartition("/")[0]):
        with ExitStack() as held:
            parent = -1
            for path in beside:
                try:
                    parts = paths.split(path)
                    if parent < 0:
                        parent, _ = held.enter_context(paths.parent_of(parts))
                    state = os.lstat(parts[-1], dir_fd=parent)
                except OSError:
                    yield b""
                else:
                    yield b"%d %d %d" % (state.st_ino, state.st_ctime_ns, state.st_mtime_ns)


def delete(path: str) -> None:
    """Remove a file, a link or a directory, and then each parent that this leaves empty."""
    parts = paths.split(path)
    with paths.parent_of(parts) as (parent, name):
        remove(parent, name)
    for depth in range(len(parts) - 1, 1, -1):
        with paths.parent_of(parts[:depth]) as (parent, name):
            try:
                os.rmdir(name, dir_fd=parent)
            except OSError:  # not empty, or a place where a volume is mounted
                return


def remove(parent: int, name: str) -> None:
    """Whole directories are flattened while they go: depth costs neither stack nor descriptors."""
    if not stat.S_ISDIR(os.lstat(name, dir_fd=parent).st_mode):
        os.unlink(name, dir_fd=parent)
        return
    pending = [name]
    while pending:
        directory = pending.pop()
        pending += empty(parent, directory)
        os.rmdir(directory, dir_fd=parent)


def empty(parent: int, directory: str) -> list[str]:
    """Unlink what is in `directory`; its own directories are moved up into `parent` and returned."""
    os.chmod(directory, 0o700, dir_fd=parent)
    descriptor = paths.open_listed(parent, directory)
    moved = []
    try:
        for name in os.listdir(descriptor):
            if stat.S_ISDIR(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode):
                os.chmod(name, 0o700, dir_fd=descriptor)  # moving a directory writes its ".."
                moved.append(fresh_name())
                os.rename(name, moved[-1], src_dir_fd=descriptor, dst_dir_fd=parent)
            else:
                os.unlink(name, dir_fd=descriptor)
    finally:
        os.close(descriptor)
    return moved
