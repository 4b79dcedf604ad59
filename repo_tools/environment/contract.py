"""The values that detection gives and set-up uses."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from repo_tools.changes import Tree
from repo_tools.errors import RepoError
from repo_tools.sandbox.contract import ENVIRONMENT, Layer
from repo_tools.sandbox.service import Service as Service  # noqa: PLC0414 - a part of this contract

NOTE = "note of set-up: "
"""Begins a line of a set-up command's output that belongs to the evidence."""
AND_RUN = ' && exec "$@"'
"""Ends a shell's text that has the words behind it run last."""
PROGRAMS = f"{ENVIRONMENT}/venv/bin:{ENVIRONMENT}/bin"
"""Where what set-up installed is looked up, before the image's own."""
ACTIVATE = ("/bin/sh", "-c", f'PATH={PROGRAMS}:$PATH exec "$@"', "sh")
"""Puts the environment's programs first, whatever the box's own PATH is."""
BUILT = "AGENT_FIX_BUILT"
"""A variable of test commands: a place, another one in each run, where they note what they have built for the run's
other commands too."""
SCRATCH = f"{ENVIRONMENT}/scratch"
"""Home and temporary folder of set-up: caches and builds need more room than a box's own /tmp has. It is not kept."""
UV = f"{SCRATCH}/uv/bin/uv"
"""Where set-up has uv: this worker's own, or what its commands fetch."""
MAX_WORD_CHARACTERS = 400


@dataclass(frozen=True)
class SetupCommand:
    """One command of the set-up phase, in `directory` (root-relative; empty: the root). `required` False: a failure is
    reported, not fatal (an optional extra); `spare`: nor is that it ran out of its share of the time. `otherwise` is
    run in its place where it fails (all at once, or else one by one); it fails where they do. `typed` is what a person
    would type for it, or else what it does, where `argv` is a program of many lines."""

    argv: tuple[str, ...]
    required: bool = True
    directory: str = ""
    otherwise: tuple["SetupCommand", ...] = ()
    spare: bool = False
    typed: str = field(default="", compare=False)

    def __str__(self) -> str:
        typed = _cut(self.typed) or typed_for(tuple(map(_cut, self.argv)))
        return f"cd {shlex.quote(self.directory)} && {typed}" if self.directory else typed


@dataclass(frozen=True)
class TestCommand:
    """How one suite is run: by the runner of this name (`repo_tools.environment.runners.RUNNERS`), in `directory`
    (root-relative; empty: the root), with `variables` (name and value) of its own. `argv` is without selectors and
    without where results go; `typed` is what a person would type for it, where that is less. `own_options`: of
    those that the repository's settings give its runner, what it takes without any plug-in. `builds`: what a person
    types before it, each with its folder; `argv` does it too, once in a run. `without`: tests, or files of tests, that
    are not run, because each ended the whole process, and in which words that is told."""

    __test__ = False

    runner: str
    argv: tuple[str, ...]
    directory: str = ""
    variables: tuple[tuple[str, str], ...] = ()
    typed: str = field(default="", compare=False)
    own_options: tuple[str, ...] = ()
    builds: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    without: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return self.shown()

    def shown(self, selectors: tuple[str, ...] = (), instead_of: tuple[str, ...] = ()) -> str:
        """What a person would type at the root, with these `selectors`, `instead_of` these words of it."""
        set_first = (f"{name}={shlex.quote(value)}" for name, value in self.variables)
        below = (selector.removeprefix(f"{self.directory}/") for selector in selectors)
        argv = _without(self.argv, instead_of) if selectors else self.argv
        typed = " ".join((*set_first, self.typed or typed_for(argv), *map(shlex.quote, below)))
        others = [(place, build) for place, build in self.builds if place != self.directory]
        earlier = [f"(cd {shlex.quote(place)} && {build})" if place else build for place, build in others]
        own = [build for place, build in self.builds if place == self.directory]
        goes = [f"cd {shlex.quote(self.directory)}"] if self.directory else []
        return " && ".join((*earlier, *goes, *own, typed))


def each_build_once(commands: Iterable[TestCommand]) -> Iterator[TestCommand]:
    """`commands` of one run, for a person: of their builds, those that none before has."""
    told: dict[tuple[str, str], None] = {}
    for command in commands:
        yield replace(command, builds=tuple(build for build in command.builds if build not in told))
        told.update(dict.fromkeys(command.builds))


