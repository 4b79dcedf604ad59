"""Submodules: parts of a repository that stand elsewhere and are never fetched (their addresses are anybody's). Pure.

What lacks them fails as if the code were wrong, so that people are told of them."""

from repo_tools.changes import FileMode, Tree

MOST_NAMED = 5


def submodules(tree: Tree) -> tuple[str, ...]:
    """Paths of the empty folders that they are in a box, sorted."""
    return tuple(sorted(path for path, entry in tree.items() if entry.mode is FileMode.SUBMODULE))


def plan_note(tree: Tree) -> str:
    """For a plan; empty where there are none."""
    return f"submodules, which are never fetched: {_named(tree)}" if submodules(tree) else ""


def failure_note(tree: Tree) -> str:
    """For whoever looks for the cause of a failure; empty where there are none."""
    if not submodules(tree):
        return ""
    return f"Submodules are never fetched, so these folders are empty, and what needs them fails here: {_named(tree)}."


def _named(tree: Tree) -> str:
    paths = submodules(tree)
    more = len(paths) - MOST_NAMED
    return ", ".join(paths[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
