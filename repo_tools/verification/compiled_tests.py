"""Tests that a suite runs as something compiled: ``src/test/a.ts`` as ``dist/test/a.js``. Pure."""

from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from repo_tools.changes import Tree


def run_compiled(files: Iterable[str], collected: Collection[str], tree: Tree) -> bool:
    """Whether one of `files`, or a file beside it, is called as one that the repository does not hold and of which
    tests were `collected`: it cannot be run by its own name."""
    made = {_stem(path) for path in collected if path not in tree}
    if not made:
        return False
    folders = {PurePosixPath(path).parent for path in files if path not in collected}
    beside = (path for path in tree if path not in collected and PurePosixPath(path).parent in folders)
    return any(_stem(path) in made for path in (*beside, *files) if path not in collected)


def _stem(path: str) -> str:
    return PurePosixPath(path).stem
