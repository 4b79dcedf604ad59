"""Warnings that say nothing of the code, for suites that make an error of each: of markers that are registered nowhere
where the suite was written for a pytest of before 4.5, which warned of none
(https://docs.pytest.org/en/stable/changelog.html#pytest-4-5-0-2019-05-11), and of a plug-in of pytest's whose editable
install is a module that is imported already. Pure."""

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.distributions import OF_MARKER
from repo_tools.environment.python.metadata import name_and_entry_points
from repo_tools.environment.python.pytest_settings import PytestSettings, conftests
from repo_tools.environment.python.used import Uses

_OF_MARKERS = ("-W", "ignore:Unknown pytest.mark")
_OF_ITSELF = ("-W", "ignore:Module already imported so cannot be rewritten")


def not_warned_of(
    tree: Tree, read: ReadFile, settings: PytestSettings | None, test_files: tuple[str, ...], uses: Uses
) -> tuple[str, ...]:
    """Options for pytest; none where nothing would come of the warnings."""
    if settings is None or not settings.warnings_are_errors:
        return ()
    is_plugin = "pytest11" in name_and_entry_points(tree, read)[1]
    marks = _marks_unknown(tree, read, settings, uses.by(test_files).markers)
    return (*(_OF_MARKERS if marks else ()), *(_OF_ITSELF if is_plugin else ()))


def _marks_unknown(tree: Tree, read: ReadFile, settings: PytestSettings, markers: set[str]) -> bool:
    """Unless a ``conftest.py`` may register markers."""
    if any(b"addinivalue_line" in read(path) for path in conftests(tree)):
        return False
    return bool(markers - settings.markers - OF_MARKER.keys())
