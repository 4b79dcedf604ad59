"""Folders of examples, of what is extra, and of tests of the whole, that a maintainer's own command for the tests
passes by: their tests need more, or longer, than the suite does, and one ``conftest.py`` of theirs that cannot be
loaded ends the whole run. Pure."""

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath
from posixpath import basename, dirname

from repo_tools.changes import Tree
from repo_tools.environment.ci.workflows import likeliest_python_job, read_workflows
from repo_tools.environment.ci.wrappers import taken_apart
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import BENCHMARKS, DOCUMENTS, EXAMPLES, TESTS, is_below, is_template, is_within
from repo_tools.environment.python.ci_programs import HOLDS_TESTS
from repo_tools.environment.python.pytest_settings import conftests, read_pytest_settings
from repo_tools.environment.python.setup_file import suite_named
from repo_tools.environment.python.test_programs import (
    NOSE_SETTINGS,
    PROGRAMS,
    command_lines,
    named_places,
    nose_settings,
    split_line,
)

_MOST_TEMPLATES = 20
_CHOOSING = {"-k", "-m", "--ignore", "--ignore-glob", "--deselect"}
_NO_TESTS = ("conftest.py", "__init__.py")
_OF_THE_WHOLE = {"acceptance", "e2e", "functional", "integration", "integration_tests", "smoke", "system"}
"""Beside ``unit``; their tests want servers, the network, or what is installed."""
_ASIDE = EXAMPLES | DOCUMENTS | BENCHMARKS | {"extra", "extras"} | _OF_THE_WHOLE


def passed_by(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """(the folders, or files in one that is needed in part, what says so); none where no command names places. What
    another command of theirs names stays, and so does what lies outside and is no example. Of documents, whose
    ``conftest.py`` may make tests of them, only those that are named beside tests: what a job of their own installs for
    them is not there."""
    collected = [*test_files, *(path for path in conftests(tree) if "/" in path)]
    if _starts_all(tree, read):
        return (), ""
    commands = [*_commands(tree, read)]
    held = ((source, _holding(words, test_files) or _holding(start, test_files)) for source, words, start in commands)
    named = [(source, places) for source, places in held if places]
    sources = {source for source, _ in named}
    examples = (place for source, words, _ in commands if source in sources for place in _holding(words, collected))
    every = {*(place for _, places in named for place in places), *examples}
    outside = (path for path in collected if not any(is_below(path, place) for place in every))
    folders = tuple(sorted(filter(None, {_set_aside(path, every) for path in outside}))) if named else ()
    return folders, f"{named[0][0]}: tests in {' '.join(named[0][1])}" if folders else ""


def _starts_all(tree: Tree, read: ReadFile) -> bool:
    """Whether a job of the CI starts pytest in the root, and tells it neither where to look nor what to choose."""
    evidence = (each for each in read_workflows(tree, read) if each.languages <= {"python"})
    commands = (command for each in evidence for command in each.tests)
    started = (each for each in commands if each.name in PROGRAMS and not (each.in_part or each.directory))
    return any(not (named_places(each.program) or _CHOOSING & {*_options(each.program)}) for each in started)


def _options(words: Iterable[str]) -> Iterator[str]:
    return (word.partition("=")[0] for word in words if word.startswith("-"))


def called_by_name(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """The files among tests that a command names one by one, whatever they are called, or starts by themselves, as
    ``python tests/test.py``, where they hold tests: pytest takes those."""
    words = (word.partition("::")[0] for _, words, _ in _commands(tree, read) for word in words)
    named = [*filter(lambda path: _is_among_tests(path, tree), words)]
    started = (path for path in _started(tree, read) if _is_among_tests(path, tree))
    return tuple(dict.fromkeys((*named, *(path for path in started if HOLDS_TESTS.search(read(path))))))


def templates(tree: Tree) -> tuple[str, ...]:
    """The folders, twenty at most, whose tests are none before a template is filled in."""
    parts = (path.split("/") for path in tree if is_template(dirname(path)))
    found = {"/".join(each[: next(i for i, part in enumerate(each, 1) if is_template(part))]) for each in parts}
    return tuple(sorted(found)[:_MOST_TEMPLATES])


def _is_among_tests(path: str, tree: Tree) -> bool:
    is_module = path.endswith(".py") and basename(path) not in _NO_TESTS and path in tree
    is_module &= PurePosixPath(path).stem not in BENCHMARKS
    return is_module and is_within(dirname(path), TESTS)


def _started(tree: Tree, read: ReadFile) -> Iterator[str]:
    """The files that commands start, if they are files: root-relative."""
    for _, place, lines in command_lines(tree, read):
        yield from (root_relative(w, place) for line in lines for w in taken_apart(tuple(split_line(line)))[1][:1])
    job = likeliest_python_job(tree, read)
    for command in job.tests if job else ():
        for each in (command, *command.started):
            yield root_relative(each.program[0], each.directory)


def _commands(tree: Tree, read: ReadFile) -> Iterator[tuple[str, list[str], list[str]]]:
    """(where it stands, root-relative words after pytest, the folder that it starts in, if not the root) of each."""
    for source, place, lines in command_lines(tree, read):
        for words in map(split_line, lines):
            start = [place] if place and any(basename(word) in PROGRAMS for word in words) else []
            yield source, [root_relative(word, place) if place else word for word in named_places(words)], start
    if read_pytest_settings(tree, read) is None:
        for source, words in _of_others(tree, read):
            yield source, words, []
    for evidence in read_workflows(tree, read):
        if evidence.languages <= {"python"}:
            for command in (each for each in evidence.tests if not each.in_part):
                place, named = command.directory, named_places(command.argv)
                is_pytest = any(basename(word) in PROGRAMS for word in command.argv)
                start = [place] if place and is_pytest else []
                yield command.source, [root_relative(word, place) for word in named], start


def _of_others(tree: Tree, read: ReadFile) -> Iterator[tuple[str, list[str]]]:
    """What nose is told, and ``setup.py test``."""
    told = nose_settings(tree, read)
    nose = [told.get(key) or "" for key in ("where", "tests")]
    yield NOSE_SETTINGS, [word.removeprefix("./").rstrip("/") for word in re.split(r"[\s,]+", " ".join(nose))]
    if suite := suite_named(tree, read):
        yield "setup.py test_suite", [f"{root}{suite.replace('.', '/')}" for root in ("", "src/")]


def _holding(words: Iterable[str], test_files: Collection[str]) -> list[str]:
    return [word for word in words if any(is_below(path, word) for path in test_files)]


def _set_aside(path: str, places: Iterable[str]) -> str:
    """The folder of `_ASIDE` that it lies in, or of that what holds none of `places`; empty where it lies in none."""
    parts = PurePosixPath(path).parts
    depth = next((i for i, part in enumerate(parts[:-1], 1) if part.lower() in _ASIDE), 0)
    while depth and any(is_below(place, "/".join(parts[:depth])) for place in places):
        depth += 1
    return "/".join(parts[:depth])
