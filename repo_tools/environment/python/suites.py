"""Suites that one pytest cannot collect together: it imports a test file by its name below the last folder without
``__init__.py``, so that of two projects with a package called ``tests`` only the first one's can be imported. Pure.

https://docs.pytest.org/en/stable/explanation/pythonpath.html#import-modes
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath
from posixpath import basename

from repo_tools.changes import Tree
from repo_tools.environment.contract import TestCommand
from repo_tools.environment.folders import DOCUMENTS, EXAMPLES, TEST_DATA, VENDORED, is_within
from repo_tools.environment.python.pytest_settings import COLLECTED, PytestSettings, is_collected

_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")
_NO_PROJECTS = VENDORED | TEST_DATA | EXAMPLES | DOCUMENTS | {"test", "tests", "testing", "data"}
"""Folders whose projects are what tests or readers look at."""
_MOST_SUITES = 40


def suites(
    command: TestCommand, tree: Tree, settings: PytestSettings | None, test_files: Iterable[str]
) -> tuple[TestCommand, ...]:
    """`command`, or, where the tests of two projects in `tree` would have the same name, one in each project that has
    some; a list of places in the settings, and another way of importing, mean that one run does."""
    if settings and (settings.test_paths or "importlib" in str(settings.settings)):
        return (command,)
    patterns = (settings.python_files if settings else ()) or COLLECTED
    held = {path: _project(path, tree) for path in test_files if is_collected(path, patterns)}
    folders = sorted(set(held.values()))
    if len(folders) > _MOST_SUITES or not _clash(held, tree):
        return (command,)
    return tuple(_within(command, folder, folders) for folder in folders)


def _project(path: str, tree: Tree) -> str:
    """The deepest project that holds it: a folder; empty for the root."""
    folders = map(str, PurePosixPath(path).parents)
    own = (f for f in folders if f != "." and not is_within(f, _NO_PROJECTS))
    return next((f for f in own if any(f"{f}/{name}" in tree for name in _MANIFESTS)), "")


def _clash(held: dict[str, str], tree: Tree) -> bool:
    """Whether pytest would know files of two projects by the same name, that are not of one package: its parts may have
    a ``setup.py`` each (https://numpy.org/doc/1.26/reference/distutils_guide.html)."""
    first: dict[str, tuple[str, str]] = {}
    tops = ((_top(path, tree), project) for path, project in held.items())
    known = ((first.setdefault(basename(top), (top, project)), (top, project)) for top, project in tops)
    return any(of_name[0] != top and of_name[1] != project for of_name, (top, project) in known)


def _top(path: str, tree: Tree) -> str:
    """The package, or module, that has to be imported for it."""
    packages = [str(f) for f in PurePosixPath(path).parents if f"{f}/__init__.py" in tree]
    depth = 0
    while depth < len(packages) and packages[depth] == str(PurePosixPath(path).parents[depth]):
        depth += 1
    return packages[depth - 1] if depth else path


def _within(command: TestCommand, folder: str, folders: Iterable[str]) -> TestCommand:
    start = f"{folder}/" if folder else ""
    below = (other.removeprefix(start) for other in folders if other != folder and other.startswith(start))
    return replace(command, argv=(*command.argv, *(f"--ignore={other}" for other in below)), directory=folder)
