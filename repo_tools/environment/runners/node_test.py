"""Node's own test runner (https://nodejs.org/api/test.html), from release 18 on, with a reporter of our own."""

import re

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_account import SEPARATOR
from repo_tools.environment.runners.javascript_command import ScriptCommand, parted, split_operands
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted, pattern_of

NODE_WITH_VALUE = frozenset((
    "-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file",
    "--test-reporter", "--test-reporter-destination", "--test-name-pattern", "--test-skip-pattern",
    "--test-concurrency", "--test-timeout", "--test-shard", "-e", "--eval", "-p", "--print",
    "--test-coverage-include", "--test-coverage-exclude", "--test-coverage-lines", "--test-coverage-branches",
    "--test-coverage-functions", "--stack-trace-limit", "--max-old-space-size", "--disable-warning",
))  # fmt: skip
_PROGRAM = re.compile(r".*\.[cm]?[jt]sx?")
_NOT_OURS = frozenset((
    "--test-reporter", "--test-reporter-destination", "--watch", "--experimental-test-coverage",
    "--test-coverage-include", "--test-coverage-exclude", "--test-coverage-lines", "--test-coverage-branches",
    "--test-coverage-functions", "--test-update-snapshots", "--inspect",
))  # fmt: skip


class NodeTestRunner(JavaScriptRunner):
    name = "node_test"

    def starts(self, script: ScriptCommand) -> bool:
        program, *words = script.words or ("",)
        own = tuple(words[: words.index("--test")]) if "--test" in words else None
        return program in ("node", "tsx") and own is not None and not _starts_a_file(own)

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        """Its runner, or a file that is started without it: both take the same reporter."""
        options, operands = parted(script.words[1:], _NOT_OURS, NODE_WITH_VALUE)
        ours = ["--test-reporter=spec", "--test-reporter-destination=stdout"]  # for whoever reads the output
        ours += [f"--test-reporter={reporter_path(self.name)}", "--test-reporter-destination=stderr"]
        ours += [f"--test-name-pattern=/^{pattern_of(part)}$/" for part in _parts(wanted.names)]
        words = (script.program, *options, *ours, *(wanted.places or operands))
        return self.reporting(script, words, wanted, instead_of=operands, expand=True)


def _starts_a_file(words: tuple[str, ...]) -> bool:
    """Whether these words of node's name a program, whose own is what comes after them."""
    return any(map(_PROGRAM.fullmatch, split_operands(words, NODE_WITH_VALUE)[1]))


def _parts(names: tuple[str, ...]) -> tuple[str, ...]:
    """A pattern is matched with each test's own name, and a test runs only if those around it do: its own name, and
    that of the outermost, which brings others with it."""
    cut = [name.split(SEPARATOR) for name in names]
    return tuple(dict.fromkeys(part for parts in cut for part in (parts[0], parts[-1])))
