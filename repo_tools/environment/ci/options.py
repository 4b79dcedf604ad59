"""What a workflow's own test commands say besides what is tested: features of Rust, tags of Go, profiles of Maven and
plug-ins that it skips, tests that CTest leaves out. Without them other code is compiled than the one that is tested
there. Pure."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.option_rules import EXCLUDED, PROGRAMS, RULES, Rule
from repo_tools.environment.ci.script_words import NOT_KNOWN
from repo_tools.environment.contract import Environment, SetupCommand, TestCommand
from repo_tools.environment.go import GO_TEST, compiled_with
from repo_tools.environment.java import KEPT_BY_MAVEN
from repo_tools.environment.rust import COMPILE

_MOST_CHARACTERS = 1_000
_READ_IN_PART = frozenset(("go", "maven"))
"""Whose words that nobody knows may be names of packages, or what only a release is told."""


def with_options(environment: Environment, found: Iterable[WorkflowEvidence]) -> Environment:
    """`environment` with the options that the first of these jobs that runs the same tests has for them; where one of
    its commands has none, none are needed."""
    language = environment.family
    rule = RULES.get(language)
    known = tuple(found) if rule else ()
    tests = []
    for_setup: dict[str, tuple[str, ...]] = {}  # folder -> the options of its tests
    told: dict[str, None] = {}
    left_out: dict[str, None] = {}
    for command in environment.tests:
        source, words, why = _found(command, known, language, rule) if rule else ("", (), "")
        words = tuple(word for word in words if "--workspace" in command.argv or not word.startswith(EXCLUDED))
        tests.append(replace(command, argv=_added(command.argv, words)))
        for_setup[command.directory] = for_setup.get(command.directory) or words
        told |= {f"{source}: {' '.join(words)}": None} if words else {}
        left_out |= {why: None} if why else {}
    setup = (_compiled(step, for_setup.get(step.directory, ())) for step in environment.setup)
    return replace(
        environment,
        tests=tuple(tests),
        setup=tuple(setup),
        evidence=(*environment.evidence, *told),
        left_out=(*environment.left_out, *left_out),
    )


def _found(
    command: TestCommand, known: tuple[WorkflowEvidence, ...], language: str, rule: Rule
) -> tuple[str, tuple[str, ...], str]:
    for evidence in known:
        if (options := rule(list(_same(command, evidence, language)))) is not None:
            return evidence.source, *options
    return "", (), ""


def _same(command: TestCommand, evidence: WorkflowEvidence, language: str) -> Iterator[tuple[str, ...]]:
    """The words behind the program of the job's commands in the same folder, and of those that they start."""
    for found in chain.from_iterable((test, *test.started) for test in evidence.tests):
        words = found.program
        where = language == "cmake" or found.directory == command.directory
        known = language in _READ_IN_PART or NOT_KNOWN not in " ".join(words)
        known &= sum(map(len, words)) <= _MOST_CHARACTERS
        if known and where and (own := PROGRAMS[language](words)) is not None:
            yield own


def _added(argv: tuple[str, ...], options: tuple[str, ...]) -> tuple[str, ...]:
    """Behind the name of what is done: ``go test -short ./...``."""
    return (*argv[:2], *options, *argv[2:]) if argv[:2] == GO_TEST else (*argv, *options)


def _compiled(step: SetupCommand, options: tuple[str, ...]) -> SetupCommand:
    """A command of set-up, with the same where it compiles the tests."""
    is_whole = set(COMPILE) <= set(step.argv) or KEPT_BY_MAVEN in step.argv
    argv = (*step.argv, *options) if is_whole else compiled_with(step.argv, options)
    typed = shlex.join((*shlex.split(step.typed), *options)) if is_whole and step.typed else step.typed
    return replace(step, argv=argv, typed=typed)
