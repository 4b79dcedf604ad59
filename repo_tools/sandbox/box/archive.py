"""Directories as tar streams, in and out."""

from __future__ import annotations

import os
import stat
import tarfile
from typing import BinaryIO

from repo_tools.sandbox.box import files, paths, tree

FORMAT = tarfile.GNU_FORMAT
REMOVES = "/.wh."
"""A name that begins so says, in a container's layer, that its neighbour, its folder or the one above (``.wh...``) is
gone: https://github.com/opencontainers/image-spec/blob/main/layer.md#whiteouts"""
LATEST_SECONDS = 8**11 - 1
"""What every reader of the format takes, for the year 2242."""


def unpack(stream: BinaryIO, to: str) -> None:
    """Regular files, directories and links only, all below `to`; what stands in the way is replaced."""
    folder = Folder()
    try:
        root = paths.split(to)
        folder.open(root)
        with tarfile.open(fileobj=stream, mode="r|", errors="surrogateescape") as archive:
            for member in archive:
                parts = relative_parts(member.name)
                if parts:
                    unpack_member(archive, member, root, parts, folder)
    except tarfile.TarError as error:
        raise ValueError(f"not an archive: {error}") from error
    finally:
        folder.close()
    while stream.read(1 << 16):  # the padding after the archive's end
        pass


class Folder:
    """The directory that was opened last: the files of one come one after the other."""

    def __init__(self) -> None:
        self._parts: list[str] | None = None
        self._descriptor = -1

    def open(self, parts: list[str]) -> int:
        """A descriptor that lasts until the next call."""
        if parts != self._parts:
            self.close()
            self._descriptor = paths.open_directory(parts, create=True)
            self._parts = parts
        return self._descriptor

    def close(self) -> None:
        if self._parts is not None:
            self._parts = None
            os.close(self._descriptor)


def relative_parts(name: str) -> list[str]:
    if name.startswith("/"):
        raise paths.refusal("absolute name in an archive")
    return [part for part in paths.split("/_/" + name) if part][1:] if name not in ("", ".", "./") else []


def unpack_member(
    archive: tarfile.TarFile, member: tarfile.TarInfo, root: list[str], parts: list[str], folder: Folder
) -> None:
    if member.isdir():
        folder.open(root + parts)
        return
    parent, name = folder.open(root + parts[:-1]), parts[-1]
    files.unlink_quietly(parent, name)
    if member.issym():
        os.symlink(member.linkname, name, dir_fd=parent)
    elif member.islnk():
        link(root + relative_parts(member.linkname), parent, name)
    elif member.isreg():
        unpack_file(archive, member, parent, name)


def link(source: list[str], parent: int, name: str) -> None:
    with paths.parent_of(source) as (source_parent, source_name):
        os.link(source_name, name, src_dir_fd=source_parent, dst_dir_fd=parent, follow_symlinks=False)


def unpack_file(archive: tarfile.TarFile, member: tarfile.TarInfo, parent: int, name: str) -> None:
    content = archive.extractfile(member)
    if content is None:
        return
    with content:
        mode = 0o755 if member.mode & stat.S_IXUSR else 0o644
        files.write_new(parent, name, mode, iter(lambda: content.read(tree.READ_BYTES), b""))
    # compiled Python names the time of its source
    os.utime(name, (member.mtime, member.mtime), dir_fd=parent, follow_symlinks=False)


def pack(path: str, stream: BinaryIO, under: str) -> None:
    """Directory `path` with names relative to it, `under` before each; FIFOs, sockets, devices and what no layer
    can hold are left out."""
    root = paths.open_directory(paths.split(path))
    links: dict[tuple[int, int], str] = {}
    try:
        with tarfile.open(
            fileobj=stream, mode="w|", format=FORMAT, encoding="utf-8", errors="surrogateescape"
        ) as archive:
            for visit in tree.walk(root):
                if REMOVES not in f"/{visit.path}":
                    pack_entry(archive, under + visit.path, visit, links)
    finally:
        os.close(root)


def pack_entry(archive: tarfile.TarFile, name: str, visit: tree.Visit, links: dict[tuple[int, int], str]) -> None:
    member = tarfile.TarInfo(name)
    mode = visit.info.st_mode
    member.mode, member.mtime = stat.S_IMODE(mode) & 0o777, min(max(int(visit.info.st_mtime), 0), LATEST_SECONDS)
    member.uid, member.gid = visit.info.st_uid, visit.info.st_gid  # a container's layer keeps them
    if stat.S_ISDIR(mode):
        member.type = tarfile.DIRTYPE
        archive.addfile(member)
    elif stat.S_ISLNK(mode):
        member.type, member.linkname = tarfile.SYMTYPE, os.readlink(visit.name, dir_fd=visit.directory)
        archive.addfile(member)
    elif stat.S_ISREG(mode):
        pack_file(archive, member, visit, links)


def pack_file(
    archive: tarfile.TarFile, member: tarfile.TarInfo, visit: tree.Visit, links: dict[tuple[int, int], str]
) -> None:
    first = links.setdefault((visit.info.st_dev, visit.info.st_ino), member.name)
    if first != member.name:
        member.type, member.linkname = tarfile.LNKTYPE, first
        archive.addfile(member)
        return
    with open(tree.open_own(visit.directory, visit.name), "rb") as content:
        member.size = os.fstat(content.fileno()).st_size
        archive.addfile(member, content)
