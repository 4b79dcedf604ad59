"""Command lines that start JavaScript's test runners: what stands around the runner, and its own words. Pure."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from repo_tools.environment.contract import AND_RUN

_VARIABLE = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_BIN = re.compile(
    r"(?:\./|.*/)?node_modules/"
    r"(?:\.bin/([\w.-]+)|(?:@[\w.-]+/)?([\w.-]+)/(?:bin/[\w.-]+|lib/cli/cli|.*\.[cm]?js))"
)
_STARTERS = (
    ("npx", "--no-install"), ("npx", "--no"), ("npx",), ("npm", "exec", "--"), ("npm", "exec"), ("pnpm", "exec"),
    ("pnpm", "dlx"), ("yarn", "run", "-T"), ("yarn", "dlx"), ("yarn", "exec"), ("yarn", "run"), ("yarn",), ("pnpm",),
    ("bunx",), ("bun", "run"), ("bun", "x"), ("bun", "--bun", "run"), ("bun", "--bun", "x"),
)  # fmt: skip
JAVASCRIPT_RUNNERS = frozenset(
    {"jest", "mocha", "_mocha", "vitest", "ava", "tape", "tap", "karma", "jasmine", "lab", "nodeunit", "qunit", "uvu"}
    | {"brittle", "brittle-node", "jasmine-node", "vows", "qunit-cli", "rc-test", "umi-test"}
)
"""Programs that run tests of JavaScript."""
RUN_BY_NODE = JAVASCRIPT_RUNNERS - {"karma"} | {"nyc", "c8", "taper", "faucet"}
"""``node node_modules/.bin/mocha`` is ``mocha``, and so is ``node bin/with-settings.js mocha``."""
_TAKES_FLAGS = ("mocha", "_mocha")
"""https://mochajs.org/#about-option-types: flags of node's own go on to node."""
_TAKES_LOADERS = {"tape": frozenset(("-r", "--require", "--import"))}
"""Flags of node's own that are options of the runner too."""
COMPILERS = ("babel-node", "ts-node", "tsx", "tsm", "coffee")
"""Programs that start a file as node does, and compile what it loads."""
_COMPILERS_WITH_VALUE = frozenset(
    ("--presets", "--plugins", "-r", "--require", "-P", "--project", "-O", "--compiler-options", "-x", "--extensions")
)
_NODE_WITH_VALUE = frozenset(("-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"))
_SCRIPT = re.compile(r"[\w./-]+\.[cm]?js")
_OF_XVFB = frozenset((
    "-e", "--error-file", "-f", "--auth-file", "-n", "--server-num", "-p", "--xauth-protocol",
    "-s", "--server-args", "-w", "--wait",
))  # fmt: skip
_WITH_VALUE = {  # wrappers, each with those of its options that take the next word
    "c8": frozenset(
        (
            *("-c", "--config", "-r", "--reporter", "-o", "-n", "--include", "-x", "--exclude", "-e", "--extension"),
            *("--reports-dir", "--report-dir", "--temp-directory", "--src", "--lines", "--branches", "--functions"),
            *("--statements",),
        )
    ),
    "nyc": frozenset(
        (
            *("-r", "--reporter", "-n", "--include", "-x", "--exclude", "-e", "--extension", "-i", "--require"),
            *("--nycrc-path", "--temp-dir", "-t", "--report-dir", "--lines", "--branches", "--functions", "--cwd"),
            *("--statements",),
        )
    ),
    "cross-env": frozenset(),
    "cross-env-shell": frozenset(),
    "dotenv": frozenset(("-e", "-v", "-p", "-f")),
    "env": frozenset(("-u", "-C")),
    "time": frozenset(),
    "nice": frozenset(("-n",)),
    "timeout": frozenset(("-s", "--signal", "-k", "--kill-after")),
    "xvfb-run": _OF_XVFB,
    "xvfb-maybe": _OF_XVFB,  # the same where there is no display (https://github.com/anaisbetts/xvfb-maybe)
    "exec": frozenset(),
    "hundreds": frozenset(),  # c8, with everything at 100 (https://github.com/rvagg/hundreds)
    "esm-env": frozenset(),
}
_WITH_OPERAND = ("timeout",)
"""Of wrappers, those that are told something more before the program."""
WRAPPERS = frozenset((*_WITH_VALUE, "istanbul"))
"""Programs that only start another one."""
_ISTANBUL_WITH_VALUE = frozenset(
    ("--config", "--root", "-x", "-i", "--report", "--dir", "--print", "--post-require-hook")
)
"""https://github.com/gotwarlost/istanbul#the-cover-command"""


