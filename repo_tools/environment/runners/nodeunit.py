"""nodeunit, with a reporter of our own (https://github.com/caolan/nodeunit#command-line-options)."""

from dataclasses import replace

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import ScriptCommand, parted
from repo_tools.environment.runners.javascript_launch import launched, reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted

_WITH_VALUE = frozenset(("--config", "--reporter", "--output", "-t", "-f"))
_NOT_OURS = frozenset(("--reporter", "--output"))


class NodeunitRunner(JavaScriptRunner):
    name = "nodeunit"

    def starts(self, script: ScriptCommand) -> bool:
        return script.program == self.name

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        """A test's name narrows the run to its file: nodeunit takes one name at most."""
        options, operands = parted(script.words[1:], _NOT_OURS, _WITH_VALUE)
        words = (self.name, *options, "--reporter", reporter_path(self.name), *(wanted.places or operands))
        return launched(replace(script, words=words), reporter=self.name, expand=True, instead_of=operands)
