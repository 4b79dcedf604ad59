"""A plain folder as a tree: each file by the id that git would give to its content."""

import os
import stat
from pathlib import Path

from repo_tools.changes import FileMode, TreeEntry, blob_id
from repo_tools.repo_map.facts import MAX_FILE_BYTES

MAX_FILES = 1_000_000
_LEFT_OUT = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache"})
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Folder:
    """No link is followed; of a huge file only the beginning is read. What cannot be read is left out."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.tree: dict[str, TreeEntry] = {}
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
            for name in sorted(names):
                self._add(os.path.relpath(os.path.join(folder, name), root))
            if len(self.tree) >= MAX_FILES:
                break

    def read(self, path: str) -> bytes:
        """KeyError where the folder has no such plain file any more."""
        content = self._content(path)
        if content is None:
            raise KeyError(path)
        return content

    def _add(self, path: str) -> None:
        content = self._content(path)
        if content is not None:
            self.tree[path.replace(os.sep, "/")] = TreeEntry(FileMode.REGULAR, blob_id(content))

    def _content(self, path: str) -> bytes | None:
        try:
            descriptor = os.open(self._root / path, _FLAGS)
        except OSError:
            return None
        with open(descriptor, "rb") as file:
            return file.read(MAX_FILE_BYTES + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
