"""Mappings of YAML with what their merge keys bring. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from repo_tools.yaml_text import Node

_MOST_MERGED = 20
_MOST_KEYS = 500


def merged(node: Node) -> Node:
    """A mapping with what its merge key brings (``<<: *defaults``): https://yaml.org/type/merge.html"""
    if "<<" not in node.mapping:
        return node
    places = list(islice(_merged_into(node), _MOST_MERGED))[::-1]
    value = {key: each for place in places for key, each in islice(place.mapping.items(), _MOST_KEYS) if key != "<<"}
    lines = {key: line for place in places for key, line in islice(place.key_lines.items(), _MOST_KEYS)}
    return replace(node, value=value, key_lines=lines)


def _merged_into(node: Node) -> Iterator[Node]:
    """`node`, and then what is merged into it; what comes first counts."""
    yield node
    taken = node.mapping.get("<<")
    for other in (taken.items or (taken,)) if taken else ():
        yield from _merged_into(other)


def entries_of(node: Node | None, *keys: str) -> Mapping[str, Node]:
    """Those of the mapping at `keys`, with their merges."""
    for key in keys:
        node = merged(node).mapping.get(key) if node else None
    return merged(node).mapping if node else {}
