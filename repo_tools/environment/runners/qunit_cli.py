"""QUnit's first release in node, as two programs of others start it, by a program of our own
(https://github.com/devongovett/qunit-cli, https://www.npmjs.com/package/qunit/v/0.9.1)."""

from dataclasses import replace

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import split_operands, start_of, taken_apart
from repo_tools.environment.runners.javascript_launch import launched, reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import name_pattern, narrowed, wanted_of

_PROGRAM = "qunit-cli"
_OF_THEN = "qunit"
_WITH_VALUE = frozenset(("-c", "--code", "-m", "--module", "-t", "--test"))
_TESTS = frozenset(("-t", "--tests"))
"""Which QUnit's own command line, of a later release, does not know."""


class QUnitCliRunner(JavaScriptRunner):
    name = "qunit_cli"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return bool(_start(taken_apart(argv).words))

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        script = taken_apart(command.argv)
        wanted = wanted_of(selectors, command.directory)
        start = _start(script.words)
        own = script.words[len(start) :]
        is_of_then = not start_of(script.words, _PROGRAM)
        options, operands = _without_tests(own) if is_of_then else split_operands(own, _WITH_VALUE)
        files = wanted.places or operands
        told = (*options, "--tests", *files) if is_of_then else (*options, *files)
        program = _OF_THEN if is_of_then else _PROGRAM
        asked = {"AGENT_FIX_PATTERN": name_pattern(wanted.names)} if wanted.names else {}
        variables = {**script.variables, **narrowed(wanted), **asked}
        words = ("node", *start[1:-1], reporter_path(self.name), program, *told)
        launch = replace(script, words=words, variables=variables)
        return launched(launch, reporter=self.name, expand=True, instead_of=operands)


def _start(words: tuple[str, ...]) -> tuple[str, ...]:
    """What starts either program; empty where something else is started."""
    of_then = () if _TESTS.isdisjoint(words) else start_of(words, _OF_THEN)
    return start_of(words, _PROGRAM) or of_then


def _without_tests(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(all but the tests, the tests): here an option takes every word up to the next one."""
    rest, tests, last = list[str](), list[str](), ""
    for word in words:
        last = word if word.startswith("-") else last
        if last not in _TESTS:
            rest.append(word)
        elif word != last:
            tests.append(word)
    return tuple(rest), tuple(tests)
