"""The commands of a shell's script: each where its shell stands, with the variables that it finds. Nothing is run."""

import re
import shlex
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import NamedTuple

from repo_tools.environment.ci.commands import ASSIGNMENT, MAKES, CommandEvidence
from repo_tools.environment.ci.programs import SHELLS, plain_words
from repo_tools.environment.ci.script_words import NOT_KNOWN, in_part, value_of, words_in, words_in_part
from repo_tools.environment.ci.wrappers import taken_apart
from repo_tools.environment.commands import root_relative
from repo_tools.environment.shell.parse import lists_of
from repo_tools.environment.shell.syntax import (
    AndOr,
    Assignment,
    Body,
    Function,
    Group,
    If,
    Pipeline,
    Simple,
    Subshell,
    Unreadable,
    Word,
)  # fmt: skip
from repo_tools.environment.shell.walk import is_condition
from repo_tools.sandbox.contract import WORKSPACE

MOST_LINES = 200
MOST_PARTS = 1_000
"""Commands of one script."""
MAX_LINE_CHARACTERS = 1_000
"""Of a command, and of a folder's name."""

_NO_COMMAND = frozenset({"set", "echo", "source", ".", "true", ":", "mkdir", "printf", "exit", "cat", "ls"})
_MOVES = ("cd", "pushd", "popd")
_FORGETS = ("unset", "read")
_STARTERS = frozenset({"docker", "docker-compose"})
_PATTERN = re.compile(r"[*?\[]")
_IN_FRONT = re.compile(r"sudo|env|-\S+|\"?\w+=.*", re.DOTALL)
_ITSELF = re.compile(r'"?(\w+)="?\$\{?\1\}?"?')
_IF_THERE = re.compile(r"(?:\[{1,2}|test) -[efr] [^\s;|&]+(?: \]{1,2})?")
_FOR_A_SHELL = re.compile(r"[|<>&;`$\0]")
_ALWAYS = {
    **{"@": "", "PYTHONPATH": "", "nproc": "2", "HOME": "~"},
    **dict.fromkeys(("pwd", "PWD", "GITHUB_WORKSPACE", "TRAVIS_BUILD_DIR", "CIRCLE_WORKING_DIRECTORY"), WORKSPACE),
    **dict.fromkeys(("BUILD_SOURCESDIRECTORY", "SYSTEM_DEFAULTWORKINGDIRECTORY", "CI_PROJECT_DIR"), WORKSPACE),
}
"""What a script that is called without arguments, in the root of the work tree, finds."""
IN_HOME = re.compile(r"(?:^|[=:,;])~(?:/|$)")
"""Names a place in the home of the CI's machine."""


def commands_of(
    script: str, directory: str, path: str, line: int, known: Mapping[str, str] = {}
) -> Generator[CommandEvidence, None, str]:
    """The single commands of a step's `run` that begins in `line`, which finds the variables `known` set; what a
    shell's own language surrounds is left out, and so is what only a shell understands: of a command that tests, just
    the words in question. It returns the directory that the script ends in; none (empty) where that is not sure."""
    reader = _Reader(path)
    here = _Shell(directory, {**_ALWAYS, **known})
    for each in lists_of("\n".join(script.split("\n")[:MOST_LINES]), line):
        yield from reader.carried_out(each, here)
        if reader.read > MOST_PARTS:
            return ""
    return "" if here.strayed else here.directory or ""


class _Place(NamedTuple):
    """`is_sometimes`: on a condition that nobody knows; `is_sure`: nothing is done where it goes wrong."""

    is_sometimes: bool = False
    is_sure: bool = True
    is_beside: bool = False


_ALWAYS_DONE = _Place()


