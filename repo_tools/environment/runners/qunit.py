"""QUnit's own command line, with a reporter of our own (https://qunitjs.com/cli/)."""

import re

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import split_operands, taken_apart, without_options
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import pattern_of, wanted_of

_WITH_VALUE = frozenset(("--filter", "--module", "-m", "--reporter", "--require", "--seed"))
_NOT_OURS = frozenset(("--reporter", "--filter", "--module", "-m", "--watch", "-w"))
_OF_THEN = frozenset(("-c", "--code", "-t", "--tests"))
"""What only the ``qunit`` of before release 2 takes, which has no reporters."""


class QUnitRunner(JavaScriptRunner):
    name = "qunit"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        script = taken_apart(argv)
        return script.program == "qunit" and _OF_THEN.isdisjoint(script.words)

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        script = taken_apart(command.argv)
        wanted = wanted_of(selectors, command.directory)
        options, operands = split_operands(without_options(script.words[1:], _NOT_OURS, _WITH_VALUE), _WITH_VALUE)
        ours = ["--reporter", reporter_path(self.name)]
        if wanted.names:
            ours += ["--filter", f"/{'|'.join(map(_pattern, wanted.names))}/"]
        words = ("qunit", *options, *ours, *(wanted.places or operands))
        return self.reporting(script, words, wanted, instead_of=operands)


def _pattern(name: str) -> str:
    """QUnit knows a test as ``suite > suite: test``."""
    return "^(?:: )?" + re.sub(r"\\s\+\(\?:>\\s\+\)\?", lambda _: r"(?:\s+>|:)\s+", pattern_of(name))
