"""Warnings that say nothing of the code, for suites that make an error of each: of markers that are registered nowhere
where the suite was written for a pytest of before 4.5, which warned of none
(https://docs.pytest.org/en/stable/changelog.html#pytest-4-5-0-2019-05-11), of a plug-in of pytest's whose editable
install is a module that is imported already, and of versions that are compared by distutils: its classes warn of
themselves since it is deprecated (https://peps.python.org/pep-0632/), and so does the copy that setuptools brings to
any Python. Pure."""

import re
from itertools import islice

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.distributions import OF_MARKER
from repo_tools.environment.python.metadata import name_and_entry_points
from repo_tools.environment.python.pytest_settings import PytestSettings, conftests
from repo_tools.environment.python.used import MOST_FILES, Uses

_OF_MARKERS = ("-W", "ignore:Unknown pytest.mark")
_OF_ITSELF = ("-W", "ignore:Module already imported so cannot be rewritten")
_OF_DISTUTILS = ("-W", "ignore:distutils Version classes are deprecated")
_COMPARES = re.compile(rb"^[ \t]*(?:from|import)[ \t]+distutils(?:\.|[ \t]+import[ \t]+)version\b", re.MULTILINE)


def not_warned_of(
    tree: Tree, read: ReadFile, settings: PytestSettings | None, test_files: tuple[str, ...], uses: Uses
) -> tuple[str, ...]:
    """Options for pytest; none where nothing would come of the warnings."""
    if settings is None or not settings.warnings_are_errors:
        return ()
    is_plugin = "pytest11" in name_and_entry_points(tree, read)[1]
    marks = _marks_unknown(tree, read, settings, uses.by(test_files).markers)
    modules = islice((path for path in tree if path.endswith(".py")), MOST_FILES)
    compares = any(_COMPARES.search(read(path)) for path in modules)
    told = ((_OF_MARKERS, marks), (_OF_ITSELF, is_plugin), (_OF_DISTUTILS, compares))
    return tuple(word for options, is_so in told if is_so for word in options)


def _marks_unknown(tree: Tree, read: ReadFile, settings: PytestSettings, markers: set[str]) -> bool:
    """Unless a ``conftest.py`` may register markers."""
    if any(b"addinivalue_line" in read(path) for path in conftests(tree)):
        return False
    return bool(markers - settings.markers - OF_MARKER.keys())
