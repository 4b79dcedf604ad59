"""Suites that make an error of each warning, and use markers that are registered nowhere: they were written for a
pytest of before 4.5, which warned of none (https://docs.pytest.org/en/stable/changelog.html#pytest-4-5-0-2019-05-11).
A module that cannot be collected for that says nothing of the code. Pure."""

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.imports import marked_by_plugins, used_by
from repo_tools.environment.python.pytest_settings import PytestSettings

_OF_PYTEST = frozenset(
    ("filterwarnings", "parametrize", "skip", "skipif", "tryfirst", "trylast", "usefixtures", "xfail")
)
_IGNORED = ("-W", "ignore:Unknown pytest.mark")


def not_warned_of(
    tree: Tree, read: ReadFile, settings: PytestSettings | None, test_files: tuple[str, ...]
) -> tuple[str, ...]:
    """Options for pytest; none where nothing would come of the warning, or a ``conftest.py`` may register markers."""
    if settings is None or not settings.warnings_are_errors:
        return ()
    conftests = [path for path in tree if path.rpartition("/")[2] == "conftest.py"]
    if any(b"addinivalue_line" in read(path) for path in conftests):
        return ()
    used = used_by(tree, read, test_files).markers
    return _IGNORED if used - _OF_PYTEST - settings.markers - marked_by_plugins() else ()
