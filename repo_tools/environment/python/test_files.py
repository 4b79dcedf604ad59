"""Which files of a repository hold its tests, and the names that pytest has to be told where it would not look into
those. Pure."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from posixpath import dirname
from typing import NamedTuple

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.ci_programs import COLLECTED
from repo_tools.environment.python.pytest_settings import PytestSettings
from repo_tools.environment.python.setup_file import suite_named

PYTHON_FILES = ("test_*.py", "*_test.py")
"""What pytest collects: https://docs.pytest.org/en/stable/reference/reference.html#confval-python_files"""
_OF_UNITTEST_TOO = ("test*.py", "*_test.py")
_OF_NOSE_TOO = ("*_tests.py",)  # https://nose.readthedocs.io/en/latest/finding_tests.html
_TEST_FILE = re.compile(r"(?:.*/)?(?:test[^/]*|[^/]*_tests?)\.py")
_AS_CLASSES = "Test*.py"
"""Each is called like the class in it; nose takes those."""
_MOST_FILES = 2_000


class Otherwise(NamedTuple):
    """Tests in files that neither pytest nor unittest looks for by itself."""

    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    said: str = ""
    """What says so; empty where their names do."""


def files_of_tests(tree: Tree, settings: PytestSettings | None) -> tuple[str, ...]:
    """By pytest's and unittest's usual names, or those that are configured; those where the suite looks come first."""
    patterns = settings.python_files if settings else ()
    found = [p for p in _modules(tree) if _TEST_FILE.fullmatch(p) or _matches(p, patterns)]
    places = settings.test_paths if settings else ()
    return tuple(sorted(found, key=lambda p: (not p.startswith(tuple(f"{place}/" for place in places)), p)))


def called_otherwise(tree: Tree, read: ReadFile) -> Otherwise:
    """All modules of the package that ``setup.py test`` loads, or those that are called like the class in them.
    https://setuptools.pypa.io/en/v65.7.0/deprecated/commands.html"""
    suite = suite_named(tree, read)
    package = suite.replace(".", "/")
    for folder in (package, f"src/{package}"):
        below = (path for path in _modules(tree) if path.startswith(f"{folder}/"))
        if f"{folder}/__init__.py" in tree and (files := _holding_tests(below, read)):
            patterns = sorted({f"{dirname(path)}/*.py" for path in files})
            return Otherwise(files, tuple(patterns), f"setup.py test_suite: {suite}")
    files = _holding_tests((path for path in _modules(tree) if _matches(path, (_AS_CLASSES,))), read)
    return Otherwise(files, (_AS_CLASSES,)) if files else Otherwise()


def unusual_names(test_files: tuple[str, ...]) -> tuple[str, ...]:
    """Patterns that pytest has to be told, where no file is called as it expects."""
    if any(_matches(path, PYTHON_FILES) for path in test_files):
        return ()
    return (*_OF_UNITTEST_TOO, *(_OF_NOSE_TOO if any(path.endswith("_tests.py") for path in test_files) else ()))


def _holding_tests(paths: Iterable[str], read: ReadFile) -> tuple[str, ...]:
    return tuple(path for path in sorted(paths)[:_MOST_FILES] if COLLECTED.search(read(path)))


def _modules(tree: Tree) -> list[str]:
    return [path for path, entry in tree.items() if path.endswith(".py") and entry.mode is not FileMode.SUBMODULE]


def _matches(path: str, patterns: tuple[str, ...]) -> bool:
    return any(PurePosixPath(path).match(pattern) for pattern in patterns)
