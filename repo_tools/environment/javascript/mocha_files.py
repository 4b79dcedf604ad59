"""Where the tests of a bare ``mocha`` are that finds none by itself: without a word it looks for ``./test``
(https://mochajs.org/#command-line-usage). Pure."""

import re
from pathlib import PurePosixPath

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, TestCommand
from repo_tools.environment.javascript.files import test_files
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.runners.mocha import operands_of

_TELLS = re.compile(r"--(?:spec|config|opts|package|file)(?:=.*)?")
_OWN_PLACE = re.compile(r"\.mocharc(?:\.\w+)?|test/.*|test\.[cm]?js")
_DEPTH = 2
_MOST_FOLDERS = 20
_FILES = "*.{js,cjs,mjs}"


def named_files(words: tuple[str, ...], package: Package, tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """Patterns of the folders that hold tests; none where mocha is told, or finds what it looks for."""
    if operands_of(words) or any(map(_TELLS.fullmatch, words)) or "mocha" in package.content:
        return ()
    start = package.start
    if any(path.startswith(start) and _OWN_PLACE.fullmatch(path.removeprefix(start)) for path in tree):
        return ()
    found = test_files([TestCommand("mocha", ("mocha",), package.folder)], tree, read)
    places = [PurePosixPath(path.removeprefix(start)).parts[:-1] for path in found if path.endswith("js")]
    folders = sorted({place[:_DEPTH] for place in places if place})
    if len(folders) > _MOST_FOLDERS:
        return tuple(f"{top}/**/{_FILES}" for top in sorted({folder[0] for folder in folders}))
    return tuple(map(_pattern, folders))


def _pattern(folder: tuple[str, ...]) -> str:
    """A folder of the first level may hold what its tests need in folders beside them."""
    return "/".join((*folder, *(["**"] if len(folder) == _DEPTH else []), _FILES))
