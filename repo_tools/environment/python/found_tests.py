"""The tests of a Python project, and the names by which pytest knows them. Pure."""

from dataclasses import dataclass

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.django_settings import django_plugin
from repo_tools.environment.python.doctests import files_with_examples
from repo_tools.environment.python.pytest_scope import called_by_name
from repo_tools.environment.python.pytest_settings import COLLECTED, PytestSettings, conftests, is_collected
from repo_tools.environment.python.test_files import (
    TestFiles,
    called_otherwise,
    files_of_tests,
    folders_of,
    mostly_called_otherwise,
    unusual_names,
)
from repo_tools.environment.python.unittest import own_program, package_of_itself, suite_of_setup


@dataclass(frozen=True)
class FoundTests:
    """At least one file. `patterns`: the names that are configured, or that pytest has to be told; empty where its own
    do. `unusual`: files of other names, each of which a command names. `said`: what tells of the files, where it is not
    their names."""

    files: tuple[str, ...]
    patterns: tuple[str, ...]
    unusual: tuple[str, ...]
    said: str = ""


def find_tests(tree: Tree, read: ReadFile, settings: PytestSettings | None) -> FoundTests | None:
    """None where there are none."""
    found = _test_files(tree, read, settings)
    called = called_by_name(tree, read)
    files = tuple(dict.fromkeys((*found.files, *called)))
    if not files:
        examples = files_with_examples(tree, read, settings)
        return FoundTests(examples, settings.python_files if settings else (), ()) if examples else None
    if settings:
        patterns = settings.python_files
    else:
        of_django = bool(django_plugin(tree, read, settings))
        patterns = found.patterns or unusual_names(files, of_django=of_django)
    unusual = tuple(path for path in called if not is_collected(path, patterns or COLLECTED))
    return FoundTests(files, patterns, unusual, found.said)


def is_for_pytest(tree: Tree, settings: PytestSettings | None) -> bool:
    """Whether the repository configures pytest."""
    return settings is not None or bool(conftests(tree))


def _test_files(tree: Tree, read: ReadFile, settings: PytestSettings | None) -> TestFiles:
    """By their names; where neither these nor pytest's settings tell of any, or of most, what a program of tests, or
    ``setup.py test``, loads, or what is called otherwise."""
    named = files_of_tests(tree, settings)
    if not is_for_pytest(tree, settings) and named and (most := mostly_called_otherwise(named, tree, read)).files:
        return most
    if not (named or settings):
        named = own_program(tree, read) or suite_of_setup(tree, read)[1]
    if named or settings:
        return TestFiles(named)
    own = package_of_itself(tree, read)
    return TestFiles(own, folders_of(own)) if own else called_otherwise(tree, read)
