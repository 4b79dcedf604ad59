"""The files that a CI is told by, as far as they are such as people write. Pure."""

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.texts import as_text
from repo_tools.yaml_text import Node, YamlError, parse_yaml

MAX_BYTES = 200_000


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
