"""Packages of tests whose modules import each other by bare names: whoever starts a program that lies there
(``python test/testall.py``) has their folder on the path, and pytest only the one above. Pure."""

import re
import sys
from collections.abc import Iterator
from posixpath import dirname

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, SetupCommand
from repo_tools.environment.folders import TESTS, is_within
from repo_tools.environment.python.install import VENV

_MOST_FILES = 400
_IMPORTED = re.compile(rb"^(?:from[ \t]+(\w+)(?:\.\w+)*[ \t]+import\b|import[ \t]+(\w+))", re.MULTILINE)
_ON_PATH = """
import os, sys, sysconfig
with open(sysconfig.get_path("purelib") + "/zz_zz_beside_tests.pth", "w") as file:
    file.write("".join(os.path.abspath(place) + chr(10) for place in sys.argv[1:]))
"""
"""Last, so that none of their files hides another module."""


def siblings_on_path(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> tuple[SetupCommand, ...]:
    """What puts them there; nothing where no file of tests needs that."""
    folders = dict.fromkeys(dirname(path) for path in test_files[:_MOST_FILES] if _asks_for_one(path, tree, read))
    program = (f"{VENV}/bin/python", "-c", _ON_PATH, *folders)
    return (SetupCommand(program, typed=f"put on Python's path: {', '.join(folders)}"),) if folders else ()


def _asks_for_one(path: str, tree: Tree, read: ReadFile) -> bool:
    folder = dirname(path)
    if not is_within(folder, TESTS) or f"{folder}/__init__.py" not in tree:
        return False
    return any(f"{folder}/{name}.py" in tree and not _elsewhere(name, tree) for name in _imported(read(path)))


def _imported(text: bytes) -> Iterator[str]:
    return ((first or second).decode() for first, second in _IMPORTED.findall(text))


def _elsewhere(name: str, tree: Tree) -> bool:
    """Whether the import finds a module of Python's own, or one that is on the path in any case."""
    places = (f"{root}{name}{end}" for root in ("", "src/") for end in (".py", "/__init__.py"))
    return name in sys.stdlib_module_names or any(place in tree for place in places)
