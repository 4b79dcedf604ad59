"""Django's own test command, however a maintainer starts it (``django-admin test``, ``python -m django test``,
``python tests/manage.py test``): it sets up what Django's tests need, as pytest does with a plug-in alone. Pure.

https://docs.djangoproject.com/en/stable/topics/testing/overview/#running-tests
"""

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from posixpath import basename

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.ci.programs import DJANGO, name_of
from repo_tools.environment.ci.script_commands import commands_of
from repo_tools.environment.ci.script_words import NOT_KNOWN
from repo_tools.environment.ci.scripts import expanding
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile, TestCommand
from repo_tools.environment.python.syntax import parsed
from repo_tools.environment.python.test_programs import PROGRAMS
from repo_tools.environment.texts import text_at

_PARALLEL = re.compile(r" --parallel(?:[= ](?:\d+|auto))?(?= |$)")
"""Its children would find out what nobody hears of."""
_OTHER_RUN = re.compile(r"--(?:failfast|shuffle|reverse|pdb)(?:=.*)?|-[rx]")
"""What ends a run before its end, or gives it another order."""
_FLAG = re.compile(
    r"--(?:no-?input|keepdb|debug-(?:mode|sql)|buffer|timing|traceback|(?:no|force)-color|skip-checks|no-faulthandler"
    r"|enable-coverage|nologcapture|nocapture)|-[bds]+|-v\d"
)
"""Without a value: https://docs.djangoproject.com/en/stable/ref/django-admin/#test"""
_RUN = ("run_tests", "call_command", "execute_from_command_line")
"""What hands over how many tests failed, or nothing."""
_CHOICE, _SETTINGS = ("-k", "--tag"), "--settings"
_MOST_FILES = 400
_SOME_TESTS = re.compile(r"(?:.*\.)?[A-Z]\w*(?:\.\w+)?")
"""A class, or a method of one."""
_MAKEFILE, _GOAL = "Makefile", "make test"

_Found = tuple[TestCommand, str]
"""(how to run it, what says so)"""


def django_in(
    source: str, place: str, lines: str, tree: Tree, read: ReadFile, test_files: Sequence[str]
) -> _Found | None:
    """Where lines of commands that stand in `source`, and begin in `place`, start it, or a Makefile's goal that they
    start."""
    written = (replace(command, source=source) for command in commands_of(lines, place, source, 1))
    expand = expanding(tree, read)
    return _together([each for command in written for each in expand(command)], tree, read, test_files)


def django_of_make(tree: Tree, read: ReadFile, test_files: Sequence[str]) -> _Found | None:
    """The same of the goal that a Makefile in the root has for tests."""
    return django_in(_MAKEFILE, "", _GOAL, tree, read, test_files) if _MAKEFILE in tree else None


def django_of_ci(tree: Tree, read: ReadFile, test_files: Sequence[str], *, any_job: bool) -> _Found | None:
    """The same of the likeliest of the CI's jobs, or of `any_job` the likeliest that starts it, where none starts
    pytest or nose."""
    jobs = [job for job in read_workflows(tree, read) if job.languages <= {"python"}]
    if any(name_of(command.program) in PROGRAMS for job in jobs for command in job.tests):
        return None
    asked = jobs if any_job else jobs[:1]
    return next(filter(None, (_together(job.tests, tree, read, test_files) for job in asked)), None)


def _together(
    commands: Iterable[CommandEvidence], tree: Tree, read: ReadFile, test_files: Sequence[str]
) -> _Found | None:
    """All those of `commands` that start it as the first does, as one: with what all are told, and each part of the
    suite that one of them names, if every one names some, and these are most of it. None of single tests."""
    every = (each for outer in commands for each in (outer, *outer.started))
    told = [
        (command, *_apart(words, _as_written(command, tree, read)))
        for command in every
        if (words := _words(command, tree))
    ]
    if not told:
        return None
    first, own, _ = told[0]
    apart = [(options, each) for command, options, each in told if _start(command, options) == _start(first, own)]
    options = [option for option in own if all(option in others for others, _ in apart)]
    labels = list(dict.fromkeys(label for _, labels in apart for label in labels)) if all(n for _, n in apart) else []
    started = first.program[0]
    program = ("-m", "django") if basename(started) in DJANGO else (started,)
    named = labels if _are_most(labels, test_files[:_MOST_FILES]) else ()
    words = ("python", *program, "test", *(word for option in options for word in option), *named)
    return TestCommand(
        "unittest", words, first.directory, first.variables
    ), f"{first.source}: Django's own test command"


