"""vitest, with a reporter of our own (https://vitest.dev/guide/cli), by itself or as Angular's program starts it
(https://angular.dev/cli/test)."""

from dataclasses import replace

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import (
    ScriptCommand,
    parted,
    split_operands,
    start_of,
    without_options,
)
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted, name_pattern

_WITH_VALUE = frozenset((
    "-r", "--root", "-c", "--config", "-t", "--testNamePattern", "--dir", "--environment", "--pool", "--project",
    "--reporter", "--outputFile", "--mode", "--workspace", "--shard", "--testTimeout", "--maxWorkers",
))  # fmt: skip
_NOT_OURS = frozenset((
    "-w", "--watch", "--coverage", "--reporter", "--outputFile", "-u", "--update", "--ui", "--bail", "--run",
    "--coverage.enabled", "--coverage.reporter", "--coverage.provider", "--color", "--open", "--silent",
))  # fmt: skip
_COMMANDS = frozenset(("run", "watch", "dev", "related"))
BY_ANGULAR = ("ng", "test")
_NOT_FOR_ANGULAR = frozenset((
    "--watch", "--no-watch", "--reporters", "--output-file", "--coverage", "--no-coverage", "--code-coverage",
    "--no-code-coverage", "--include", "--filter", "--list-tests", "--debug",
))  # fmt: skip
_WITH_VALUE_FOR_ANGULAR = frozenset(("--reporters", "--output-file", "--include", "--filter"))
_NO_TESTS = (("bench",), ("typecheck",), ("list",))


class VitestRunner(JavaScriptRunner):
    name = "vitest"

    def starts(self, script: ScriptCommand) -> bool:
        words = script.words
        start = len(start_of(words, self.name))
        return bool(start) and split_operands(words[start:], _WITH_VALUE)[1][:1] not in _NO_TESTS

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        if script.words[:2] == BY_ANGULAR:
            told = replace(script, variables={**script.variables, "NG_CLI_ANALYTICS": "false"})
            return self.reporting(told, _angulars_words(script.words, wanted), wanted)
        start = start_of(script.words, self.name)
        options, operands = parted(script.words[len(start) :], _NOT_OURS, _WITH_VALUE)
        operands = operands[1:] if _COMMANDS.intersection(operands[:1]) else operands
        # before 1.0 a value of `coverage.enabled`, whichever, asks for what measures it
        ours = [f"--reporter={reporter_path(self.name)}", "--reporter=default", "--no-coverage"]
        if wanted.names:
            ours.append(f"--testNamePattern={name_pattern(wanted.names)}")
        words = (*start, "run", *options, *ours, *(wanted.places or operands))
        return self.reporting(script, words, wanted, instead_of=operands)


def _angulars_words(words: tuple[str, ...], wanted: Wanted) -> tuple[str, ...]:
    own = without_options(words[2:], _NOT_FOR_ANGULAR, _WITH_VALUE_FOR_ANGULAR)
    ours = ["--watch=false", f"--reporters={reporter_path(VitestRunner.name)}", "--reporters=default"]
    ours += [f"--include={path}" for path in wanted.places]
    ours += [f"--filter={name_pattern(wanted.names)}"] if wanted.names else []
    return (*BY_ANGULAR, *own, *ours)
