"""JavaScript repositories as dictionaries, and what detection says of them."""

import json
from collections.abc import Mapping
from typing import Any

from repo_tools.environment.contract import Environment
from repo_tools.environment.javascript.detector import JavaScriptDetector
from tests.support.trees import reader_of, tree_of


def plan(files: Mapping[str, str]) -> Environment | None:
    tree = tree_of(files)
    return JavaScriptDetector().detect(tree, reader_of(files))


def planned(files: Mapping[str, str]) -> Environment:
    environment = plan(files)
    assert environment is not None
    return environment


def package(test: str = "", **more: Any) -> str:
    """A ``package.json`` with this test script."""
    return json.dumps({"name": "x", **({"scripts": {"test": test}} if test else {}), **more})


def scripts(**named: str) -> str:
    return json.dumps({"name": "x", "scripts": {name.replace("__", ":"): text for name, text in named.items()}})


def commands(package_json: str, **files: str) -> list[tuple[str, str]]:
    """(runner, command line) of a repository with nothing but this manifest and the named files."""
    environment = plan(
        {"package.json": package_json, **{name.replace("__", "/"): text for name, text in files.items()}}
    )
    return [(command.runner, " ".join(command.argv)) for command in environment.tests] if environment else []
