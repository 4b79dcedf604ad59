"""lab, the runner of hapi's family, with a reporter of our own (https://hapi.dev/module/lab/api/). It does not tell the
file of a test: ids have none.

Coverage, lint and leaks of global variables decide nothing: lab's list of the globals that belong to Node ends with
the Node of its day.
"""

import re
from collections.abc import Iterable, Iterator

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import ScriptCommand, parted
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted, name_pattern

_BUNDLE = re.compile(r"-[bcCdfklLsSvY]+[A-Za-z]")
_WITH_VALUE = frozenset((
    "-a", "--assert", "-e", "--environment", "-g", "--grep", "-i", "--id", "-I", "--ignore", "-m", "--timeout",
    "-M", "--context-timeout", "-n", "--linter", "-o", "--output", "-p", "--default-plan-threshold",
    "-P", "--pattern", "-Q", "--require", "-r", "--reporter", "-R", "--retries", "--seed", "-t", "--threshold",
    "-T", "--transform", "--types-test", "--lint-errors-threshold", "--lint-warnings-threshold",
    "--lint-options", "--coverage-exclude", "--coverage-path", "--coverage-pattern", "--inspect",
))  # fmt: skip
_NOT_OURS = frozenset((
    "-r", "--reporter", "-o", "--output", "-t", "--threshold", "-c", "--coverage", "--coverage-all",
    "--coverage-exclude", "--coverage-path", "--coverage-pattern", "-L", "--lint", "--lint-errors-threshold",
    "--lint-warnings-threshold", "--lint-options", "-Y", "--types", "--types-test", "-b", "--bail", "-l",
    "--leaks", "-v", "--verbose", "-C", "--colors",
))  # fmt: skip


class LabRunner(JavaScriptRunner):
    name = "lab"

    def starts(self, script: ScriptCommand) -> bool:
        return script.program == "lab"

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        options, operands = parted(tuple(_taken_apart(script.words[1:])), _NOT_OURS, _WITH_VALUE)
        ours = ["-l", "-r", reporter_path(self.name)]
        if wanted.names:
            ours += ["-g", name_pattern(wanted.names)]
        words = ("lab", *options, *ours, *(wanted.places or operands))
        return self.reporting(script, words, wanted, instead_of=operands)


def _taken_apart(words: Iterable[str]) -> Iterator[str]:
    """``-vcL`` is three options."""
    for word in words:
        yield from (f"-{letter}" for letter in word[1:]) if _BUNDLE.fullmatch(word) else (word,)
