"""Which of the places where pytest is told to look are the tests' own. Many a package is such a place, its tests or its
examples inside of it, and what fixes it is no change of tests. Pure.

https://docs.pytest.org/en/stable/reference/reference.html#confval-testpaths
"""

from collections.abc import Collection, Iterable
from posixpath import basename, dirname

from repo_tools.changes import Tree
from repo_tools.environment.folders import TESTS, is_below, is_within

_OF_ALL_PACKAGES = ("__init__.py", "conftest.py")


def places_of_tests(configured: Iterable[str], tree: Tree, test_files: Collection[str]) -> tuple[str, ...]:
    """Those of the places in ``testpaths`` that hold no product."""
    return tuple(place for place in configured if not _holds_product(place, tree, frozenset(test_files)))


def _holds_product(place: str, tree: Tree, test_files: frozenset[str]) -> bool:
    """Whether it is not called after tests, and most of its modules, those in folders of tests aside, hold none. What
    is no package, where something else is one, may be tests with many a helper."""
    if is_within(place, TESTS):
        return False
    below = (path for path in tree if is_below(path, place))
    modules = [path for path in below if path.endswith(".py") and basename(path) not in _OF_ALL_PACKAGES]
    own = [path for path in modules if not is_within(path.removeprefix(place), TESTS)]
    return 2 * sum(path in test_files for path in own) < len(own) and _may_be_a_package(place, tree)


def _may_be_a_package(place: str, tree: Tree) -> bool:
    """Whether one stands in it or around it, or none is marked as such but among tests."""
    marks = (path for path in tree if path.endswith("/__init__.py") and not is_within(path, TESTS))
    packages = [f"{dirname(path)}/" for path in marks]
    return not packages or any(each.startswith(f"{place}/") or place.startswith(each) for each in packages)
