"""The test runners that a maintainer's own commands start, and whether a suite is nose's. Pure."""

import re
import shlex
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from posixpath import basename, dirname

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.workflows import likeliest_python_job
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import is_below
from repo_tools.environment.python.hatch import hatch_commands
from repo_tools.environment.python.setup_file import suite_named
from repo_tools.environment.python.tox import tox_commands, tox_commands_in_place
from repo_tools.environment.settings_text import read_ini, section
from repo_tools.environment.texts import text_at

TOX_COMMANDS = "tox.ini [testenv] commands"
NOSE = "nosetests"
NOSE_SETTINGS = "setup.cfg [nosetests]"
PROGRAMS = ("pytest", "py.test", NOSE)
WITH_VALUE = (
    "-k", "-m", "-n", "-p", "-c", "-o", "-W", "-r", "--ignore", "--ignore-glob", "--deselect", "--tb", "--durations",
    "--maxfail", "--cov-report", "--cov-config", "--junitxml", "--junit-xml", "--rootdir", "--confcutdir", "--dist",
    "--timeout", "--exclude-test", "--exclude-dir", "--doctest-options", "--doctest-extension", "--doctest-fixtures",
    "--config",
)  # fmt: skip
"""Options of theirs whose next word is the value."""
IMPORTS_PYTEST = re.compile(rb"^[ \t]*(?:import|from) pytest\b", re.MULTILINE)
RUNS_UNITTEST = re.compile(
    rb"unittest|\b(?:get_runner|execute_from_command_line)\(|\bDiscoverRunner\b|\bcall_command\(\s*['\"]test['\"]"
)
"""In a program that runs a suite: itself, or by Django
(https://docs.djangoproject.com/en/stable/topics/testing/advanced/#using-the-django-test-runner-to-test-reusable-apps)."""
_IMPORTS_NOSE = re.compile(rb"^[ \t]*(?:import|from) nose\b", re.MULTILINE)
_COLLECTOR = "nose.collector"
"""https://nose.readthedocs.io/en/latest/setuptools_integration.html"""


def started_programs(tree: Tree, read: ReadFile) -> Iterator[tuple[str, Sequence[str]]]:
    """(where it stands, its words from the program on) of each of `PROGRAMS` that is started in the root."""
    yield from ((each.source, each.program) for each in _started_by_ci(tree, read) if not each.directory)
    for words in map(split_line, tox_commands(tree, read)):
        starts = [i for i, word in enumerate(words) if basename(word) in PROGRAMS]
        if starts:
            yield TOX_COMMANDS, words[starts[0] :]


def is_started(tree: Tree, read: ReadFile) -> bool:
    """Whether one of `PROGRAMS` is, wherever the CI stands then."""
    return any(_started_by_ci(tree, read)) or any(started_programs(tree, read))


def _started_by_ci(tree: Tree, read: ReadFile) -> Iterator[CommandEvidence]:
    job = likeliest_python_job(tree, read)
    for command in job.tests if job else ():
        yield from (each for each in (command, *command.started) if each.name in PROGRAMS)


def command_lines(tree: Tree, read: ReadFile) -> Iterator[tuple[str, str, Iterable[str]]]:
    """(where they stand, the folder that they start in, the lines) of the commands that tools of the project's own
    start for its tests."""
    yield TOX_COMMANDS, *tox_commands_in_place(tree, read)
    yield "hatch's scripts", "", hatch_commands(tree, read)


def split_line(line: str) -> list[str]:
    """Its words; none where its quotes are open."""
    try:
        return shlex.split(line)
    except ValueError:
        return []


def nose_settings(tree: Tree, read: ReadFile) -> Mapping[str, str | None]:
    """https://nose.readthedocs.io/en/latest/usage.html#configuration; empty where there are none."""
    return section(read_ini(text_at("setup.cfg", tree, read)), "nosetests")


def named_places(words: Iterable[str]) -> list[str]:
    """What one of `PROGRAMS` is told to run, as paths, without options and their values."""
    rest = list(words)
    while rest and basename(rest[0]) not in PROGRAMS:
        rest = rest[1:]
    named = (word for option, word in pairwise(rest) if option not in WITH_VALUE)
    return [word.removeprefix("./").rstrip("/") for word in named if not word.startswith(("-", "{", "["))]


def run_by_nose(tree: Tree, read: ReadFile, tests: Sequence[str], wanted: Container[str]) -> str:
    """What says that nose runs a suite, and no pytest; empty otherwise. `tests`: its files, of which those count that
    stand where nose is told to run some, if it is told where. `wanted`: which of the two the repository has
    installed."""
    started = [*started_programs(tree, read)]
    if any(basename(words[0]) != NOSE for _, words in started):
        return ""
    named = [place for _, words in started for place in named_places(words)]
    places = [dirname(place) if place.endswith(".py") else place for place in named]
    contents = [*map(read, [path for path in tests if any(is_below(path, each) for each in places)] or tests)]
    if any(map(IMPORTS_PYTEST.search, contents)):
        return ""
    if started:
        return f"{started[0][0]}: {NOSE}"
    if nose_settings(tree, read):
        return NOSE_SETTINGS
    if suite_named(tree, read) == _COLLECTOR:
        return f"setup.py test_suite: {_COLLECTOR}"
    if "pytest" in wanted:
        return ""
    return "tests written for nose" if "nose" in wanted or any(map(_IMPORTS_NOSE.search, contents)) else ""