@dataclass
class _Shell:
    """What a shell knows between two commands. `directory`: root-relative; None where it is elsewhere, or not known."""

    directory: str | None
    assigned: dict[str, str]
    exported: dict[str, str] = field(default_factory=dict)
    left: list[str | None] = field(default_factory=list)
    """The directories that ``popd`` and ``cd -`` go back to."""
    strayed: bool = False
    """Whether it went somewhere on a condition, or nobody knows where."""

    def within(self) -> "_Shell":
        """A shell in brackets: nothing that it does is known behind them."""
        return _Shell(self.directory, {**self.assigned}, {**self.exported}, [*self.left])

    def changed_by(self, command: Simple, argv: tuple[str, ...] | None, place: _Place) -> bool:
        """Whether `command`, whose words are `argv` where they are known, is for what the shell itself knows."""
        name = command.program
        if name in _MOVES:
            self.strayed |= place.is_sometimes or argv is None
            self._move(argv or ())
        elif name == "export":
            told = (ASSIGNMENT.fullmatch(value_of(word, self.assigned) or "") for word in command.words[1:])
            self.exported |= {} if place.is_sometimes else {found[1]: found[2] for found in told if found}
            self.assigned |= self.exported
        elif name in _FORGETS:
            self._forget(word.text for word in command.words[1:])
        elif not name:
            self._assign(command.assignments)
        return name in (*_MOVES, *_FORGETS, "export", "")

    def _forget(self, names: Iterable[str]) -> None:
        for name in names:
            self.assigned.pop(name, None)
            self.exported.pop(name, None)

    def _assign(self, assignments: Iterable[Assignment]) -> None:
        """What is exported before stays so, with its new value; what a run sets is not known any more."""
        for each in assignments:
            is_exported = each.name in self.exported
            before = self.assigned.get(each.name) if each.adds else ""
            value = value_of(each.value, self.assigned)
            self._forget([each.name])
            if before is not None and value is not None:
                self.assigned[each.name] = before + value
                self.exported |= {each.name: before + value} if is_exported else {}

    def _move(self, argv: tuple[str, ...]) -> None:
        if not argv:
            return
        if argv[0] == "popd" or argv[1:] == ("-",):
            self.directory = self.left.pop() if self.left else self.directory
            return
        self.left.append(self.directory)
        to = next(iter(plain_words(argv[1:])), "~")
        if to == WORKSPACE or to.startswith(f"{WORKSPACE}/"):
            self.directory = root_relative(to.removeprefix(WORKSPACE))
        elif to.startswith(("/", "~")) or _PATTERN.search(to):
            self.directory = None
        elif self.directory is not None and len(self.directory) < MAX_LINE_CHARACTERS:
            self.directory = root_relative(to, self.directory)


