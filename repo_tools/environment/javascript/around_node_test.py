"""borp, a program around Node's own test runner which reports as it likes, as what it starts. Pure.

https://github.com/mcollina/borp
"""

from dataclasses import replace

from repo_tools.environment.runners.javascript_command import ScriptCommand, split_operands

AROUND_NODE_TEST = "borp"

_BORP_WITH_VALUE = frozenset((
    "-p", "--pattern", "-c", "--concurrency", "-t", "--timeout", "-X", "--coverage-exclude", "-i", "--ignore",
    "-r", "--reporter", "--lines", "--branches", "--functions", "--statements", "--post-compile",
))  # fmt: skip


def as_node_test(command: ScriptCommand) -> ScriptCommand:
    """`command`, of this program, without what measures coverage."""
    options, operands = split_operands(command.words[1:], _BORP_WITH_VALUE)
    named = [options[i + 1] for i, word in enumerate(options[:-1]) if word in ("-p", "--pattern")]
    named += [option.partition("=")[2] for option in options if option.startswith("--pattern=")]
    kept = tuple(option for option in options if option in ("--expose-gc",))
    files = (*named, *operands) or ("test/**/*.test.{js,cjs,mjs}",)
    return replace(command, words=("node", *kept, "--test", *files))
