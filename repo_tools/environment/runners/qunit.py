"""QUnit's own command line, with a reporter of our own (https://qunitjs.com/cli/)."""

import re

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import ScriptCommand, parted
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted, pattern_of

_WITH_VALUE = frozenset(("--filter", "--module", "-m", "--reporter", "--require", "--seed"))
_NOT_OURS = frozenset(("--reporter", "--filter", "--module", "-m", "--watch", "-w"))
_OF_THEN = frozenset(("-c", "--code", "-t", "--tests"))
"""What only the ``qunit`` of before release 2 takes, which has no reporters."""


class QUnitRunner(JavaScriptRunner):
    name = "qunit"

    def starts(self, script: ScriptCommand) -> bool:
        return script.program == "qunit" and _OF_THEN.isdisjoint(script.words)

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        options, operands = parted(script.words[1:], _NOT_OURS, _WITH_VALUE)
        ours = ["--reporter", reporter_path(self.name)]
        if wanted.names:
            ours += ["--filter", f"/{'|'.join(map(_pattern, wanted.names))}/"]
        words = ("qunit", *options, *ours, *(wanted.places or operands))
        return self.reporting(script, words, wanted, instead_of=operands)


def _pattern(name: str) -> str:
    """QUnit knows a test as ``suite > suite: test``."""
    return "^(?:: )?" + re.sub(r"\\s\+\(\?:>\\s\+\)\?", lambda _: r"(?:\s+>|:)\s+", pattern_of(name))
