"""A plain folder as a tree: each file by the id that git would give to its content."""

import os
import stat
from pathlib import Path

from repo_tools.changes import FileMode, TreeEntry, blob_id
from repo_tools.repo_map.facts import MAX_FILE_BYTES

MAX_FILES = 1_000_000
_LEFT_OUT = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache"})
_OF_VENV = "pyvenv.cfg"
"""In a folder below the root: whatever the folder is called, what is in it was installed."""

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Folder:
    """No link is followed; of a huge file only the beginning is read. What cannot be read is left out."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.tree: dict[str, TreeEntry] = {}
        self._unread = 0
        folders = [""]
        while folders and len(self.tree) < MAX_FILES:
            folders += reversed(self._take(folders.pop()))

    @property
    def notes(self) -> tuple[str, ...]:
        """In plain words, what was left out."""
        return (f"{self._unread} files and folders cannot be read",) if self._unread else ()

    def read(self, path: str) -> bytes:
        """KeyError where the folder has no such plain file any more."""
        content = self._content(path)
        if content is None:
            raise KeyError(path)
        return content

    def _take(self, folder: str) -> list[str]:
        """The files of one folder. Those below it, in order: a walk that calls itself does not reach the deepest."""
        try:
            with os.scandir(self._root / folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            self._unread += 1
            return []
        if folder and any(entry.name == _OF_VENV for entry in found):
            return []
        for entry in found:
            if entry.is_file(follow_symlinks=False):
                self._add(os.path.join(folder, entry.name))
        folders = [entry.name for entry in found if entry.is_dir(follow_symlinks=False)]
        return [os.path.join(folder, name) for name in folders if name not in _LEFT_OUT]

    def _add(self, path: str) -> None:
        content = self._content(path)
        if content is None:
            self._unread += 1
        else:
            self.tree[path.replace(os.sep, "/")] = TreeEntry(FileMode.REGULAR, blob_id(content))

    def _content(self, path: str) -> bytes | None:
        try:
            descriptor = os.open(self._root / path, _FLAGS)
            with open(descriptor, "rb") as file:
                return file.read(MAX_FILE_BYTES + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
        except OSError:
            return None
