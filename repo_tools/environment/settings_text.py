"""Settings files as values: TOML, and ini files. What cannot be read is empty: its own tools say so better. Pure."""

import configparser
import re
import tomllib
from collections.abc import Mapping
from typing import Any

_ENDLESS_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){200}""")
"""Python's reader takes the square of a key's parts in time."""


def read_toml(text: str) -> Mapping[str, Any]:
    """The document, or an empty one where it is not TOML."""
    try:
        return {} if _ENDLESS_KEY.search(text) else tomllib.loads(text)
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
