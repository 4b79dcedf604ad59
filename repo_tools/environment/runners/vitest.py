"""vitest, with a reporter of our own (https://vitest.dev/guide/cli)."""

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import split_operands, start_of, taken_apart, without_options
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import name_pattern, wanted_of

_WITH_VALUE = frozenset(
    (
        *("-r", "--root", "-c", "--config", "-t", "--testNamePattern", "--dir", "--environment", "--pool", "--project"),
        *("--reporter", "--outputFile", "--mode", "--workspace", "--shard", "--testTimeout", "--maxWorkers"),
    )
)
_NOT_OURS = frozenset(
    (
        *("-w", "--watch", "--coverage", "--reporter", "--outputFile", "-u", "--update", "--ui", "--bail", "--run"),
        *("--coverage.enabled", "--coverage.reporter", "--coverage.provider", "--color", "--open", "--silent"),
    )
)
_COMMANDS = frozenset(("run", "watch", "dev", "related"))
_NO_TESTS = (("bench",), ("typecheck",), ("list",))


class VitestRunner(JavaScriptRunner):
    name = "vitest"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        words = taken_apart(argv).words
        start = len(start_of(words, self.name))
        return bool(start) and split_operands(words[start:], _WITH_VALUE)[1][:1] not in _NO_TESTS

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        script = taken_apart(command.argv)
        wanted = wanted_of(selectors, command.directory)
        start = start_of(script.words, self.name)
        own = without_options(script.words[len(start) :], _NOT_OURS, _WITH_VALUE)
        options, operands = split_operands(own, _WITH_VALUE)
        operands = operands[1:] if _COMMANDS.intersection(operands[:1]) else operands
        ours = [f"--reporter={reporter_path(self.name)}", "--reporter=default", "--coverage.enabled=false"]
        if wanted.names:
            ours.append(f"--testNamePattern={name_pattern(wanted.names)}")
        words = (*start, "run", *options, *ours, *(wanted.places or operands))
        return self.reporting(script, words, wanted, instead_of=operands)
