"""jasmine, with a reporter of our own (https://jasmine.github.io/setup/nodejs.html). Only its later releases tell the
file of a test: ids of the others have none."""

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import ScriptCommand, parted, start_of
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_program import launched_in_program
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted, name_pattern

_NOT_OURS = frozenset(
    ("--reporter", "--color", "--no-color", "--fail-fast", "--stop-on-failure", "--parallel", "--verbose", "--filter")
)
_COMMANDS = (("init",), ("examples",), ("help",), ("version",))


class JasmineRunner(JavaScriptRunner):
    name = "jasmine"

    def starts(self, script: ScriptCommand) -> bool:
        words = script.words
        start = len(start_of(words, "jasmine"))
        return bool(start) and words[start : start + 1] not in _COMMANDS

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        start = start_of(script.words, "jasmine")
        if not start:
            return launched_in_program(script, wanted, reporter=self.name)
        options, operands = parted(script.words[len(start) :], _NOT_OURS, frozenset())  # each has its value after ``=``
        ours = [f"--reporter={reporter_path(self.name)}"]
        if wanted.names:
            ours.append(f"--filter={name_pattern(wanted.names)}")
        words = (*start, *options, *ours, *(wanted.places or operands))
        return self.reporting(script, words, wanted, instead_of=operands)
