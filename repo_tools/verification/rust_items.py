"""Which items of a Rust file are its unit tests', and one version's tests in another's product. Pure.

An item is theirs where it is compiled for tests alone, or made into one:
https://doc.rust-lang.org/book/ch11-03-test-organization.html
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from repo_tools.repo_map.languages import grammar
from repo_tools.verification.rust_attributes import COMMENTS, given_path, is_for_tests, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

Key = tuple[str, ...]
Seen = defaultdict[Key, Counter[str]]
_MAYBE = re.compile(rb"test|quickcheck|bench")
_CONTAINERS = ("mod_item", "impl_item", "trait_item")
_DOCUMENTATION = ("///", "/**")
_BOUNDS = re.compile(rb"[{}\"'#]|/[/*]")
_DEEPEST = 20


class UnreadableError(ValueError):
    """A file with unit tests that cannot be parsed, so that nobody tells them from the product."""


@dataclass(frozen=True)
class Item:
    """With its attributes, in bytes of the source. `key`: what it stands in, and what it is. `module`: its name
    if it is one; `file`: the path that it is given."""

    key: Key
    start: int
    end: int
    module: str = ""
    file: str = ""


@dataclass(frozen=True)
class _File:
    """`ends`: what items stand in -> where one more may be added."""

    items: tuple[Item, ...]
    ends: dict[Key, int]


def items_of_tests(source: bytes) -> tuple[Item, ...]:
    """UnreadableError."""
    return _parsed(source).items if _MAYBE.search(source) else ()


def is_readable(source: bytes) -> bool:
    """Whether its tests can be told from the product."""
    try:
        items_of_tests(source)
    except UnreadableError:
        return False
    return True


def only_tests(source: bytes) -> bytes:
    """Nothing but the tests' items. UnreadableError."""
    return b"\n".join(source[item.start : item.end] for item in items_of_tests(source))


def without_tests(source: bytes) -> bytes:
    """Nothing of the tests'. UnreadableError."""
    return _edited(source, [(item.start, item.end, b"") for item in items_of_tests(source)])


def same_product(one: bytes, other: bytes) -> bool:
    """Whether two versions are alike but for tests, and for white space outside of literals. UnreadableError."""
    return list(_tokens(without_tests(one))) == list(_tokens(without_tests(other)))


def _tokens(source: bytes) -> Iterator[bytes]:
    left = [grammar("rust")[0].parse(source).root_node]
    while left:
        node = left.pop()
        if node.child_count:
            left += reversed(node.children)
        else:
            yield node.text or b""


def with_tests_of(product: bytes, tests: bytes) -> bytes:
    """`product` with the tests of `tests` in the place of its own. Those in a module or an ``impl`` that the product
    does not have are left out: there is nothing for them to test. A new one stands before the next that was there, as
    macros have to be above what uses them. UnreadableError."""
    own, ends = {item.key: item for item in items_of_tests(product)}, _parsed(product).ends
    known, before = set[Key](), defaultdict[Key, bytes](bytes)
    edits = []
    for item in items_of_tests(tests):
        text = tests[item.start : item.end]
        if old := own.get(item.key):
            known.add(item.key)
            edits.append((old.start, old.end, before.pop(item.key[:-1], b"") + text))
        else:
            before[item.key[:-1]] += text + b"\n\n"
    edits += [(item.start, item.end, b"") for key, item in own.items() if key not in known]
    return _edited(
        product, edits + [(ends[key], ends[key], b"\n" + text) for key, text in before.items() if key in ends]
    )


def _edited(source: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    parts, last = list[bytes](), 0
    for start, end, text in sorted(edits):
        parts += [source[last:start], text]
        last = end
    return b"".join((*parts, source[last:]))


@lru_cache(maxsize=64)
def _parsed(source: bytes) -> _File:
    root = grammar("rust")[0].parse(source).root_node
    if not _is_sound(root):
        raise UnreadableError
    ends: dict[Key, int] = {}
    seen = defaultdict[Key, Counter[str]](Counter)
    return _File(tuple(_items(root, (), ends, seen, len(source))), ends)


def _is_sound(root: "Node") -> bool:
    """Whether what cannot be parsed (``try!`` of old, syntax of tomorrow) leaves no doubt where items begin and end."""
    left = [root]
    while left:
        node = left.pop()
        if node.is_missing or (node.is_error and _BOUNDS.search(node.text or b"")):
            return False
        if node.has_error:
            in_items = node.type in ("source_file", "declaration_list")
            if in_items and any(child.is_error for child in node.children):
                return False
            left += node.children
    return True


def _items(parent: "Node", inside: Key, ends: dict[Key, int], seen: Seen, end: int) -> Iterator[Item]:
    if any(node.type == "inner_attribute_item" and is_for_tests(node) for node in parent.named_children):
        yield Item((*inside, "all"), parent.start_byte, parent.end_byte)
        return
    ends.setdefault(inside, end)
    above: list[Node] = []  # attributes and documentation of what comes next
    for node in parent.named_children:
        is_comment = node.type in COMMENTS
        if node.type == "attribute_item" or (is_comment and text_of(node).startswith(_DOCUMENTATION)):
            above.append(node)
        elif not is_comment:
            yield from _of_one(node, above, inside, ends, seen)
            above = []


def _of_one(node: "Node", above: list["Node"], inside: Key, ends: dict[Key, int], seen: Seen) -> Iterator[Item]:
    attributes = [each for each in above if each.type == "attribute_item"]
    body = node.child_by_field_name("body")
    is_of_tests = any(map(is_for_tests, attributes))
    if not is_of_tests and not (node.type in _CONTAINERS and body and len(inside) < _DEEPEST):
        return
    name = node.child_by_field_name("name")
    what = f"{node.type} {text_of(name) if name else _head(node, body)}"
    if is_of_tests:
        seen[inside][what] += 1
        key = (*inside, f"{what} {seen[inside][what]}")
        module = text_of(name) if name and node.type == "mod_item" else ""
        file = next(filter(None, map(given_path, attributes)), "")
        yield Item(key, (above or [node])[0].start_byte, node.end_byte, module, file)
    elif body:
        yield from _items(body, (*inside, what), ends, seen, body.end_byte - 1)


def _head(node: "Node", body: "Node | None") -> str:
    """Of an ``impl``, the trait and the type by their names alone: parameters may change, and blocks be added."""
    whole = node.text or b""
    if node.type == "impl_item":
        whole = b" for ".join(_named(part) for part in map(node.child_by_field_name, ("trait", "type")) if part)
        body = None
    text = whole[: body.start_byte - node.start_byte] if body else whole
    return " ".join(text.decode("utf-8", "replace").split())


def _named(part: "Node") -> bytes:
    name = part.child_by_field_name("type") or part.child_by_field_name("name") or part
    return name.text or b""
