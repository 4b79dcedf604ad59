"""Settings files as values: TOML, and ini files. What cannot be read is empty: its own tools say so better. Pure."""

import configparser
import tomllib
from collections.abc import Mapping
from typing import Any

_MOST_DOTS = 1_000
"""Of a line: Python's reader takes the square of a key's parts in time, and a part may be quoted."""


def load_toml(text: str) -> dict[str, Any]:
    """ValueError where it is not TOML, RecursionError; in a time that grows with the text."""
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise ValueError("a line of TOML with more dots than any key has")
    return tomllib.loads(text)


def read_toml(text: str) -> Mapping[str, Any]:
    """The document, or an empty one where it is not TOML."""
    try:
        return load_toml(text)
    except (ValueError, RecursionError):  # it is not TOML, or holds a number or a nesting that nobody reads
        return {}


def read_ini(text: str) -> configparser.RawConfigParser:
    """The sections, keys kept as written; none where it is not an ini file."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except (configparser.Error, AttributeError):  # which it raises for lines below a key without a value
        return configparser.RawConfigParser()
    return parser


def section(ini: configparser.RawConfigParser, name: str) -> dict[str, str | None]:
    """The section of this name; empty where there is none."""
    return dict(ini.items(name)) if ini.has_section(name) else {}


def table(document: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """The table at `keys`; empty where there is none."""
    for key in keys:
        value = document.get(key)
        if not isinstance(value, Mapping):
            return {}
        document = value
    return document


def entries(document: Mapping[str, Any], key: str) -> list[Any]:
    """The list at `key`; empty where there is none."""
    value = document.get(key)
    return list(value) if isinstance(value, list | tuple) else []


def strings(value: Any) -> list[str]:
    """Those of a list; of anything else none."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def one_or_more(value: Any) -> list[str]:
    """The string that it is, or those of a list."""
    return strings(value if isinstance(value, list) else [value])
