"""ava, started by a program of our own that hears its events (https://github.com/avajs/ava/tree/main/docs): one run of
all files, as its settings have it."""

from dataclasses import replace

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import ScriptCommand, parted
from repo_tools.environment.runners.javascript_launch import launched, reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted

_WITH_VALUE = frozenset(("-m", "--match", "-c", "--concurrency", "-T", "--timeout", "--node-arguments", "--config"))
_NOT_OURS = frozenset((
    "-w", "--watch", "-u", "--update-snapshots", "-v", "--verbose", "--fail-fast", "--tap", "-t", "--color",
    "--no-color", "--reset-cache", "--no-worker-threads-cache",
))  # fmt: skip
_COMMANDS = (("debug",), ("reset-cache",))


class AvaRunner(JavaScriptRunner):
    name = "ava"

    def starts(self, script: ScriptCommand) -> bool:
        return script.program == "ava" and script.words[1:2] not in _COMMANDS

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        """A test's name narrows the run to its file: a pattern of ava's own holds for all files, and fails where one
        has no such test."""
        options, operands = parted(script.words[1:], _NOT_OURS, _WITH_VALUE)
        words = ("node", reporter_path(self.name), "--no-fail-fast", *options, "--", *(wanted.places or operands))
        return launched(replace(script, words=words), reporter=self.name, expand=True, instead_of=operands)
