"""What a source file defines, by tree-sitter."""

import re
from typing import TYPE_CHECKING, NamedTuple

from repo_tools.repo_map.languages import grammar
from repo_tools.repo_map.macros import without_macros
from repo_tools.repo_map.plainly import plain_text
from repo_tools.repo_map.said import comment_above, docstring
from repo_tools.repo_map.scripts import only_scripts

if TYPE_CHECKING:
    from tree_sitter import Node

SIGNATURE_CHARACTERS = 160
DOCUMENTATION_CHARACTERS = 120
MAX_DEFINITIONS = 5_000  # of one file: more are a table, not a program
MOST_DECLARATORS = 8
"""Around one name, of which a pointer to a function has four. To look for what is around a node begins at the root."""

MAX_LEFT_OPEN = 400
"""Brackets that are opened and not closed. A query takes quadratic time over them; such a file is no program."""

_SPACE = re.compile(r"\s+")
_HEAD_BYTES = 1_000
_HAS_TYPES = rb"@flow\b"
"""A comment at the top that says so; of Flow's types all but few are written as TypeScript's."""

_GO_BODIES = frozenset({"struct_type", "interface_type"})
_GIVEN_A_NAME = frozenset({"function", "method"})
_ENDS = (b";", b"{", b"}")
_WITH_TYPES = frozenset({"c", "cpp"})
"""Languages that may write what a function gives on a line of its own."""

_COMMENTS = (b"//", b"/*")
_WITH_DECLARATORS = frozenset({"c", "cpp", "ruby"})
_DECLARATORS = frozenset(
    {
        *("function_declarator", "pointer_declarator", "reference_declarator", "array_declarator"),
        *("parenthesized_declarator", "init_declarator", "qualified_identifier", "operator_cast"),
        "left_assignment_list",
    }
)
"""What stands around the name in a declaration: in C ``*f()`` is a function in a pointer, in Ruby ``A, B`` a list."""

_DECLARES_NOTHING = frozenset({"parameter_declaration", "ERROR"})


class Definition(NamedTuple):
    """Lines count from 1; `start` is the offset of its first byte. `written` is its signature and `said` the first line
    of its docstring or of the comment above it, as they stand in the file."""

    line: int
    end_line: int
    name: str
    kind: str
    written: bytes
    said: bytes
    start: int

    @property
    def signature(self) -> str:
        """On one line, indented as in the file."""
        text = plain_text(_text(self.written))
        line = _SPACE.sub(" ", text.lstrip(" "))
        indent = len(text) - len(text.lstrip(" "))
        return (" " * min(indent, 24) + line.rstrip(" \n\r{"))[:SIGNATURE_CHARACTERS]

    @property
    def documentation(self) -> str:
        return _SPACE.sub(" ", plain_text(_text(self.said)))[:DOCUMENTATION_CHARACTERS]


def last_part(name: str) -> str:
    """What a name is called by: ``measure`` of ``A::measure``, ``own`` of ``#own``."""
    return name.rpartition("::")[2].lstrip("#")


def definitions(language: str, content: bytes) -> tuple[Definition, ...]:
    """Functions, classes, methods, types and constants of one file, in order; empty for a language without grammar."""
    code = only_scripts(content) if language == "component" else without_macros(language, content)
    if not language or _is_left_open(code):
        return ()
    has_types = language == "javascript" and re.search(_HAS_TYPES, content[:_HEAD_BYTES])
    parser, cursor = grammar("flow" if has_types else language)
    found = {}
    for _, captures in cursor.matches(parser.parse(code).root_node):
        name = captures.pop("name")[0]
        captures.pop("of", None)
        kind, (node, *_) = captures.popitem()
        whole = _declaration(node) if language in _WITH_DECLARATORS else node
        if whole is not None and not name.is_missing:
            found[name.start_byte] = (kind, whole, name)
        if len(found) >= MAX_DEFINITIONS:
            break
    return tuple(_definition(language, content, *found[start]) for start in sorted(found))


def _declaration(node: "Node") -> "Node | None":
    """What `node` is the declarator of, whatever stands around it; itself where it is none."""
    for _ in range(MOST_DECLARATORS):
        if node.type not in _DECLARATORS:
            return node
        around = node.parent
        if around is None or around.type in _DECLARES_NOTHING or around.type == node.type == "function_declarator":
            return None
        node = around
    return None


def _definition(language: str, content: bytes, kind: str, node: "Node", name: "Node") -> Definition:
    start, name_start, name_end = node.start_byte, name.start_byte, _name_end(name)
    body_start = _body_start(content, kind, node, name)
    signature_end = max(body_start if body_start >= 0 else node.end_byte, name_end)
    return Definition(
        name.start_point.row + 1,
        max(_last_row(node), name.end_point.row) + 1,
        _text(content[name_start:name_end]).rstrip().lstrip(":"),  # of a symbol
        kind,
        _written(content, min(start, name_start), _line_of(language, content, start, name_start), signature_end),
        docstring(content, body_start) if language == "python" else comment_above(language, content, start),
        start,
    )


def _last_row(node: "Node") -> int:
    """A macro of C ends with its line break."""
    end = node.end_point
    return end.row - (end.column == 0)


def _name_end(name: "Node") -> int:
    """Of a conversion the whole is its name but the brackets: ``operator bool``."""
    brackets = name.child_by_field_name("declarator") if name.type == "operator_cast" else None
    return brackets.start_byte if brackets is not None else name.end_byte


def _body_start(content: bytes, kind: str, node: "Node", name: "Node") -> int:
    """Where the code of a definition begins, also where it is that of a function which is given a name; -1 without."""
    body = node.child_by_field_name("body")
    if body is None and kind in _GIVEN_A_NAME:
        given = node.child_by_field_name("value") or node.child_by_field_name("right")
        body = given.child_by_field_name("body") if given is not None else None
    if body is None and kind == "type":
        given = node.child_by_field_name("type")
        if given is not None and given.type in _GO_BODIES:
            return content.find(b"{", given.start_byte)
    if body is None and node.type == "macro_definition":
        body = name.next_sibling
    if body is None or body.type == "ordered_field_declaration_list":  # what a tuple of Rust is made of
        return -1
    return body.start_byte


def _line_of(language: str, content: bytes, start: int, name_start: int) -> int:
    """Where the line of a name begins, or in C the one above, where that has nothing but its type."""
    is_split = language in _WITH_TYPES and content.count(b"\n", start, name_start) == 1
    is_type = is_split and not any(content.find(mark, start, name_start) >= 0 for mark in _COMMENTS)
    return content.rfind(b"\n", 0, start if is_type else name_start) + 1


def _written(content: bytes, start: int, line: int, end: int) -> bytes:
    """From where its line begins, or behind another definition there, with the line's indent."""
    least = max(line, start - SIGNATURE_CHARACTERS)  # of a very long line no more is looked at
    before = content[least:start]
    behind = max(map(before.rfind, _ENDS)) + 1 if before else 0
    most = 4 * SIGNATURE_CHARACTERS
    if not behind and least == line:
        return content[line : min(end, line + most)]
    first = least + behind if behind else start
    indent = content[line : line + most]
    indent = indent[: len(indent) - len(indent.lstrip(b" \t"))]
    return indent + content[first : min(end, first + most)].lstrip(b", \t")


def _is_left_open(content: bytes) -> bool:
    pairs = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
    return any(content.count(opening) - content.count(closing) > MAX_LEFT_OPEN for opening, closing in pairs)


def _text(written: bytes) -> str:
    return written.decode("utf-8", "replace").replace("\t", "    ")
