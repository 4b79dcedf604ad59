"""What a source file defines, by tree-sitter."""

from dataclasses import dataclass

from tree_sitter import Node, QueryCursor

from repo_tools.repo_map.languages import grammar, language_of

SIGNATURE_CHARACTERS = 160


@dataclass(frozen=True, order=True)
class Definition:
    """`line` counts from 1; `signature` is its first line as written, indentation kept."""

    line: int
    end_line: int
    name: str
    signature: str


def definitions(path: str, content: bytes) -> tuple[Definition, ...]:
    """Functions, classes, methods, types and constants of one file, in order; empty where no grammar is at hand."""
    language = language_of(path)
    if language is None:
        return ()
    parser, query = grammar(language)
    tree = parser.parse(content)
    lines = content.split(b"\n")
    found = set()
    for _, captures in QueryCursor(query).matches(tree.root_node):
        for kind, nodes in captures.items():
            if kind.startswith("definition."):
                found.add(_definition(nodes[0], captures["name"][0], lines))
    return tuple(sorted(found))


def _definition(node: Node, name: Node, lines: list[bytes]) -> Definition:
    row = name.start_point[0]  # the name's own line: decorators and modifiers may stand above it
    signature = lines[row].decode("utf-8", "replace").rstrip()[:SIGNATURE_CHARACTERS]
    text = (name.text or b"").decode("utf-8", "replace")
    return Definition(row + 1, node.end_point[0] + 1, text, signature)
