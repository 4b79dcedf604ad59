"""The command that runs a Python project's tests: pytest's, unittest's, or pytest's with nose's habits. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, TestCommand
from repo_tools.environment.python.attempts import InstallPlan
from repo_tools.environment.python.doctests import doctests
from repo_tools.environment.python.found_tests import FoundTests, is_for_pytest
from repo_tools.environment.python.left_out import left_out
from repo_tools.environment.python.marked_out import marked_out
from repo_tools.environment.python.pytest_scope import passed_by, templates
from repo_tools.environment.python.pytest_settings import COLLECTED, PytestSettings
from repo_tools.environment.python.test_programs import is_started, run_by_nose
from repo_tools.environment.python.unittest import MOST_FILES, unittest_command
from repo_tools.environment.python.unwarned import not_warned_of
from repo_tools.environment.python.used import Uses

_USES_UNITTEST = re.compile(rb"^[ \t]*(?:import|from) unittest\b", re.MULTILINE)
_USES_PYTEST = re.compile(rb"^(?:async )?def test|^[ \t]*(?:import|from) pytest\b|\bcaplog\b", re.MULTILINE)
"""A function that is a test is none to unittest."""
_WITHOUT_HANDLERS = ("-p", "no:logging")
"""Where nobody but we takes pytest: for its records it puts handlers on the root's logger, which has none where the
maintainers run the tests, and ``logging.basicConfig`` does nothing then."""

Told = tuple[TestCommand, tuple[str, ...]]
"""The command, and what says so where it is no file of pytest's."""


def suite_command(
    tree: Tree, read: ReadFile, settings: PytestSettings | None, tests: FoundTests, plan: InstallPlan, uses: Uses
) -> Told:
    """By unittest only where nothing configures pytest; `plan` tells what is installed."""
    if is_for_pytest(tree, settings):
        return _by_pytest(tree, read, settings, tests, plan, uses)
    if found := unittest_command(tree, read, tests.files):
        command, source = found
        return command, (source,)
    command, said = _by_pytest(tree, read, settings, tests, plan, uses)
    wanted = {name for name in ("nose", "pytest") if any(plan.asked_for(name))}
    if source := run_by_nose(tree, read, tests.files[:MOST_FILES], wanted):
        return replace(command, runner="nose"), (*said, f"{source}: pytest with nose's fixtures and yielded tests")
    if not wanted and not is_started(tree, read) and _is_of_unittest(tests.files[:MOST_FILES], read):
        return replace(command, argv=(*command.argv, *_WITHOUT_HANDLERS)), said
    return command, said


def _is_of_unittest(files: Iterable[str], read: ReadFile) -> bool:
    """Whether its files use that, and none what is pytest's."""
    contents = [*map(read, files)]
    return any(map(_USES_UNITTEST.search, contents)) and not any(map(_USES_PYTEST.search, contents))


def _by_pytest(
    tree: Tree, read: ReadFile, settings: PytestSettings | None, tests: FoundTests, plan: InstallPlan, uses: Uses
) -> Told:
    is_told = bool(settings and settings.test_paths)
    folders, passing = passed_by(tree, read, tests.files) if not is_told else ((), "")
    unfilled = templates(tree) if not is_told else ()
    marked, marking = marked_out(tree, read)
    examples, asking = doctests(tree, read, settings, tests.files)
    ignored, ignoring = left_out(tree, read, tests.files)
    words = (
        "pytest",
        *(settings.options if settings else ()),
        *not_warned_of(tree, read, settings, tests.files, uses),
        *_names_told(tests, is_configured=is_for_pytest(tree, settings)),
        *_in_one_order(plan, settings),
        *dict.fromkeys((*(f"--ignore={folder}" for folder in (*folders, *unfilled)), *examples, *ignored)),
        *marked,
    )
    command = TestCommand("pytest", words, own_options=settings.own_options if settings else ())
    return command, tuple(filter(None, (passing, marking, asking, ignoring)))


def _names_told(tests: FoundTests, *, is_configured: bool) -> Iterator[str]:
    """The option that names what pytest would pass by."""
    if tests.unusual:
        names = (*(tests.patterns or COLLECTED), *tests.unusual)
    else:
        names = () if is_configured else tests.patterns
    if names:
        yield from ("-o", f"python_files={' '.join(names)}")


def _in_one_order(plan: InstallPlan, settings: PytestSettings | None) -> tuple[str, ...]:
    """Options that keep pytest-randomly from another order in each run, since runs are compared; none where the suite's
    own options say what it is to do (https://github.com/pytest-dev/pytest-randomly#usage)."""
    told = "randomly" in str(settings.settings.get("addopts", "")) if settings else False
    return ("-p", "no:randomly") if any(plan.asked_for("pytest-randomly")) and not told else ()