@dataclass(frozen=True)
class ScriptCommand:
    """One command: `before`, shell commands that build what it needs; `variables` of its own; `words`, the runner and
    its arguments."""

    words: tuple[str, ...]
    before: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def program(self) -> str:
        return self.words[0] if self.words else ""

    def argv(self) -> tuple[str, ...]:
        """As one argument list; `taken_apart` undoes it."""
        set_here = tuple(f"{name}={value}" for name, value in self.variables.items())
        words = ("env", *set_here, *self.words) if set_here else self.words
        return ("sh", "-c", " && ".join(self.before) + AND_RUN, "sh", *words) if self.before else words


def taken_apart(argv: tuple[str, ...]) -> ScriptCommand:
    """What an argument list runs, without what only starts or watches it."""
    before: tuple[str, ...] = ()
    if argv[:2] == ("sh", "-c") and len(argv) > 3 and argv[2].endswith(AND_RUN):
        before, argv = (argv[2].removesuffix(AND_RUN),), argv[4:]
    variables, words = without_wrappers(argv)
    return ScriptCommand(words, before, variables)


def is_script(word: str) -> bool:
    """Whether it names a JavaScript file."""
    return bool(_SCRIPT.fullmatch(word))


def own_runner(words: tuple[str, ...], name: str) -> bool:
    """Whether it is the repository's own copy of this runner that is started: ``node bin/mocha.js``."""
    return words[:1] == ("node",) and bool(
        re.fullmatch(rf"(?:\./|.+/)?bin/_?{name}(?:\.[cm]?js)?", "".join(words[1:2]))
    )


def start_of(words: tuple[str, ...], *names: str) -> tuple[str, ...]:
    """The words that start this runner, by one of its names or as a file that node runs, or a program that compiles,
    with options of its own or none: the installed one, or the repository's own. Empty where something else is
    started."""
    if words[:1] not in (("node",), *((name,) for name in COMPILERS)):
        return words[:1] if words[:1] and words[0] in names else ()
    started = _after_options(words[1:], _NODE_WITH_VALUE if words[0] == "node" else _COMPILERS_WITH_VALUE)
    flags = words[1 : len(words) - len(started)]
    is_its = any(_is_of(words[0], started[0], name) for name in names) if started else False
    return (words[0], *flags, started[0]) if is_its else ()


