"""nodeunit, with a reporter of our own (https://github.com/caolan/nodeunit#command-line-options)."""

from dataclasses import replace

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import split_operands, taken_apart, without_options
from repo_tools.environment.runners.javascript_launch import launched, reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import wanted_of

_WITH_VALUE = frozenset(("--config", "--reporter", "--output", "-t", "-f"))
_NOT_OURS = frozenset(("--reporter", "--output"))


class NodeunitRunner(JavaScriptRunner):
    name = "nodeunit"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return taken_apart(argv).program == self.name

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        """A test's name narrows the run to its file: nodeunit takes one name at most."""
        script = taken_apart(command.argv)
        own = without_options(script.words[1:], _NOT_OURS, _WITH_VALUE)
        options, operands = split_operands(own, _WITH_VALUE)
        places = wanted_of(selectors, command.directory).places
        words = (self.name, *options, "--reporter", reporter_path(self.name), *(places or operands))
        return launched(replace(script, words=words), reporter=self.name, expand=True, instead_of=operands)
