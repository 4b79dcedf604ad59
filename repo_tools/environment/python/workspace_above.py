"""What the root of a uv workspace says for a member that is set up by itself: the lock and the Python of all, and what
the root develops with, where the member says nothing of its tests.

https://docs.astral.sh/uv/concepts/projects/workspaces/,
https://docs.astral.sh/uv/concepts/python-versions/#python-version-files
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.requirement import name_of, normal
from repo_tools.environment.python.requirements import RequirementSource, declared_requirements
from repo_tools.environment.python.workspace import members_of, names_of_members
from repo_tools.environment.settings_text import read_toml, table
from repo_tools.environment.texts import text_at

_MANIFEST, _LOCK, _PYTHON = "pyproject.toml", "uv.lock", ".python-version"


@dataclass(frozen=True)
class WorkspaceAbove:
    """`way`: from the member to the root (``../../``)."""

    way: str
    tree: Tree
    read: ReadFile

    @property
    def lock(self) -> str:
        """As the member names it; empty where there is none."""
        return f"{self.way}{_LOCK}" if _LOCK in self.tree else ""

    @property
    def manifests(self) -> tuple[str, ...]:
        """As the member names them."""
        return tuple(f"{self.way}{path}" for path in (_MANIFEST, _LOCK, _PYTHON) if path in self.tree)

    def sources(self) -> Iterator[RequirementSource]:
        """What the root's manifest declares for tests; without what the repository has itself, or has from elsewhere
        than an index: how that is installed stands in the member, if it needs it."""
        own = {_MANIFEST: self.tree[_MANIFEST]}
        document = read_toml(text_at(_MANIFEST, own, self.read))
        named = (*table(document, "tool", "uv", "sources"), str(table(document, "project").get("name", "")))
        others = {*map(normal, named), *names_of_members(self.tree, self.read)}
        for source in declared_requirements(own, self.read):
            words = tuple(word for word in source.arguments if name_of(word) not in others)
            if words:
                yield replace(source, evidence=f"{self.way}{source.evidence}", arguments=words)


_known: WeakKeyDictionary[ReadFile, WorkspaceAbove] = WeakKeyDictionary()


def tell_workspace(folder: str, tree: Tree, read: ReadFile, read_below: ReadFile) -> None:
    """Let `workspace_above` know whose member the project in `folder` is, as `read_below` has it."""
    if folder in members_of(tree, read):
        _known[read_below] = WorkspaceAbove("../" * (folder.count("/") + 1), tree, read)


def workspace_above(read: ReadFile) -> WorkspaceAbove | None:
    return _known.get(read)
