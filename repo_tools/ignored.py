"""Which paths a commit's own .gitignore files ignore (gitignore(5))."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

from pathspec import GitIgnoreSpec

from repo_tools.changes import Tree
from repo_tools.path_rules import is_costly


class IgnoreRules:
    """The rules of one commit. A path below an ignored folder is ignored, whatever a deeper rule says."""

    def __init__(self, tree: Tree, read: Callable[[str], bytes]) -> None:
        lines = {
            path.removesuffix(".gitignore"): read(path).decode("utf-8", "surrogateescape").splitlines()
            for path, entry in tree.items()
            if path.rpartition("/")[2] == ".gitignore" and entry.mode.is_file
        }
        self._of_files = {folder: _spec(those) for folder, those in lines.items()}
        self._of_folders = {folder: _spec(map(_for_folders, those)) for folder, those in lines.items()}
        self._folder_matches = cache(partial(_matches, self._of_folders))

    @property
    def says_something(self) -> bool:
        """Whether there is a rule at all."""
        return any(map(len, self._of_files.values()))

    def ignores(self, path: str) -> bool:
        """Whether the file `path`, if it is not in the tree, is ignored."""
        folders = (path[:slash] for slash, letter in enumerate(path) if letter == "/")
        return any(map(self._folder_matches, folders)) or _matches(self._of_files, path)


def _matches(specs: Mapping[str, GitIgnoreSpec], path: str) -> bool:
    """The deepest .gitignore that says anything about `path` decides."""
    folder = path[: path.rfind("/") + 1]
    while True:
        spec = specs.get(folder)
        said = spec.check_file(path.removeprefix(folder)).include if spec else None
        if said is not None or not folder:
            return bool(said)
        folder = folder[: folder.rfind("/", 0, -1) + 1]


def _for_folders(line: str) -> str:
    """The pattern by which a folder is asked for like a file: of one that is asked for as a folder, the library has no
    file's pattern taken back (``*``, ``!*/``), and takes ``build/**`` for the folder itself."""
    return re.sub(r"/ *$", "", line)


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    """A line that is no pattern matches nothing, as to git, and ends no run; nor does one that takes too long."""
    return GitIgnoreSpec.from_lines(filter(_is_pattern, lines))


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return not is_costly(line)
