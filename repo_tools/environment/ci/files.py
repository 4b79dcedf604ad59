"""The files that a CI is told by, as far as they are such as people write. Pure."""

from dataclasses import dataclass, field

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.texts import as_text
from repo_tools.yaml_text import Node, YamlError, parse_yaml

MAX_BYTES = 200_000
_MOST_BYTES = 600_000
_MOST_FILES = 60
"""Of the files that one CI is told by together."""


def content_at(path: str, tree: Tree, read: ReadFile, most_bytes: int) -> bytes:
    """Empty where there is no such file, or more in it."""
    if path not in tree or not tree[path].mode.is_file:
        return b""
    content = read(path)
    return content if len(content) <= most_bytes else b""


def parsed(content: bytes) -> Node | None:
    """YAML, with its aliases followed; None where it cannot be read, or is too much."""
    if len(content) > MAX_BYTES:
        return None
    try:
        return parse_yaml(as_text(content), follow_aliases=True).root
    except YamlError:
        return None


@dataclass
class ParsedFiles:
    """Those of `tree` that one CI is told by, each parsed once; None for what is too much with those before it."""

    tree: Tree
    read: ReadFile
    _left: int = _MOST_BYTES
    _roots: dict[str, Node | None] = field(default_factory=dict)

    def root(self, path: str) -> Node | None:
        if path not in self._roots and len(self._roots) < _MOST_FILES:
            content = content_at(path, self.tree, self.read, min(self._left, MAX_BYTES))
            self._left -= len(content)
            self._roots[path] = parsed(content)
        return self._roots.get(path)
