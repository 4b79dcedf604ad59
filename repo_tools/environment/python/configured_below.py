"""A folder that configures pytest, where the root around it, which tells what is installed, does not: ``src/`` with a
``pytest.ini``. Pure.

pytest reads what stands in the folder that it is started in, or above all that it is told to run, and nothing below:
https://docs.pytest.org/en/stable/reference/customize.html#finding-the-rootdir
"""

from collections.abc import Iterator
from dataclasses import replace
from posixpath import basename, commonpath, dirname

from repo_tools.changes import Tree
from repo_tools.environment.ci.workflows import likeliest_python_job, tell_workflows
from repo_tools.environment.contract import Environment, ReadFile
from repo_tools.environment.folders import TESTS, is_below, is_hidden, is_within
from repo_tools.environment.one_project import reader_below, rebased
from repo_tools.environment.projects import NOBODYS_WORK
from repo_tools.environment.python.build_system import packaging
from repo_tools.environment.python.pytest_settings import COLLECTED, conftests, is_collected, read_pytest_settings
from repo_tools.environment.python.test_files import files_of_tests
from repo_tools.environment.python.test_programs import PROGRAMS, command_lines, named_places, split_line
from repo_tools.environment.settings_text import read_toml, table
from repo_tools.environment.texts import text_at
from repo_tools.paths import parents

_CALLED = (*COLLECTED, "tests.py")


def folder_of_suite(tree: Tree, read: ReadFile) -> str:
    """Empty where there is none that holds all tests, or several do, or what starts pytest does so in the root and
    names none; a project of its own is no part of the root's."""
    named = (path for path in files_of_tests(tree, None) if is_collected(path, _CALLED))
    tests = [path for path in named if not is_within(dirname(path), NOBODYS_WORK)]
    shared = commonpath([dirname(path) for path in (*tests, *conftests(tree))]) if tests else ""
    above = [folder for folder in (*reversed([*parents(shared)]), shared) if folder]
    known = (f for f in above if not (is_hidden(f) or is_within(f, NOBODYS_WORK) or "{" in f))
    found = next((f for f in known if read_pytest_settings(*within(f, tree, read))), "")
    if not found or packaging(*within(found, tree, read)) or _is_told_elsewhere(tree, read):
        return ""
    return found if _way(found, tree, read) is not None else ""


def within(folder: str, tree: Tree, read: ReadFile) -> tuple[Tree, ReadFile]:
    """What stands in it, by paths from there, with what the CI does there."""
    start = f"{folder}/"
    below = {path.removeprefix(start): entry for path, entry in tree.items() if path.startswith(start)}
    read_below = reader_below(read, folder)
    tell_workflows(folder, tree, read, below, read_below)
    return below, read_below


def _is_told_elsewhere(tree: Tree, read: ReadFile) -> bool:
    """Whether the root says how tests are run in a way of which no command is known."""
    of_tox = table(read_toml(text_at("pyproject.toml", tree, read)), "tool", "tox")
    return bool(of_tox) or any(path in tree for path in ("tox.toml", "noxfile.py"))


def with_suite(whole: Environment, suite: Environment, folder: str, tree: Tree, read: ReadFile) -> Environment:
    """`whole`, as the root is set up, with the tests of `suite`, which is the plan of the folder."""
    source = suite.evidence[0].partition(":")[0]
    there = rebased(suite, folder)
    tests = there.tests
    if len(tests) == 1 and not any(map(_names_a_place, tests[0].argv)) and _way(folder, tree, read):
        tests = (replace(tests[0], argv=("pytest", "-c", f"{folder}/{source}", *tests[0].argv[1:]), directory=""),)
    return replace(
        whole,
        evidence=(f"{folder}/{suite.evidence[0]}", *whole.evidence),
        tests=tests,
        test_variables={**whole.test_variables, **suite.test_variables},
        test_paths=there.test_paths,
        test_file_patterns=suite.test_file_patterns,
    )


def _names_a_place(word: str) -> bool:
    """Which is another one, seen from the root; so is that of a program of the folder's own."""
    return word.startswith(("--ignore", "-c")) or word == "python"


def _way(folder: str, tree: Tree, read: ReadFile) -> bool | None:
    """Whether it is started in the root, and told of the folder, rather than in that; None where it is told of none."""
    told = list(_started(tree, read))
    if not told:
        return is_within(folder, TESTS)
    for directory, places in told:
        if is_below(directory, folder):
            return False
        if not directory and places and all(is_below(place, folder) for place in places):
            return True
    return None


def _started(tree: Tree, read: ReadFile) -> Iterator[tuple[str, list[str]]]:
    """(the folder that it starts in, what it is told to run) of each command for pytest, of the CI's or of a tool's."""
    job = likeliest_python_job(tree, read)
    for command in job.tests if job else ():
        for each in (command, *command.started):
            if each.name in PROGRAMS:
                yield each.directory, named_places(each.program)
    for _, directory, lines in command_lines(tree, read):
        for words in map(split_line, lines):
            if any(basename(word) in PROGRAMS for word in words):
                yield directory, named_places(words)
