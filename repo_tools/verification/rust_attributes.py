"""What an attribute of Rust says of tests: read from its syntax. Pure.

https://doc.rust-lang.org/reference/conditional-compilation.html, https://doc.rust-lang.org/reference/attributes/testing.html
"""

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

COMMENTS = ("line_comment", "block_comment")
_MAKE_TESTS = ("quickcheck", "bench", "rstest", "proptest", "gtest")
_TOOLS = ("rustfmt::", "clippy::", "rustdoc::", "diagnostic::", "miri::", "rust_analyzer::")
"""They take any name, and do nothing. https://doc.rust-lang.org/reference/attributes.html#tool-attributes"""
_DEEPEST = 20


def is_for_tests(item: "Node") -> bool:
    """Whether what stands below is compiled for tests alone, or made into one: ``#[cfg(all(unix, test))]``,
    ``#[test]``, ``#[tokio::test]``, ``#[rstest]``, …"""
    parts = _parts(item)
    path = "".join(text_of(parts[0]).split()) if parts else ""
    if path == "cfg":
        return len(parts) > 1 and _wants_tests(parts[1], 0)
    name = path.rpartition("::")[2]
    return not path.startswith(_TOOLS) and (name in _MAKE_TESTS or "test" in name.split("_"))


def given_path(item: "Node") -> str:
    """What ``#[path = "a.rs"]`` says; empty of any other."""
    parts = _parts(item)
    is_path = len(parts) > 1 and text_of(parts[0]) == "path" and parts[-1].type == "string_literal"
    return text_of(parts[-1]).strip('"') if is_path else ""


def text_of(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _parts(item: "Node") -> list["Node"]:
    attribute = next((child for child in item.named_children if child.type == "attribute"), None)
    return [part for part in attribute.named_children if part.type not in COMMENTS] if attribute else []


def _wants_tests(arguments: "Node", depth: int) -> bool:
    """Whether one of the predicates in brackets holds where tests are compiled alone."""
    return depth < _DEEPEST and any(_is_of_tests(predicate, depth) for predicate in _predicates(arguments))


def _predicates(arguments: "Node") -> list[list["Node"]]:
    tokens = [token for token in arguments.children[1:-1] if token.type not in COMMENTS]
    return [list(part) for is_comma, part in groupby(tokens, lambda token: token.type == ",") if not is_comma]


def _is_of_tests(predicate: list["Node"], depth: int) -> bool:
    name = text_of(predicate[0]).removeprefix("r#")
    if len(predicate) == 1:
        return name == "test"
    if name == "all":
        return _wants_tests(predicate[1], depth + 1)
    inner = _predicates(predicate[1]) if name == "any" and depth < _DEEPEST else []
    return bool(inner) and all(_is_of_tests(each, depth + 1) for each in inner)
