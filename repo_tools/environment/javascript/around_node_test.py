"""Programs around Node's own test runner, which report as they like, as what they start. Pure.

borp: https://github.com/mcollina/borp; bnt: https://github.com/ai/better-node-test
"""

import re
from dataclasses import replace

from repo_tools.changes import Tree
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.runners.javascript_command import ScriptCommand, split_operands

AROUND_NODE_TEST = ("borp", "bnt")

_BORP_WITH_VALUE = frozenset((
    "-p", "--pattern", "-c", "--concurrency", "-t", "--timeout", "-X", "--coverage-exclude", "-i", "--ignore",
    "-r", "--reporter", "--lines", "--branches", "--functions", "--statements", "--post-compile",
))  # fmt: skip
_BNT_WITH_VALUE = frozenset(("-t", "--coverage", "--coverage-include", "--coverage-exclude"))
_BNT_FILES = "**/*.{test,spec}.{js,ts}"
_IN_TYPESCRIPT = re.compile(r".*\.(?:test|spec)\.ts")


def as_node_test(command: ScriptCommand, package: Package, tree: Tree) -> ScriptCommand:
    """`command`, of one of these programs, without what measures coverage."""
    if command.program == "borp":
        return replace(command, words=_of_borp(command.words[1:]))
    words = _of_bnt(command.words[1:], package, tree)
    return replace(command, words=words, variables={**command.variables, "NODE_ENV": "test"})


def _of_borp(words: tuple[str, ...]) -> tuple[str, ...]:
    options, operands = split_operands(words, _BORP_WITH_VALUE)
    named = [options[i + 1] for i, word in enumerate(options[:-1]) if word in ("-p", "--pattern")]
    named += [option.partition("=")[2] for option in options if option.startswith("--pattern=")]
    kept = tuple(option for option in options if option in ("--expose-gc",))
    return ("node", *kept, "--test", *((*named, *operands) or ("test/**/*.test.{js,cjs,mjs}",)))


def _of_bnt(words: tuple[str, ...], package: Package, tree: Tree) -> tuple[str, ...]:
    """Releases of Node that do not know TypeScript get the loader that it looks for."""
    options, operands = split_operands(words, _BNT_WITH_VALUE)
    named = (f"--test-name-pattern={options[i + 1]}" for i, word in enumerate(options[:-1]) if word == "-t")
    files = operands or tuple(
        path for path in tree if path.startswith(package.start) and _IN_TYPESCRIPT.fullmatch(path)
    )
    typed = "tsx" in package.dependencies and any(path.endswith(".ts") for path in files)
    return ("node", *(("--import", "tsx") if typed else ()), "--test", *named, *(operands or (_BNT_FILES,)))
