"""Pipes of a script's shell: which of their commands counts, and what it works on. Pure."""

import re

from repo_tools.environment.runners.javascript_command import EACH_FILE, split_operands, without_wrappers
from repo_tools.environment.runners.node_test import NODE_WITH_VALUE

TOKEN = re.compile(
    r"""(?P<word>(?:\\.|'[^']*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|[<>]&|&>|[^\s'"\\&|;])+)|(?P<operator>[&|;]+)|(?P<open>\S)""",
    re.DOTALL,
)
"""Of a shell, as far as it is where a command ends: what is quoted, escaped or in backticks is no operator, nor is
``2>&1``."""
_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\\.""", re.DOTALL)
_SAYS = frozenset(("cat", "echo", "printf", "yes", "find", "ls"))
"""Programs that test nothing: what they say is for the next one."""
_TAKES = frozenset(("xargs", "tape-run", "browser-run", "testling"))
_INTERPRETERS = frozenset(("node", "sh", "bash"))
_HAS_ITS_PROGRAM = frozenset(("-e", "--eval", "-p", "--print", "-c"))
_EXECUTES = re.compile(
    r"(?P<told>find [^|;&]{1,400}?) -exec (?P<started>[^|;&{}]{1,400}) (?:'\{\}'|\{\}) (?P<end>\+|\\;|';')"
)
_OPTION = re.compile(r"(?P<name>-[nLIP]|--max-(?:args|lines|procs)|--replace)=?(?P<value>.*)")
_OF_EACH = frozenset(("-n", "-L", "--max-args", "--max-lines"))
_MARKS = frozenset(("-I", "--replace"))
_FLAGS = frozenset(("-r", "-t", "-0", "--null", "--no-run-if-empty", "--verbose"))
"""https://www.gnu.org/software/findutils/manual/html_node/find_html/xargs-options.html"""
_LISTS = re.compile(r"ls(?: [^\s|-][^\s|]*)+")
_WITH_NULLS = frozenset(("-0", "--null"))
MOCHA = (("mocha",), ("_mocha",))
_TAKE_NO_PATTERNS = (("jest",), ("vitest",))


def that_count(commands: list[list[str]]) -> list[list[str]]:
    """Of the commands of ``a | b | c`` those up to the last one that works on what it is given: mostly the first alone,
    whose results the others show."""
    takers = [index for index, words in enumerate(commands) if index and _takes(words)]
    others = [len(commands) - 1] if commands[0][0] in _SAYS else [0]
    return commands[: max(takers or others) + 1]


def taken_from_pipe(part: str) -> str:
    """The command that a pipe is for; with the files that it is given in their place, where it is given files
    (``find test -name '*.js' | xargs mocha`` as ``mocha $(find test -name '*.js')``). What is no pipe stays as it
    is."""
    if found := _EXECUTES.fullmatch(part):
        each = [] if found["end"] == "+" else ["-n", "1"]
        return _by_xargs(found["told"], [*each, *found["started"].split()]) or part
    commands: list[list[str]] = [[]]
    depth = 0
    for token in TOKEN.finditer(part) if "|" in part else ():
        operator = token["operator"] if not depth else None
        if token["open"] or (operator or "|") != "|":
            return part
        depth = max(0, depth + opened(token[0]))
        if operator:
            commands.append([])
        else:
            commands[-1].append(token[0])
    *earlier, last = commands
    if not (last and earlier and all(earlier)):
        return part
    told = " | ".join(map(" ".join, earlier))
    return (_by_xargs(told, last[1:]) if last[0] == "xargs" else "") or " ".join(last)


def is_given_input(part: str, words: tuple[str, ...]) -> bool:
    """Whether the program of node that a pipe ends with reads what it works on: without that it may test nothing."""
    return words[:1] == ("node",) and (taken := taken_from_pipe(part)) != part and part.endswith(f"| {taken}")


def opened(text: str) -> int:
    """How many parentheses are left open in it."""
    plain = _QUOTED.sub("", text)
    return plain.count("(") - plain.count(")")


def _takes(words: list[str]) -> bool:
    """Whether it carries out what it is given, rather than shows it."""
    inside = without_wrappers(tuple(words))[1]
    if not inside or inside[0] not in _INTERPRETERS:
        return inside[:1] != () and inside[0] in _TAKES
    options, operands = split_operands(inside[1:], NODE_WITH_VALUE)
    return not operands and _HAS_ITS_PROGRAM.isdisjoint(options)


def _by_xargs(told: str, words: list[str]) -> str:
    """Empty where it cannot be told what is started with which files."""
    mark, is_each, index = "", False, 0
    while index < len(words) and words[index].startswith("-"):
        option = _OPTION.fullmatch(words[index])
        value = (option["value"] or "".join(words[index + 1 : index + 2])) if option else ""
        index += 2 if option and not option["value"] else 1
        if option is None and words[index - 1] not in _FLAGS:
            return ""
        name = option["name"] if option else ""
        is_each |= name in _MARKS or (name in _OF_EACH and value == "1")
        mark = value if name in _MARKS else mark
    started = words[index:]
    if not _WITH_NULLS.isdisjoint(words[:index]):
        told = told.removesuffix(" -print0") if told.endswith(" -print0") else ""
    program = without_wrappers(tuple(started))[1][:1]
    if not told or not program or (mark and mark not in started) or program in _TAKE_NO_PATTERNS:
        return ""
    if program == ("node",) and not is_each:  # which takes the first file alone
        return ""
    files = told.removeprefix("ls ") if _LISTS.fullmatch(told) else f"$({told})"
    each = [EACH_FILE] if is_each and program in MOCHA else []
    return " ".join((*each, *((files if word == mark else word for word in started) if mark else (*started, files))))