def program_of(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(node, or what stands for it, with its own flags; the file that it runs, with what is told to that)."""
    started = _after_options(words[1:], _NODE_WITH_VALUE)
    return words[: len(words) - len(started)], started


def _is_of(program: str, file: str, name: str) -> bool:
    return program_name(file) == name or (program == "node" and own_runner(("node", file), name))


def without_wrappers(
    words: tuple[str, ...], is_inside: Callable[[tuple[str, ...]], bool] = lambda _: False
) -> tuple[dict[str, str], tuple[str, ...]]:
    """(variables that are set on the way, the command inside). `is_inside`: what is not taken apart any further."""
    variables: dict[str, str] = {}
    while words and not is_inside(words):
        words = _without_bun(_without_node(words) if words[0] == "node" else words)
        words = _without_script(words)
        name = program_name(words[0])
        if _VARIABLE.fullmatch(words[0]):
            key, _, value = words[0].partition("=")
            variables[key] = value
            words = words[1:]
        elif name in _WITH_VALUE:
            words = _after_options(words[1:], _WITH_VALUE[name])[name in _WITH_OPERAND :]
        elif name == "istanbul" and (covered := _covered(words[1:])):
            words = covered
        elif name == "glob" and (started := _with_files(words[1:])):
            words = started
        elif starter := next((s for s in _STARTERS if words[: len(s)] == s and len(words) > len(s)), None):
            words = _after_options(words[len(starter) :], frozenset(("-p", "--package")))
        else:
            break
    return variables, (program_name(words[0]), *words[1:]) if words else ()


def _with_files(words: tuple[str, ...]) -> tuple[str, ...]:
    """What ``glob -c COMMAND PATTERN`` runs with the files that it finds (https://github.com/isaacs/node-glob#cli)."""
    if words[:1] not in (("-c",), ("--cmd",)) or len(words) < 3 or words[2].startswith("-"):
        return ()
    try:
        started = tuple(shlex.split(words[1]))
    except ValueError:
        return ()
    return (*started, *words[2:]) if started != ("node",) else ()  # which takes the first file alone


def _covered(words: tuple[str, ...]) -> tuple[str, ...]:
    """What ``istanbul cover FILE [-- ARGUMENTS]`` or ``istanbul cover -- FILE ARGUMENTS`` (or ``test``), with options
    anywhere, starts: a program, or a file for node. Empty where it starts nothing."""
    split = words.index("--") if "--" in words else len(words)
    _, operands = split_operands(words[:split], _ISTANBUL_WITH_VALUE)
    started = (*operands[1:], *words[split + 1 :])
    if operands[:1] not in (("cover",), ("test",)) or not started:
        return ()
    return ("node", *started) if is_script(started[0]) and program_name(started[0]) == started[0] else started


def _without_script(words: tuple[str, ...]) -> tuple[str, ...]:
    """A runner that a script of the repository starts, with options of its own or none."""
    if words[:1] != ("node",) or len(words) < 3 or not is_script(words[1]):
        return words
    if any(own_runner(words, name) for name in RUN_BY_NODE if name not in _WITH_VALUE):
        return words  # what follows is its own: ``node bin/mocha.js --ui qunit``
    started = _after_options(words[2:], frozenset())
    return started if started[:1] and started[0] in RUN_BY_NODE else words


def _without_node(words: tuple[str, ...]) -> tuple[str, ...]:
    """What node starts, where that starts node itself with what it is told."""
    started = _after_options(words[1:], _NODE_WITH_VALUE)
    flags = words[1 : len(words) - len(started)]
    name = program_name(started[0]) if started else ""
    if name in _TAKES_FLAGS:
        return (name, *_as_one_word(flags), *started[1:])
    if name in _TAKES_LOADERS and _TAKES_LOADERS[name].issuperset(flags[::2]):
        return (name, *flags, *started[1:])
    in_its_process = name == "istanbul" or name in RUN_BY_NODE
    return started if name in _WITH_VALUE or (in_its_process and not flags) else words


def _as_one_word(flags: tuple[str, ...]) -> Iterator[str]:
    """``--loader=x``, as mocha has to be told to hand it on with its value."""
    words = iter(flags)
    for word in words:
        value = next(words, "") if word in _NODE_WITH_VALUE else ""
        yield f"{word}={value}" if value and word.startswith("--") else word
        if value and not word.startswith("--"):
            yield value


def _without_bun(words: tuple[str, ...]) -> tuple[str, ...]:
    """An installed program that bun starts by its name alone: ``bun --bun vitest``, and not ``bun test``."""
    started = _after_options(words[1:], frozenset()) if words[:1] == ("bun",) else ()
    return started if started[:1] and started[0] in RUN_BY_NODE else words


def program_name(word: str) -> str:
    """``node_modules/.bin/mocha`` and ``./node_modules/mocha/bin/mocha.js`` as ``mocha``."""
    found = _BIN.fullmatch(word)
    return (found[1] or found[2]) if found else word


def _after_options(words: tuple[str, ...], with_value: frozenset[str]) -> tuple[str, ...]:
    index = 0
    while index < len(words) and words[index].startswith("-"):
        if words[index] == "--":
            return words[index + 1 :]
        index += 2 if words[index] in with_value else 1
    return words[index:]


def split_operands(words: tuple[str, ...], with_value: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(options with their values, operands) of a runner's arguments. `with_value`: options that take the next word;
    an unknown ``--option`` takes none."""
    options: list[str] = []
    operands: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word == "--":
            return tuple(options), (*operands, *words[index + 1 :])
        taken = 2 if word in with_value else 1
        (options if word.startswith("-") else operands).extend(words[index : index + taken])
        index += taken
    return tuple(options), tuple(operands)


def without_options(words: tuple[str, ...], names: frozenset[str], with_value: frozenset[str]) -> tuple[str, ...]:
    """`words` without the options of `names`, in either spelling, and the values of those in `with_value`."""
    kept: list[str] = []
    index = 0
    while index < len(words):
        name = words[index].partition("=")[0]
        if name not in names:
            kept.append(words[index])
            index += 1
        else:
            index += 2 if words[index] in with_value else 1
    return tuple(kept)


def parted(
    words: tuple[str, ...], not_ours: frozenset[str], with_value: frozenset[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """`split_operands` of `words` without the options that are `not_ours`."""
    return split_operands(without_options(words, not_ours, with_value), with_value)
