"""Which paths a commit's own .gitignore files ignore (gitignore(5))."""

import re
from collections.abc import Callable, Iterable
from functools import cache

from pathspec import GitIgnoreSpec

from repo_tools.changes import FileMode, Tree
from repo_tools.path_rules import is_costly


class IgnoreRules:
    """The rules of one commit. A path below an ignored folder is ignored, whatever a deeper rule says."""

    def __init__(self, tree: Tree, read: Callable[[str], bytes]) -> None:
        self._specs = {
            path.removesuffix(".gitignore"): _spec(read(path).decode("utf-8", "surrogateescape").splitlines())
            for path, entry in tree.items()
            if path.rpartition("/")[2] == ".gitignore" and entry.mode in (FileMode.REGULAR, FileMode.EXECUTABLE)
        }
        self._folder_matches = cache(self._matches)

    def ignores(self, path: str) -> bool:
        """Whether the file `path`, if it is not in the tree, is ignored."""
        folders = (path[: slash + 1] for slash, letter in enumerate(path) if letter == "/")
        return any(map(self._folder_matches, folders)) or self._matches(path)

    def _matches(self, path: str) -> bool:
        """The deepest .gitignore that says anything about `path` decides."""
        folder = path[: path.rstrip("/").rfind("/") + 1]
        while True:
            spec = self._specs.get(folder)
            said = spec.check_file(path.removeprefix(folder)).include if spec else None
            if said is not None or not folder:
                return bool(said)
            folder = folder[: folder.rfind("/", 0, -1) + 1]


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    """A line that is no pattern matches nothing, as to git, and ends no run; nor does one that takes too long."""
    return GitIgnoreSpec.from_lines(filter(_is_pattern, lines))


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return not is_costly(line)
