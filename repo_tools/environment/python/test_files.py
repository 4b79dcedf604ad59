"""Which files of a repository hold its tests, and the names that pytest has to be told where it would not look into
those. Pure."""

import re
from collections.abc import Iterable
from posixpath import dirname
from typing import NamedTuple

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import TESTS, is_hidden, is_template, is_within
from repo_tools.environment.python.ci_programs import HOLDS_TESTS
from repo_tools.environment.python.pytest_settings import PytestSettings, is_collected
from repo_tools.environment.python.setup_file import suite_named
from repo_tools.environment.python.test_programs import started_programs

_OF_UNITTEST_TOO = ("test*.py", "*_test.py")
_OF_NOSE_TOO = ("*_tests.py",)  # https://nose.readthedocs.io/en/latest/finding_tests.html
_TEST_FILE = re.compile(r"(?:.*/)?(?:test[^/]*|[^/]*_tests?)\.py")
_OTHER_NAMES = ("Test*.py", "*-test.py", "*-tests.py")
"""Each of the first is called like the class in it; nose takes all of them."""
_IS_TESTED = re.compile(rb"^[ \t]*def test|\bTestCase\b", re.MULTILINE)
_MOST_FILES = 2_000


class TestFiles(NamedTuple):
    """`patterns`: what pytest has to be told of their names. `said`: what says so, where it is not the names."""

    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    said: str = ""


def files_of_tests(tree: Tree, settings: PytestSettings | None) -> tuple[str, ...]:
    """By pytest's and unittest's usual names, or those that are configured; those where the suite looks come first.
    Hidden folders (``.github``) are nowhere that either looks by itself:
    https://docs.pytest.org/en/stable/reference/reference.html#confval-norecursedirs"""
    patterns = settings.python_files if settings else ()
    places = tuple(f"{place}/" for place in (settings.test_paths if settings else ()))
    seen = [p for p in _modules(tree) if p.startswith(places) or not is_hidden(dirname(p))]
    found = [p for p in seen if _TEST_FILE.fullmatch(p) or is_collected(p, patterns)]
    return tuple(sorted(found, key=lambda path: (not path.startswith(places), path)))


def called_otherwise(tree: Tree, read: ReadFile) -> TestFiles:
    """All modules of the package that ``setup.py test`` loads, or those of `_OTHER_NAMES`."""
    if (suite := package_of_setup(tree, read)).files:
        return suite
    among_tests = [path for path in _modules(tree) if is_within(dirname(path), TESTS)]
    files = _holding(_IS_TESTED, (path for path in among_tests if is_collected(path, _OTHER_NAMES)), read)
    return TestFiles(files, tuple(name for name in _OTHER_NAMES if any(is_collected(each, (name,)) for each in files)))


def mostly_called_otherwise(named: Iterable[str], tree: Tree, read: ReadFile) -> TestFiles:
    """All modules of the package that ``setup.py test`` loads, where less than half of those that hold tests are
    `named` as tests are and nothing starts pytest, or nose, which would look for names."""
    suite = package_of_setup(tree, read)
    is_rest = len(set(named) & set(suite.files)) * 2 < len(suite.files)
    return suite if is_rest and not any(started_programs(tree, read)) else TestFiles()


def package_of_setup(tree: Tree, read: ReadFile) -> TestFiles:
    """The modules that hold tests in the package that ``setup.py test`` loads.
    https://setuptools.pypa.io/en/v65.7.0/deprecated/commands.html"""
    suite = suite_named(tree, read)
    package = suite.replace(".", "/")
    for folder in (package, f"src/{package}"):
        below = (path for path in _modules(tree) if path.startswith(f"{folder}/"))
        if f"{folder}/__init__.py" in tree and (files := _holding(HOLDS_TESTS, below, read)):
            return TestFiles(files, folders_of(files), f"setup.py test_suite: {suite}")
    return TestFiles()


def folders_of(files: Iterable[str]) -> tuple[str, ...]:
    """Patterns of all modules beside them."""
    return tuple(sorted({f"{dirname(path)}/*.py" for path in files}))


def unusual_names(test_files: tuple[str, ...], *, of_django: bool = False) -> tuple[str, ...]:
    """Patterns that pytest has to be told, where no file is called as it expects; of a suite that Django's own command
    would find, where any is not (``tests.py``)."""
    if (all if of_django else any)(map(is_collected, test_files)):
        return ()
    return (*_OF_UNITTEST_TOO, *(_OF_NOSE_TOO if any(path.endswith("_tests.py") for path in test_files) else ()))


def _holding(tests: re.Pattern[bytes], paths: Iterable[str], read: ReadFile) -> tuple[str, ...]:
    return tuple(path for path in sorted(paths)[:_MOST_FILES] if tests.search(read(path)))


def _modules(tree: Tree) -> list[str]:
    modules = (path for path, entry in tree.items() if path.endswith(".py") and entry.mode is not FileMode.SUBMODULE)
    return [path for path in modules if not is_template(path)]
