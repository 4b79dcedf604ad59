"""How one file of a suite that prints TAP is run, and which files there are: tape, node-tap, ava, plain node. Pure."""

from repo_tools.environment.runners.javascript_command import split_operands
from repo_tools.environment.runners.node_test import NODE_WITH_VALUE

PROGRAMS = ("tape", "ava")
"""Programs that run such suites whatever their files hold."""

_TAPE_WITH_VALUE = frozenset(("-r", "--require", "-i", "--ignore", "--ignore-pattern", "--import"))
_NODE_TAP_WITH_VALUE = frozenset(("-R", "--reporter", "-t", "--timeout", "-j", "--jobs", "-c", "-a", "--allow"))
_NODE_TAP_FILES = (  # https://node-tap.org/config/#include
    "{test,tests,__tests__}/**/*.{js,cjs,mjs}",
    "**/*.{test,tests,spec}.{js,cjs,mjs}",
    "{test,tests}.{js,cjs,mjs}",
)
_AVA_WITH_VALUE = frozenset(("-m", "--match", "-c", "--concurrency", "-T", "--timeout", "--node-arguments", "--config"))
_AVA_NOT_OURS = frozenset(
    (
        *("-w", "--watch", "-u", "--update-snapshots", "-v", "--verbose", "--fail-fast", "--tap", "-t", "--color"),
        *("--no-color", "--reset-cache", "--no-worker-threads-cache"),
    )
)
_AVA_FILES = (  # https://github.com/avajs/ava/blob/main/docs/05-command-line.md
    "{.,src,source}/test.{js,cjs,mjs,ts}",
    "**/{test,tests,__tests__}/**/*.{js,cjs,mjs,ts}",
    "**/{test-*,*.test,*.spec}.{js,cjs,mjs,ts}",
    "!**/{fixture,fixtures,helper,helpers,node_modules}/**",
    "!**/_*",
    "!**/*.d.ts",
)


def by_file(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(what runs one file, patterns of all; those that ``!`` begins leave files out). node-tap's files print TAP by
    themselves, and need only its options for node."""
    if words[0] == "tape":
        options, operands = split_operands(words[1:], _TAPE_WITH_VALUE)
        return ("tape", *options), operands
    if words[0] == "ava":
        options, operands = split_operands(words[1:], _AVA_WITH_VALUE)
        kept = tuple(option for option in options if option not in _AVA_NOT_OURS)
        return ("ava", "--tap", *kept), operands or _AVA_FILES
    options, operands = split_operands(words[1:], NODE_WITH_VALUE | _NODE_TAP_WITH_VALUE)
    if words[0] == "node":
        return ("node", *options), operands
    for_node = [option.partition("=")[2] for option in options if option.startswith("--node-arg=")]
    return ("node", *for_node), operands or _NODE_TAP_FILES
