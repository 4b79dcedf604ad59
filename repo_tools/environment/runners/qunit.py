"""QUnit's own command line, with a reporter of our own (https://qunitjs.com/cli/)."""

import re
from dataclasses import replace

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import split_operands, taken_apart, without_options
from repo_tools.environment.runners.javascript_launch import launched, reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import (
    narrowed,
    pattern_of,
    wanted_of,
)

_WITH_VALUE = frozenset(("--filter", "--module", "-m", "--reporter", "--require", "--seed"))
_NOT_OURS = frozenset(("--reporter", "--filter", "--module", "-m", "--watch", "-w"))


class QUnitRunner(JavaScriptRunner):
    name = "qunit"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return taken_apart(argv).program == "qunit"

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        script = taken_apart(command.argv)
        wanted = wanted_of(selectors, command.directory)
        options, operands = split_operands(without_options(script.words[1:], _NOT_OURS, _WITH_VALUE), _WITH_VALUE)
        ours = ["--reporter", reporter_path(self.name)]
        if wanted.names:
            ours += ["--filter", f"/{'|'.join(map(_pattern, wanted.names))}/"]
        named = tuple(path for path in wanted.paths if path != ".")
        variables = {**script.variables, **narrowed(wanted)}
        words = ("qunit", *options, *ours, *(named or operands))
        return launched(replace(script, words=words, variables=variables), reporter=self.name)


def _pattern(name: str) -> str:
    """QUnit knows a test as ``suite > suite: test``."""
    return "^(?:: )?" + re.sub(r"\\s\+\(\?:>\\s\+\)\?", lambda _: r"(?:\s+>|:)\s+", pattern_of(name))