@dataclass
class _Reader:
    """Of one script, in the file `path`; `read`: how many commands it has read."""

    path: str
    read: int = 0

    def carried_out(self, each: AndOr, here: _Shell, place: _Place = _ALWAYS_DONE) -> Iterator[CommandEvidence]:
        """What stands behind ``||`` is left out; what nothing waits for has a shell of its own."""
        here = here.within() if each.is_beside else here
        place = place._replace(is_beside=place.is_beside or each.is_beside)
        behind = (*(operator for operator, _ in each.items[1:]), "")
        for (operator, pipeline), follows in zip(each.items, behind, strict=True):
            if operator != "||":
                yield from self._of_pipeline(pipeline, here, place._replace(is_sure=follows != "||"))
            is_asked = pipeline.is_negated or is_condition(pipeline.commands[0])
            place = place._replace(is_sometimes=place.is_sometimes or is_asked)

    def _of_pipeline(self, pipeline: Pipeline, here: _Shell, place: _Place) -> Iterator[CommandEvidence]:
        """What its first command says is for the others."""
        match pipeline.commands[0]:
            case Simple(text=text) as command if len(text) <= MAX_LINE_CHARACTERS and not pipeline.is_negated:
                yield from self._of_command(command, pipeline, here, place)
            case Group(body=body):
                yield from self._of_body(body, here, place)
            case Function(body=body):
                folder = here.directory
                yield from self._of_body(body, here, place)
                here.strayed |= here.directory != folder
                here.directory = folder  # what follows is behind the function, not behind its calls
            case Subshell(body=body):
                yield from self._of_body(body, here.within(), place)
            case If() as asked:
                yield from self._if_it_is_there(asked, here)
            case Unreadable(text=text, line=line):
                yield from _by_words(text, f"{self.path}:{line}", here)

    def _of_body(self, body: Body, here: _Shell, place: _Place) -> Iterator[CommandEvidence]:
        for each in body:
            yield from self.carried_out(each, here, place)

    def _if_it_is_there(self, asked: If, here: _Shell) -> Iterator[CommandEvidence]:
        """What pip installs where a file is there: whether a list of requirements is, is asked again where it is to be
        installed. Nothing else of a condition is known."""
        (condition, body), *_ = asked.branches
        if len(condition) == 1 and _IF_THERE.fullmatch(condition[0].text):
            for each in body:
                found = self.carried_out(each, here.within(), _ALWAYS_DONE._replace(is_sometimes=True))
                yield from (command for command in found if command.is_install and command.name == "pip")

    def _of_command(
        self, command: Simple, pipeline: Pipeline, here: _Shell, place: _Place
    ) -> Iterator[CommandEvidence]:
        self.read += 1
        command = replace(command, words=_without_itself(command.words))
        source = f"{self.path}:{command.line}"
        argv = words_in(command.words, here.assigned)
        own = {each.name: value_of(each.value, here.assigned) for each in command.assignments}
        is_alone = not (command.redirections or pipeline.commands[1:])
        if self.read > MOST_PARTS or here.changed_by(command, argv, place) or here.directory is None:
            return
        if argv is None or not (is_alone and place.is_sure) or None in own.values():
            yield from _in_part(command, here, place, source)
        elif argv and argv[0] not in _NO_COMMAND:
            known = {name: value for name, value in own.items() if value is not None}
            set_for_it = tuple((here.exported | known | dict(taken_apart(argv)[0])).items())
            yield CommandEvidence(argv, here.directory, set_for_it, source, is_beside=place.is_beside)


def _without_itself(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Without a variable in front of a program that is told to be what it is: ``sudo -E env "PATH=$PATH" pytest``."""
    front = tuple(takewhile(lambda word: _IN_FRONT.fullmatch(word.text), words))
    return (*(word for word in front if not _ITSELF.fullmatch(word.text)), *words[len(front) :])


def _by_words(text: str, source: str, here: _Shell) -> Iterator[CommandEvidence]:
    """What is no shell may be for another one (``npm test -- (a b)``); a word on its own (``fi``) is nothing."""
    if here.directory is None or len(text) > MAX_LINE_CHARACTERS or _FOR_A_SHELL.search(text):
        return
    try:
        words = tuple(shlex.split(text, comments=True))
    except ValueError:
        return
    if len(words) > 1:
        yield CommandEvidence(words, here.directory, tuple(here.exported.items()), source)


def _in_part(command: Simple, here: _Shell, place: _Place, source: str) -> Iterator[CommandEvidence]:
    """A command that tests, or starts a server or a script, with `NOT_KNOWN` for each word that it takes a shell or a
    run to know; and a make, without the variables that it takes one to know: they tell of the CI's machine."""
    argv = words_in_part(command.words, here.assigned)
    own = {each.name: in_part(each.value, here.assigned) for each in command.assignments if each.value}
    known = tuple((name, value) for name, value in (here.exported | own).items() if NOT_KNOWN not in value)
    found = CommandEvidence(argv, here.directory or "", known, source, in_part=True, is_beside=place.is_beside)
    if not argv or NOT_KNOWN in argv[0]:
        return
    if found.is_build:
        kept = tuple(word for word in argv if NOT_KNOWN not in word or not ASSIGNMENT.fullmatch(word))
        if found.name in MAKES and not command.assignments and NOT_KNOWN not in "".join(kept):
            yield CommandEvidence(kept, found.directory, known, source)
        return
    if found.is_test or found.name in _STARTERS | SHELLS or argv[0].endswith(".sh"):
        yield found
