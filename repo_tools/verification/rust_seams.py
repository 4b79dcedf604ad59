"""Where product code in Rust may be something else for its tests than for its users. Pure.

A tripwire, as all screening: what hides behind a macro of its own gets by.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from repo_tools.repo_map.languages import grammar
from repo_tools.verification.rust_attributes import text_of
from repo_tools.verification.rust_items import only_tests, without_tests

if TYPE_CHECKING:
    from tree_sitter import Node

_CONDITION = re.compile(rb"\bcfg(?:_attr)?\b")
_CONDITIONS = ("cfg", "cfg_attr")
_BETWEEN = ("!", "line_comment", "block_comment")
_SHOWN = 60
_ALL_NAMES = "*"
_TYPES = ("struct_item", "enum_item", "union_item", "type_item")


def asks_for_tests(source: bytes) -> Counter[str]:
    """Conditions in the product on whether tests are compiled, or on what a macro is given, as people read them.
    UnreadableError."""
    product = without_tests(source)
    places = [found.start() for found in _CONDITION.finditer(product)]
    return Counter(_conditions(grammar("rust")[0].parse(product).root_node, places) if places else ())


def _conditions(root: "Node", places: list[int]) -> Iterator[str]:
    left = [root]
    while left:
        node = left.pop()
        place = bisect_left(places, node.start_byte)
        if place == len(places) or places[place] >= node.end_byte:
            continue
        left += node.children
        for number, child in enumerate(node.children):
            if child.type == "identifier" and text_of(child) in _CONDITIONS:
                after = (other for other in node.children[number + 1 :] if other.type not in _BETWEEN)
                arguments = next(after, None)
                if arguments and arguments.type == "token_tree" and _names_tests(arguments):
                    yield f"{text_of(child)}{' '.join(text_of(arguments).split())}"[:_SHOWN]


def _names_tests(arguments: "Node") -> bool:
    left = [arguments]
    while left:
        node = left.pop()
        if node.type == "metavariable" or (node.type == "identifier" and text_of(node).removeprefix("r#") == "test"):
            return True
        left += node.children
    return False


def taken_places(before: bytes, after: bytes, product: bytes) -> frozenset[str]:
    """Names of what the change adds or edits of what is compiled for tests alone, and which `product` uses: it may take
    the place of the product's own. UnreadableError."""
    known = set(_made(before))
    names = {name for name, text in _made(after) if (name, text) not in known}
    return frozenset(name for name in names if name == _ALL_NAMES or _is_used(name, product))


def _is_used(name: str, product: bytes) -> bool:
    """``count::`` of a module, where a path begins with it; ``.count`` of a method, where it is called by a point or a
    path; and any other but as a method."""
    module, method = name.removesuffix("::"), name.removeprefix(".")
    start = r"[.:]\s*" if method != name else r"(?<![\w.])(?<!fn )"
    end = r"\s*::" if module != name else r"(?!\w)"
    return bool(re.search(f"{start}{re.escape(name.strip('.:'))}{end}".encode(), product))


def _made(source: bytes) -> Iterator[tuple[str, str]]:
    """(name, text) of what stands in the product's own scope, and of methods for types that are not the tests'."""
    root = grammar("rust")[0].parse(only_tests(source)).root_node
    attributes: list[str] = []
    for node in root.named_children:
        if node.type == "attribute_item":
            attributes.append(text_of(node))
            continue
        yield from _in_scope(node, any("macro_use" in each for each in attributes))
        attributes = []
    own = {text_of(name) for node in _all(root, _TYPES) if (name := node.child_by_field_name("name"))}
    for implementation in _all(root, ("impl_item",)):
        named = next(iter(_all(implementation.child_by_field_name("type"), ("type_identifier",))), None)
        if named is None or text_of(named) not in own:
            yield from ((f".{name}", text) for name, text in _named(_all(implementation, ("function_item",))))


def _in_scope(node: "Node", gives_macros: bool) -> Iterator[tuple[str, str]]:
    if gives_macros:
        yield _ALL_NAMES, text_of(node)
    elif node.type == "use_declaration":
        everything = any(True for _ in _all(node, ("use_wildcard",)))
        yield from [(_ALL_NAMES, text_of(node))] if everything else ((name, "") for name in _used(text_of(node)))
    elif node.type == "mod_item":
        yield from ((f"{name}::", text) for name, text in _named([node]))
    elif node.type != "impl_item":
        point = "." if any(True for _ in _all(node.child_by_field_name("parameters"), ("self_parameter",))) else ""
        yield from ((f"{point}{name}", text) for name, text in _named([node]))


def _used(declaration: str) -> list[str]:
    """``b``, ``d`` and ``e`` of ``use a::{b, c as d, e};``."""
    return re.findall(r"(\w+)\s*(?=[,;}])", declaration)


def _named(nodes: Iterable["Node"]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if name := node.child_by_field_name("name"):
            yield text_of(name), text_of(node)


def _all(root: "Node | None", kinds: tuple[str, ...]) -> Iterator["Node"]:
    left = [root] if root else []
    while left:
        node = left.pop()
        if node.type in kinds:
            yield node
        left += node.named_children
