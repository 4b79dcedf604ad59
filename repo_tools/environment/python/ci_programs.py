"""Programs of a repository by which its own CI runs the suite, where little speaks for pytest.

A suite may live in files that pytest does not look for, behind a program that collects them: what pytest finds then is
a few helpers that are called like tests, and a baseline that means nothing.
"""

import re
from collections.abc import Iterator
from posixpath import basename

from repo_tools.changes import FileMode, Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile, TestCommand
from repo_tools.environment.python.requirements import declared_requirements, names_of
from repo_tools.environment.python.test_programs import RUNS_UNITTEST

MAX_BYTES = 200_000

_OTHERS = frozenset((
    "pytest", "py.test", "unittest", "setup.py", "tox", "nox", "nose2", "nosetests", "trial", "stestr", "green",
    "hatch",
))  # fmt: skip
_SHEBANG = re.compile(rb"#![^\n]*\bpython[\d.]*\b")
_PYTEST = re.compile(rb"\b(?:pytest|py\.test)\b")
HOLDS_TESTS = re.compile(rb"^(?:[ \t]*(?:async )?def test|class \w*Test|class \w+\([^)\n]*TestCase)", re.MULTILINE)
"""What pytest would find in a file, about."""


def program_of_ci(tree: Tree, read: ReadFile, test_files: tuple[str, ...]) -> tuple[TestCommand, str] | None:
    """(the one that the likeliest of its jobs starts first, where that stands): by unittest, if it uses that; where
    pytest would find nothing, by how it ends."""
    found = [e for e in read_workflows(tree, read) if e.languages <= {"python"}]
    if not found or any(map(_takes_another, found)) or "pytest" in names_of(declared_requirements(tree, read), read):
        return None
    for command in (command for evidence in found for command in _tests(evidence) if not command.in_part):
        for path, argv in _programs(command):
            is_file = path in tree and tree[path].mode is not FileMode.SUBMODULE
            if is_file and len(text := read(path)) <= MAX_BYTES and (path.endswith(".py") or _SHEBANG.match(text)):
                return _called(_runner(text, test_files, read), argv, command)
    return None


def _tests(evidence: WorkflowEvidence) -> Iterator[CommandEvidence]:
    """Its commands, each before those of the Makefile's goal, or the script, that it starts."""
    for command in evidence.tests:
        yield from (command, *command.started)


def _takes_another(evidence: WorkflowEvidence) -> bool:
    """Whether the job installs pytest, or starts what the repository's own settings say more of."""
    started = any(command.name in _OTHERS for command in _tests(evidence))
    return started or any(re.match(r"pytest\b", word) for command in evidence.installs for word in command.program)


def _programs(command: CommandEvidence) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(file, words for the interpreter) that it may mean."""
    words = command.program
    if words[0].endswith(".py"):
        yield root_relative(words[0], command.directory), words
    elif "-m" in command.argv and re.fullmatch(r"[\w.]+", words[0]):
        place = root_relative(words[0].replace(".", "/"), command.directory)
        yield f"{place}/__main__.py", ("-m", *words)
        yield f"{place}.py", ("-m", *words)
    elif "." not in basename(words[0]):
        place = root_relative(words[0], command.directory)
        yield place, words
        yield f"{place}/__main__.py", words


def _called(runner: str, argv: tuple[str, ...], command: CommandEvidence) -> tuple[TestCommand, str] | None:
    if not runner:
        return None
    silent = ", of which only the exit code is known" if runner == "exit_code" else ""
    called = TestCommand(runner, ("python", *argv), command.directory)
    return called, f"{command.source}: {' '.join(called.argv)}{silent}"


def _runner(program: bytes, test_files: tuple[str, ...], read: ReadFile) -> str:
    if _PYTEST.search(program):
        return ""
    if RUNS_UNITTEST.search(program):
        return "unittest"
    return "" if any(HOLDS_TESTS.search(read(path)) for path in test_files) else "exit_code"
