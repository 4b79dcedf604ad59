"""The map of a tree in one call."""

from pathlib import Path

from repo_tools.changes import Tree
from repo_tools.repo_map.indexing import Read
from repo_tools.repo_map.repository_map import RepositoryMap
from repo_tools.repo_map.store import IndexStore


def build_map(tree: Tree, read: Read, *, issue: str, tokens: int, index: Path | None = None, processes: int = 1) -> str:
    """See `RepositoryMap.text`. `index` is the file that keeps what was read; without one nothing is kept."""
    with IndexStore(index) as store:
        return RepositoryMap(store, tree, read, processes=processes).text(issue, tokens=tokens)
