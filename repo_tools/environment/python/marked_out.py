"""Tests that a maintainer's own commands for pytest leave out by their markers or names: they need a network, a service
or hours that the suite does without. Pure.

https://docs.pytest.org/en/stable/how-to/mark.html, https://docs.pytest.org/en/stable/example/markers.html
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from posixpath import basename
from typing import NamedTuple

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.workflows import likeliest_python_job
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.python.hatch import hatch_commands
from repo_tools.environment.python.nox import nox_commands
from repo_tools.environment.python.test_programs import TOX_COMMANDS, split_line
from repo_tools.environment.python.tox import tox_commands

_PROGRAMS = ("pytest", "py.test")
_VARIABLE = "PYTEST_ADDOPTS"
_BY_MARKER, _BY_NAME = "-m", "-k"
_PART = re.compile(r"[\s(]*(not\s+)?[\s(]*([A-Za-z_]\w*)[\s)]*")


def marked_out(tree: Tree, read: ReadFile) -> tuple[tuple[str, ...], str]:
    """(options for pytest, what says so): the markers and names that the first command for pytest of the likeliest job,
    or else of tox, of hatch's scripts or of nox, leaves out, and no other one of them takes."""
    for source, commands in (_of_ci(tree, read), _of_tox(tree, read), _of_hatch(tree, read), _of_nox(tree, read)):
        if commands:
            options = (*_left_out(commands, _BY_MARKER), *_left_out(commands, _BY_NAME))
            return options, f"{source}: pytest {shlex.join(options)}" if options else ""
    return (), ""


def _left_out(commands: list[Sequence[str]], option: str) -> tuple[str, ...]:
    every = [_asked(words, option) for words in commands]
    names = [name for name in every[0].without if not any(asked.takes(name) for asked in every)]
    return (option, " and ".join(f"not {name}" for name in names)) if names else ()


def _of_ci(tree: Tree, read: ReadFile) -> tuple[str, list[Sequence[str]]]:
    job = likeliest_python_job(tree, read)
    started = [each for command in (job.tests if job else ()) for each in _started(command)]
    found = [each for each in started if each.name in _PROGRAMS]
    usual = job.steering.get(_VARIABLE, "") if job else ""
    return found[0].source if found else "", [_with_options(each, usual) for each in found]


def _with_options(command: CommandEvidence, usual: str) -> tuple[str, ...]:
    """https://docs.pytest.org/en/stable/reference/reference.html#envvar-PYTEST_ADDOPTS: before those of the command."""
    options = split_line(dict(command.variables).get(_VARIABLE, usual))
    return (command.program[0], *options, *command.program[1:])


def _started(command: CommandEvidence) -> Iterator[CommandEvidence]:
    yield from (each for inner in command.started for each in _started(inner))
    yield command


def _of_tox(tree: Tree, read: ReadFile) -> tuple[str, list[Sequence[str]]]:
    return TOX_COMMANDS, _pytests(map(split_line, tox_commands(tree, read)), tree, read)


def _of_hatch(tree: Tree, read: ReadFile) -> tuple[str, list[Sequence[str]]]:
    return "hatch's scripts", _of_suite(_pytests(map(split_line, hatch_commands(tree, read)), tree, read))


def _of_nox(tree: Tree, read: ReadFile) -> tuple[str, list[Sequence[str]]]:
    return "noxfile.py", _of_suite(_pytests(nox_commands(tree, read), tree, read))


def _of_suite(commands: list[Sequence[str]]) -> list[Sequence[str]]:
    """Without those of a part alone: each is started by its own name."""
    return [words for words in commands if not (_asked(words, _BY_MARKER).only or _asked(words, _BY_NAME).only)]


def _pytests(lines: Iterable[Sequence[str]], tree: Tree, read: ReadFile) -> list[Sequence[str]]:
    starts = ((words, [i for i, word in enumerate(words) if _is_pytest(word, tree, read)]) for words in lines)
    return [words[places[0] :] for words, places in starts if places]


def _is_pytest(word: str, tree: Tree, read: ReadFile) -> bool:
    """Or a program of the repository that starts it."""
    own = word.endswith(".py") and word in tree and tree[word].mode.is_file
    return basename(word) in _PROGRAMS or (own and b"pytest.main(" in read(word))


class _Asked(NamedTuple):
    """What ``-m "a and not b"`` selects: tests with all markers (with ``-k``: names) of `only`, and none of
    `without`."""

    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def takes(self, marker: str) -> bool:
        """A test that bears just this one."""
        return marker not in self.without and set(self.only) <= {marker}


def _asked(words: Sequence[str], option: str) -> _Asked:
    """Any other expression may select everything."""
    text = next((value for given, value in reversed([*pairwise(words)]) if given == option), "")
    written = text.split(" and ")
    parts = [part for part in map(_PART.fullmatch, written) if part]
    if len(parts) < len(written) or any(part.count("(") != part.count(")") for part in written):
        return _Asked()
    return _Asked(tuple(p[2] for p in parts if not p[1]), tuple(p[2] for p in parts if p[1]))