def _without(argv: tuple[str, ...], operands: tuple[str, ...]) -> tuple[str, ...]:
    """Operands mostly stand last: of words that are alike, the last is one."""
    kept = list(reversed(argv))
    for operand in filter(kept.count, operands):
        kept.remove(operand)
    return tuple(reversed(kept))


def _cut(word: str) -> str:
    """A program among the words is not for reading."""
    shown = word.partition("\n")[0][:MAX_WORD_CHARACTERS] if len(word) > MAX_WORD_CHARACTERS else word
    return shown if shown == word else f"{shown}…"


def typed_for(argv: tuple[str, ...]) -> str:
    """What a person would type for a list of arguments: of a shell, its text."""
    if argv[:2] != ("sh", "-c") or len(argv) < 3:
        return shlex.join(argv)
    text, words = argv[2], argv[4:]
    if text.endswith(AND_RUN):
        return f"{text.removesuffix(AND_RUN)} && {shlex.join(words)}"
    return shlex.join(argv) if words else text


@dataclass(frozen=True)
class Tool:
    """A program that set-up or tests need from the image. `versions` as PEP 440 writes them (``>=18,<23``; empty: any),
    `source` where the repository asks for it. `preferred`: which of them to take where there is a choice. `line`: the
    name of a release line (`node_lines`) whose number depends on the commit's day. `newest`: the newest line that the
    project tests with, where it says no more than that."""

    program: str
    versions: str = ""
    source: str = ""
    preferred: str = ""
    line: str = ""
    newest: str = ""


@dataclass(frozen=True)
class Environment:
    """The plan for one repository at one commit.

    `evidence` says for a person what it was read from (``pyproject.toml [project.optional-dependencies] test``).
    `tests` holds at least one command; its suites together are the suite. `manifests` are the paths whose content
    decides the layer's key. `variables` hold in set-up and in work, `test_variables` in work alone. `before_tests` is
    done before each run of them, beside the services, which are fresh then; tests that do without are run all the same.
    """

    detector: str
    evidence: tuple[str, ...]
    setup: tuple[SetupCommand, ...]
    tests: tuple[TestCommand, ...]
    manifests: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    test_variables: Mapping[str, str] = field(default_factory=dict)
    test_paths: tuple[str, ...] = ()  # where the configured suite looks, if it says so, and the product is not
    test_file_patterns: tuple[str, ...] = ()  # how it names its test files, if it says so (``*_spec.py``)
    tools: tuple[Tool, ...] = ()
    before_tests: tuple[SetupCommand, ...] = ()
    services: tuple[Service, ...] = ()
    system_packages: tuple[str, ...] = ()  # that its CI installs with apt; a box has what its image has
    dated: bool = False  # whether uv installs what it needs, and can leave out what is newer than an old commit
    tests_declared: bool = False  # by the repository itself: each suite has to give a result
    left_out: tuple[str, ...] = ()  # of its tests, and why: parts of a sentence, for a person
    scope: tuple[str, ...] = ()  # the test files that stand for a suite that takes too long; empty: all of it

    @property
    def family(self) -> str:
        """Of the tools that it is set up with: its detector's name without the number (``python``)."""
        return self.detector.partition("/")[0]

    @property
    def shown_command(self) -> str:
        """Every test command, for a person."""
        return "; ".join(map(str, each_build_once(self.tests)))


class NoTestsError(RepoError):
    """No detector found tests, or none of what the issue is about. The text says what was looked for. `others`: the
    plan for the tests that there are."""

    def __init__(self, text: str, others: Environment | None = None) -> None:
        super().__init__(text)
        self.others = others


class SetupFailedError(RepoError):
    """A required set-up command failed. The first line names it and what it lacked; below stands its output's tail."""


ReadFile = Callable[[str], bytes]
"""Content of one path of the base commit. KeyError where it is not there."""


class Detector(Protocol):
    """Recognises one way of setting up and testing. Pure: looks at the tree and at manifests, runs nothing.

    `tree` is a project's own folder, taken as if it were the whole repository: `projects.rebased` moves the answer to
    where the project stands.
    """

    @property
    def name(self) -> str: ...

    @property
    def looked_for(self) -> str:
        """What it recognises, for a person."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Of its language's source files."""
        ...

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None: ...


@dataclass(frozen=True)
class PreparedEnvironment:
    """An environment and its layer: everything a fresh box needs besides the tree."""

    environment: Environment
    layer: Layer
    seconds: float  # what making it took; 0.0 when it was found
    refused_hosts: tuple[str, ...] = ()
    log: str = ""  # output of the set-up commands, cut