def _are_most(labels: Iterable[str], test_files: Sequence[str]) -> bool:
    """Whether they stand for half of the files, at least, by a module's name, an application's alone, or a path; or for
    none, so that it is not known what they mean."""
    written = (each.strip("./") if "/" in each else each.strip(".").replace(".", "/") for each in labels)
    places = [f"/{each}/" if each else "/" for each in written]
    held = sum(any(place in f"/{path.removesuffix('.py')}/" for place in places) for path in test_files)
    return not held or 2 * held >= len(test_files)


def _start(command: CommandEvidence, options: Iterable[tuple[str, ...]]) -> tuple[object, ...]:
    """With other settings it is another suite."""
    return command.program[0], command.directory, [each for each in options if each[0].startswith(_SETTINGS)]


def _words(command: CommandEvidence, tree: Tree) -> tuple[str, ...]:
    """Those for its tests, from ``test`` on; none where it is another command, or one of which not all is known, or of
    single tests."""
    started, *rest = command.program or ("",)
    is_it = basename(started) in DJANGO or basename(started) == "manage.py"
    if not is_it or rest[:1] != ["test"] or any(NOT_KNOWN in word for word in rest):
        return ()
    words = tuple(_PARALLEL.sub("", " ".join(rest)).split())
    if any(_SOME_TESTS.fullmatch(label) and not _is_folder(label, tree) for label in _apart(words, "")[1]):
        return ()
    is_there = root_relative(started, command.directory) in tree or basename(started) in DJANGO
    return words if is_there else ()


def _is_folder(label: str, tree: Tree) -> bool:
    """Whether it is an application's, some of which are called like a class."""
    return any(f"/{label.replace('.', '/')}/" in f"/{path}" for path in tree)


def _apart(words: Sequence[str], written: str) -> tuple[list[tuple[str, ...]], list[str]]:
    """(options, each with its value; the parts of the suite that are named). A part that a matrix names, one job each,
    and the line as it is `written` does not, stands for the whole."""
    options: list[tuple[str, ...]] = []
    labels: list[str] = []
    waiting = list(words[:0:-1])
    while waiting:
        word = waiting.pop()
        if word == "--":
            continue
        if not word.startswith("-"):
            labels += [word] if not written or re.search(rf"(?<![\w.=]){re.escape(word)}(?![\w.])", written) else []
        elif _OTHER_RUN.fullmatch(word):
            waiting = waiting[:-1] if word == "--shuffle" and waiting and waiting[-1].isdecimal() else waiting
        else:
            is_whole = "=" in word or _FLAG.fullmatch(word) or not waiting or waiting[-1].startswith("-")
            options.append((word,) if is_whole else (word, waiting.pop()))
    return [option for option in options if not option[0].startswith(_CHOICE)], labels


def _as_written(command: CommandEvidence, tree: Tree, read: ReadFile) -> str:
    """The line that it stands in, where that takes something from elsewhere; empty where it takes nothing, or what
    stands where is not known."""
    path, _, number = command.source.rpartition(":")
    lines = text_at(path, tree, read).splitlines() if re.fullmatch(r"[1-9]\d{0,5}", number) else []
    line = next(iter(lines[int(number) - 1 :][:1]), "") if lines else ""
    return line if "$" in line else ""


def runs_django(text: bytes, function: str) -> bool:
    """Whether a module's function, called as it is, runs Django's tests, and then ends the process or hands a suite
    over: unittest takes nothing else for a test. One that reads words of its own from ``sys.argv`` would find the name
    there by which it is called, and so call itself."""
    module = parsed(text) if b"django" in text else None
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)] if module else []
    called = next((each for each in functions if each.name == function), None)
    if called is None or _has_to_be_told(called.args):
        return False
    nodes = [node for each in functions for node in ast.walk(each)]
    contexts = {type(n.ctx) for n in nodes if isinstance(n, ast.Attribute) and n.attr == "argv"}
    if contexts and ast.Store not in contexts:
        return False
    names = {getattr(node, "attr", "") or getattr(node, "id", "") for node in nodes}
    if not names.isdisjoint(("exit", "SystemExit")):
        return True
    return names.isdisjoint(_RUN) and any(isinstance(node, ast.Return) and node.value for node in ast.walk(called))


def _has_to_be_told(arguments: ast.arguments) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    return positional > len(arguments.defaults) or None in arguments.kw_defaults
