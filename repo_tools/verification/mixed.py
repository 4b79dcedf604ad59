"""Files that configure product and tests at once: the test tables of the base, the rest of the change.

The text of the change is kept; its blocks of test configuration are replaced by those of the base, and the result is
parsed and compared with what it must mean. Where that cannot be done faithfully there is no merge.
"""

import configparser
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from repo_tools.environment.settings_text import load_toml

Keys = tuple[str, ...]
Document = dict[str, Any]

_TOML_TABLES: tuple[Keys, ...] = (
    ("tool", "pytest"),
    ("tool", "pytest-enabler"),
    ("tool", "pytest_env"),
    ("tool", "coverage"),
    ("tool", "tox"),
    ("tool", "nox"),
    ("tool", "hatch", "envs"),
    ("tool", "pdm", "scripts"),
    ("tool", "poe"),
    ("tool", "taskipy"),
)
_CARGO_TABLES: tuple[Keys, ...] = (
    ("dev-dependencies",),
    ("target",),
    ("patch",),
    ("replace",),
    ("profile",),
    ("test",),
    ("bench",),
    ("lib", "harness"),
    ("lib", "test"),
    ("lib", "doctest"),
)
"""What tests are compiled with, and which there are. https://doc.rust-lang.org/cargo/reference/manifest.html"""
_INI_SECTION = re.compile(r"tool:pytest|pytest|coverage:.*|tox.*|testenv.*|aliases|nosetests|unittest")
_JSON_KEYS = ("scripts", "wireit", "jest", "babel", "mocha", "ava", "nyc", "c8", "vitest", "tap")
_HEADER = re.compile(r"^[ \t]*\[.*\][ \t]*(?:#.*)?\r?$")


class MergeError(ValueError):
    """The two versions cannot be merged faithfully."""


def is_mixed(path: str) -> bool:
    return PurePosixPath(path).name in _MERGERS


def merge_mixed(path: str, base: bytes, new: bytes) -> bytes:
    """`new` with the test configuration of `base`. MergeError."""
    try:
        return _MERGERS[PurePosixPath(path).name](base.decode(), new.decode()).encode()
    except (ValueError, configparser.Error, RecursionError) as error:
        raise MergeError(str(error)) from None


def _merge_toml(base: str, new: str, tables: tuple[Keys, ...] = _TOML_TABLES) -> str:
    is_header, split = partial(_is_toml_test_header, tables=tables), partial(_split_toml, tables=tables)
    return _merge(base, new, load_toml, is_header, split)


def _merge_ini(base: str, new: str) -> str:
    return _merge(base, new, _load_ini, _is_ini_test_header, _split_ini)


def _merge_json(base: str, new: str) -> str:
    old_tests, _ = _split_json(json.loads(base) if base.strip() else {})
    new_tests, _ = _split_json(json.loads(new))
    if old_tests != new_tests:
        raise MergeError("the test scripts differ")
    return new


def _merge(
    base: str,
    new: str,
    load: Callable[[str], Document],
    is_test_header: Callable[[str], bool],
    split: Callable[[Document], tuple[Document, Document]],
) -> str:
    (base_tests, base_rest), (new_tests, new_rest) = split(load(base)), split(load(new))
    if base_tests == new_tests:
        return new
    if base_rest == new_rest:
        return base
    kept = [block for block in _blocks(new) if not is_test_header(block.partition("\n")[0])]
    taken = [block for block in _blocks(base) if is_test_header(block.partition("\n")[0])]
    merged = "".join(block if block.endswith("\n") else block + "\n" for block in (*kept, *taken) if block)
    if split(load(merged)) != (base_tests, new_rest):
        raise MergeError("the tables cannot be told apart")
    return merged


def _blocks(text: str) -> list[str]:
    """The text cut before each line that looks like a table's header."""
    blocks = [""]
    for line in text.splitlines(keepends=True):
        if _HEADER.match(line.rstrip("\n")):
            blocks.append("")
        blocks[-1] += line
    return blocks


def _is_toml_test_header(line: str, tables: tuple[Keys, ...]) -> bool:
    try:
        document = load_toml(line)
    except ValueError:
        return False
    return any(_at(document, keys) is not None for keys in tables)


def _is_ini_test_header(line: str) -> bool:
    found = re.match(r"\s*\[([^\]]+)\]", line)
    return bool(found and _INI_SECTION.fullmatch(found[1]))


def _at(document: Any, keys: Keys) -> Any:
    for key in keys:
        if isinstance(document, list):
            document = document[-1]
        if not isinstance(document, Mapping) or key not in document:
            return None
        document = document[key]
    return document


def _split_toml(document: Document, tables: tuple[Keys, ...]) -> tuple[Document, Document]:
    tests = {".".join(keys): _at(document, keys) for keys in tables if _at(document, keys) is not None}
    return tests, _without(document, tables)


def _without(document: Document, tables: tuple[Keys, ...]) -> Document:
    """The document without `tables`, and without parents that are empty then."""
    rest: Document = {}
    for key, value in document.items():
        below = tuple(keys[1:] for keys in tables if keys[0] == key)
        if () in below:
            continue
        kept = _without(value, below) if below and isinstance(value, dict) else value
        if kept or not below:
            rest[key] = kept
    return rest


def _load_ini(text: str) -> Document:
    parser = configparser.RawConfigParser(allow_no_value=True, default_section="\0none")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _split_ini(document: Document) -> tuple[Document, Document]:
    tests = {name: values for name, values in document.items() if _INI_SECTION.fullmatch(name)}
    return tests, {name: values for name, values in document.items() if name not in tests}


def _split_json(document: Any) -> tuple[Document, Document]:
    if not isinstance(document, dict):
        raise MergeError("it is no object")
    tests = {key: document[key] for key in _JSON_KEYS if key in document}
    return tests, {key: value for key, value in document.items() if key not in tests}


_MERGERS: Mapping[str, Callable[[str, str], str]] = {
    "pyproject.toml": _merge_toml,
    "Cargo.toml": partial(_merge_toml, tables=_CARGO_TABLES),
    "setup.cfg": _merge_ini,
    "package.json": _merge_json,
}
