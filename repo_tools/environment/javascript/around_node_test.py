"""Programs around Node's own test runner, which report as they like, as what they start. Pure.

https://github.com/mcollina/borp, https://github.com/ai/better-node-test
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from repo_tools.environment.runners.javascript_command import ScriptCommand, split_operands


@dataclass(frozen=True)
class _Program:
    """`with_value`: options that a word of their own follows. `files`: what is run where none is named. `loader`: what
    it has compile TypeScript, where that is installed."""

    with_value: frozenset[str]
    files: str
    loader: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)


_PROGRAMS = {
    "borp": _Program(
        frozenset((
            "-p", "--pattern", "-c", "--concurrency", "-t", "--timeout", "-X", "--coverage-exclude", "-i", "--ignore",
            "-r", "--reporter", "--lines", "--branches", "--functions", "--statements", "--post-compile",
        )),
        files="test/**/*.test.{js,cjs,mjs}",
    ),
    "bnt": _Program(
        frozenset(("-t", "--coverage", "--coverage-include", "--coverage-exclude")),
        files="**/*.{test,spec}.{js,ts}",
        loader="tsx",
        variables={"NODE_ENV": "test"},
    ),
}  # fmt: skip
AROUND_NODE_TEST = frozenset(_PROGRAMS)


def as_node_test(command: ScriptCommand, installed: Collection[str]) -> ScriptCommand:
    """`command`, of one of these programs, without what measures coverage."""
    program = _PROGRAMS[command.program]
    options, operands = split_operands(command.words[1:], program.with_value)
    named = [options[i + 1] for i, word in enumerate(options[:-1]) if word in ("-p", "--pattern")]
    named += [option.partition("=")[2] for option in options if option.startswith("--pattern=")]
    kept = tuple(option for option in options if option in ("--expose-gc",))
    loader = ("--import", program.loader) if program.loader in installed else ()
    files = (*named, *operands) or (program.files,)
    variables = {**command.variables, **program.variables}
    return replace(command, words=("node", *kept, *loader, "--test", *files), variables=variables)
