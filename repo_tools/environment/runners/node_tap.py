"""node-tap's own command line (https://node-tap.org/cli/): one run of all files, each a subtest of what it prints.

It knows the project's settings, loads TypeScript and starts what belongs before the files; older suites of plain
JavaScript need none of that, and are heard file by file (`tap`).
"""

import json
from dataclasses import replace
from posixpath import join, normpath

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import Account, IsFile, Reading, RunOrder
from repo_tools.environment.runners.javascript_account import failed_build, numbered, problem_of
from repo_tools.environment.runners.javascript_command import ScriptCommand, parted
from repo_tools.environment.runners.javascript_launch import launched_as_one
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted
from repo_tools.environment.runners.tap import exit_code_of, read_file
from repo_tools.environment.runners.tap_files import FileRun, split_files

NEW_NODE_TAP = 18
"""The first release whose command line is another."""
UNMEASURED = ("--disable-coverage", "--allow-empty-coverage")
UNMEASURED_BEFORE_18 = ("--no-coverage", "--no-check-coverage")

_WITH_VALUE = frozenset((
    "-R", "--reporter", "-t", "--timeout", "-j", "--jobs", "-a", "--allow", "-r", "-T", "-o", "-d", "--test-arg",
    "--node-arg", "--test-env", "--output-file", "--output-dir", "--before", "--after", "--changed", "--include",
    "--exclude", "--reporter-arg", "--reporter-file",
))  # fmt: skip
_NOT_OURS = frozenset(("-R", "--reporter", "-r", "--reporter-arg", "-w", "--watch", "-o", "--output-file", "-b"))
_COVERAGE = ("--100", "--cov", "--no-cov", "--check-coverage", "--no-check-coverage", "--show-full-coverage", "--bail")


class NodeTapRunner(JavaScriptRunner):
    name = "node_tap"

    def starts(self, script: ScriptCommand) -> bool:
        """Only where no coverage is measured: too little of it would count as a failure."""
        return script.program == "tap" and bool({UNMEASURED[0], UNMEASURED_BEFORE_18[0]}.intersection(script.words))

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        """A test's name narrows the run to its file."""
        options, operands = parted(script.words[1:], _NOT_OURS, _WITH_VALUE)
        paths = wanted.places or operands
        return launched_as_one(replace(script, words=("tap", "--reporter=tap", *options, *paths)), operands)

    def read(self, account: Account, command: TestCommand, is_file: IsFile) -> Reading:
        if problem := failed_build(account):
            return Reading((), problem)
        try:
            run = FileRun(**json.loads(account.results))
            text, cut = str(run.text), not run.whole
        except (ValueError, TypeError, RecursionError):
            return Reading((), f"The test runner died, or never began. (exit code {account.exit_code}, no results)")
        runs, unfinished = split_files(text, account.exit_code)
        placed = (replace(each, path=normpath(join(command.directory, each.path))) for each in runs)
        cases = numbered(case for each in placed for case in read_file(each))
        if cut:
            return Reading(cases, "The test runner's output is too long to be read.")
        return Reading(cases, unfinished or problem_of(exit_code_of(account, cases), cases))


def unmeasured(words: tuple[str, ...], release: int | None) -> tuple[str, ...]:
    """node-tap's `words` as they have to be for a run without coverage by `release` (None: a new one)."""
    start = 2 if words[1:2] == ("run",) else 1
    kept = (word for word in words[start:] if not word.startswith(_COVERAGE))
    old = release is not None and release < NEW_NODE_TAP
    return ("tap", *(UNMEASURED_BEFORE_18 if old else UNMEASURED), *kept)
