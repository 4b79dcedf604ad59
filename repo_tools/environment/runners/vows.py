"""vows, or a file of its tests, started by a program of our own that hears its suites (http://vowsjs.org)."""

import json

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_account import unnumbered
from repo_tools.environment.runners.javascript_command import (
    ScriptCommand,
    program_of,
    split_operands,
    start_of,
    without_options,
)
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted

_NOT_OURS = frozenset(("-i", "--isolate", "-w", "--watch", "--shuffle"))
"""With the first, a process of vows for each file, which would be heard no more."""
_WITH_VALUE = frozenset(("-m", "-r"))


class VowsRunner(JavaScriptRunner):
    name = "vows"

    def starts(self, script: ScriptCommand) -> bool:
        return bool(start_of(script.words, self.name))

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        start = start_of(script.words, self.name)
        node, own = (start[:-1], script.words[len(start) :]) if start else program_of(script.words)
        ours = {"places": wanted.places, "names": [*map(unnumbered, wanted.names)], "file": not start}
        options, files = split_operands(without_options(own, _NOT_OURS, frozenset()), _WITH_VALUE)
        words = (*(node or ("node",)), reporter_path(self.name), json.dumps(ours))
        told = (*files, *options) if start else own  # what a file is told is its own
        return self.reporting(script, (*words, *told), wanted, expand=True)
