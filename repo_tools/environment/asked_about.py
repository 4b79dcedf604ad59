"""What an issue is about: the files that it names, and the projects that hold them. Pure."""

import re
from collections.abc import Iterable, Mapping, Set
from pathlib import PurePosixPath

from repo_tools.changes import Tree

_PATH = re.compile(r"[\w.@+-]+(?:[/\\][\w.@+-]+)+|[\w@+-]+\.\w{1,5}\b")
_WORD = re.compile(r"[\w.@+/\\-]+")
_INSTALLED = re.compile(r"^.*/(?:site|dist)-packages/(?=[^/]+/)")
"""Where a package lies as its users have it; in the repository the same files may lie below a ``src``."""
_NO_SUBJECT = (".md", ".markdown", ".rst", ".adoc", ".lock", "-lock.json", "-lock.yaml", "go.sum")
"""Ends names of what issues point to and are seldom about: what is written for readers, and by package managers."""
_LONGEST_WORD = 500
_MOST_NAMED = 50


def named_paths(text: str, tree: Tree) -> tuple[str, ...]:
    """Files that a text names, by their path or the end of it (``pkg/core.py``, ``File "/home/a/pkg/core.py"``); what
    could be several files names none, and neither do documents and lock files."""
    candidates = (word for word in _WORD.findall(text) if len(word) <= _LONGEST_WORD)
    named = (path for word in candidates for path in _PATH.findall(word))
    words = dict.fromkeys(_INSTALLED.sub("", word.replace("\\", "/")).strip("./") for word in named)
    by_name: dict[str, list[str]] = {}
    for path in tree:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    found = (_file_named(word, by_name.get(word.rpartition("/")[2], [])) for word in list(words)[:_MOST_NAMED])
    return tuple(dict.fromkeys(path for path in found if path and not path.lower().endswith(_NO_SUBJECT)))


def place_in(inside: str, folders: Mapping[str, Set[str]]) -> str:
    """A path that stands for all of the folder `inside`: in the deepest of the projects that hold it, else in the first
    of those below it, else in the root's; empty where that has no manifest."""
    holders = [folder for folder in folders if folder and PurePosixPath(inside).is_relative_to(folder)]
    below = (folder for folder in folders if PurePosixPath(folder).is_relative_to(inside))
    own = max(holders, key=len, default=None) or next(below, inside if folders.get("") else "")
    return f"{own}/." if own else ""


def nearest_first(folders: Iterable[str], weights: Mapping[str, float]) -> tuple[str, ...]:
    """`folders`, those that hold one of the files of `weights` first: by what those weigh that each holds as the
    deepest of all, then as they came."""
    known = tuple(folders)
    held = dict.fromkeys(known, 0.0)
    for path, weight in weights.items():
        holders = [folder for folder in known if not folder or path.startswith(f"{folder}/")]
        if holders:
            held[max(holders, key=len)] += weight
    return tuple(sorted(known, key=lambda folder: -held[folder]))


def _file_named(word: str, candidates: list[str]) -> str | None:
    """A longer word names a file whose whole path it ends with."""
    matches = [c for c in candidates if c == word or c.endswith(f"/{word}") or word.endswith(f"/{c}")]
    return matches[0] if len(matches) == 1 else None
