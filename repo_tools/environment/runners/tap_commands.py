"""How one file of a suite that prints TAP is run, and which files there are: tape, node-tap, plain node. Pure."""

from repo_tools.environment.runners.javascript_command import parted, split_operands
from repo_tools.environment.runners.node_test import NODE_WITH_VALUE

_BRITTLE = ("brittle", "brittle-node")
_TAPE = ("tape", "babel-tape-runner")
_ONLY_SUMS_UP = ("faucet", "taper")
"""Programs that start each file by itself, and only shorten what it prints."""
PROGRAMS = (*_TAPE, *_BRITTLE, *_ONLY_SUMS_UP)
"""Programs that run such suites whatever their files hold."""
AS_NODE = ("node", "babel-node", "ts-node", "ts-node-esm", "tsx", "esno", "esmo", "swc-node")
"""Programs that run one file, whatever it holds: most compile what it loads."""

_AS_NODE_WITH_VALUE = NODE_WITH_VALUE | frozenset(
    ("--presets", "--plugins", "-P", "--project", "-O", "--compiler-options", "-x", "--extensions", "--tsconfig")
)

_TAPE_WITH_VALUE = frozenset(("-r", "--require", "-i", "--ignore", "--ignore-pattern", "--import"))
_BRITTLE_WITH_VALUE = frozenset(("-t", "--timeout", "--cov-dir", "-j", "--jobs"))
_NOT_OURS = frozenset(("-b", "--bail", "-c", "--coverage", "--cov-dir", "-j", "--jobs"))
_WRITES_FILES = frozenset(("-r", "--runner", "-m", "--mine"))
"""https://github.com/holepunchto/brittle: with these it writes a file that loads all others, or never ends."""
_NODE_TAP_WITH_VALUE = frozenset(("-R", "--reporter", "-t", "--timeout", "-j", "--jobs", "-c", "-a", "--allow"))
_NODE_TAP_FILES = (  # https://node-tap.org/config/#include
    "{test,tests,__tests__}/**/*.{js,cjs,mjs}",
    "**/*.{test,tests,spec}.{js,cjs,mjs}",
    "{test,tests}.{js,cjs,mjs}",
)


def runs_suites(words: tuple[str, ...]) -> bool:
    """Whether one of `PROGRAMS` is started, to test."""
    if words[:1] and words[0] in _ONLY_SUMS_UP:
        return len(words) > 1
    return words[:1] != () and words[0] in PROGRAMS and not (words[0] in _BRITTLE and _WRITES_FILES.intersection(words))


def by_file(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(what runs one file, patterns of all; those that ``!`` begins leave files out). node-tap's files print TAP by
    themselves, and need only its options for node."""
    if words[0] in _TAPE:
        options, operands = split_operands(words[1:], _TAPE_WITH_VALUE)
        return (words[0], *options), operands
    if words[0] in _ONLY_SUMS_UP:
        return ("node",), split_operands(words[1:], frozenset())[1]
    if words[0] in _BRITTLE:
        options, operands = parted(words[1:], _NOT_OURS, _BRITTLE_WITH_VALUE)
        return (words[0], *options), operands
    if words[0] in AS_NODE:
        options, operands = split_operands(words[1:], _AS_NODE_WITH_VALUE)
        return (words[0], *options), operands
    options, operands = split_operands(words[1:], NODE_WITH_VALUE | _NODE_TAP_WITH_VALUE)
    for_node = [option.partition("=")[2] for option in options if option.startswith("--node-arg=")]
    for_node += ["--expose-gc"] * ("--expose-gc" in options)
    return ("node", *for_node), operands or _NODE_TAP_FILES
