"""Django's own test command, however a maintainer starts it (``django-admin test``, ``python -m django test``,
``python tests/manage.py test``): it sets up what Django's tests need, as pytest does with a plug-in alone. Pure.

https://docs.djangoproject.com/en/stable/topics/testing/overview/#running-tests
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import replace
from posixpath import basename

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import NOT_KNOWN, CommandEvidence, commands_of
from repo_tools.environment.ci.programs import DJANGO, name_of
from repo_tools.environment.ci.scripts import expanding
from repo_tools.environment.ci.workflows import languages, read_workflows
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import ReadFile, TestCommand
from repo_tools.environment.python.syntax import parsed
from repo_tools.environment.python.test_programs import PROGRAMS

_PARALLEL = re.compile(r" --parallel(?:[= ](?:\d+|auto))?(?= |$)")
"""Its children would find out what nobody hears of."""
_RUN = ("run_tests", "call_command", "execute_from_command_line")
"""What hands over how many tests failed, or nothing."""


def django_in(source: str, line: str, tree: Tree, read: ReadFile) -> tuple[TestCommand, str] | None:
    """(how to run it, what says so), where a line of commands that stands in `source` starts it, or a Makefile's goal
    that the line starts."""
    written = (replace(command, source=source) for command in commands_of(line, "", source, 1))
    expand = expanding(tree, read)
    return _first((each for command in written for each in expand(command)), tree)


def django_of_ci(tree: Tree, read: ReadFile) -> tuple[TestCommand, str] | None:
    """The same of the likeliest of the CI's jobs that starts it, where none starts pytest or nose."""
    jobs = (job for job in read_workflows(tree, read) if languages(job) <= {"python"})
    tests = [command for job in jobs for command in job.tests]
    return None if any(name_of(command.program) in PROGRAMS for command in tests) else _first(tests, tree)


def _first(commands: Iterable[CommandEvidence], tree: Tree) -> tuple[TestCommand, str] | None:
    for command in (each for outer in commands for each in (outer, *outer.started)):
        if words := _words(command, tree):
            called = TestCommand("unittest", ("python", *words), command.directory, command.variables)
            return called, f"{command.source}: Django's own test command"
    return None


def _words(command: CommandEvidence, tree: Tree) -> tuple[str, ...]:
    """For the interpreter; none where it is another command, or one of which not all is known."""
    started, *rest = command.program or ("",)
    is_there = root_relative(started, command.directory) in tree
    if rest[:1] != ["test"] or any(NOT_KNOWN in word for word in rest):
        return ()
    words = _PARALLEL.sub("", " ".join(rest)).split()
    if basename(started) == "manage.py":
        return (started, *words) if is_there else ()
    return ("-m", "django", *words) if basename(started) in DJANGO else ()


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
