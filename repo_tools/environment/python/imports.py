"""What a Python suite uses and no list for tests names: what the tables of `distributions` know, and what one of the
project's own extras has for its users."""

import sys
from collections.abc import Iterable, Iterator, Mapping

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.distributions import INSTEAD, OF_FIXTURE, OF_MARKER, distribution_of
from repo_tools.environment.python.metadata import name_and_entry_points
from repo_tools.environment.python.own_modules import own_modules
from repo_tools.environment.python.pytest_settings import read_pytest_settings
from repo_tools.environment.python.reached import needed_at_once
from repo_tools.environment.python.requirement import name_of, normal
from repo_tools.environment.python.used import Used, Uses

_BESIDE = {"pytest-django": "django"}
"""Plug-in -> what it is nothing without, and does not require itself: an application may leave that to its users."""


def undeclared(
    tree: Tree,
    read: ReadFile,
    test_files: Iterable[str],
    declared: frozenset[str],
    extras: Mapping[str, str] | None = None,
    uses: Uses | None = None,
) -> tuple[str, ...]:
    """Requirements of `test_files`, and of the helpers that they import, that are not among the normal names
    `declared`, sorted. `extras`: by such names, what the project has for users who want more of it."""
    test_files, extras = tuple(test_files), extras or {}
    used = (uses or Uses(tree, read)).by(test_files)
    own = own_modules(tree)
    by_import = {distribution_of(name) or _of_extra(name, extras, used) for name in _foreign(used.imports, own)}
    if extras.keys() - declared:
        needed = needed_at_once(tree, read, test_files)
        by_import |= {_of_extra(name, extras, used) for name in _foreign(needed, own)}
    by_fixture = (d for name, d in OF_FIXTURE.items() if name in used.fixtures - used.defined)
    settings = read_pytest_settings(tree, read)
    own_markers = settings.markers if settings else frozenset()
    by_marker = (d for name, d in OF_MARKER.items() if name in used.markers - own_markers)
    imported = {d for d in by_import if d}
    declared |= {normal(name_and_entry_points(tree, read)[0])}  # a plug-in's own tests have its fixtures
    there = declared | {name_of(d) for d in imported}
    plugins = {d for d in (*by_fixture, *by_marker) if there.isdisjoint(INSTEAD.get(d, ()))}
    beside = {needed for plugin, needed in _BESIDE.items() if plugin in declared}
    return tuple(sorted(d for d in imported | plugins | beside if name_of(d) not in declared))


def _foreign(names: Iterable[str], own: frozenset[str]) -> Iterator[str]:
    return (name for name in names if name.partition(".")[0] not in own)


def _of_extra(name: str, extras: Mapping[str, str], used: Used) -> str:
    """The requirement by whose name `name` is imported; whoever skips what it has not does not need it."""
    top = name.partition(".")[0]
    skips = any(other.partition(".")[0] == top for other in used.skipped_for)
    if skips or top in sys.stdlib_module_names:
        return ""
    return extras.get(normal(top)) or extras.get(name_of(distribution_of(name)), "")
