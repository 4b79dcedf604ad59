"""Pipes of a script's shell: which of their commands counts, and what it works on. Pure."""

import re
from functools import lru_cache

from repo_tools.environment.runners.javascript_command import split_operands, without_wrappers
from repo_tools.environment.runners.node_test import NODE_WITH_VALUE
from repo_tools.environment.shell.syntax import Command, Simple
from repo_tools.environment.shell.text import of_command, only_pipeline

_SAYS = (["cat"], ["echo"], ["printf"], ["yes"], ["find"], ["ls"])
"""Programs that test nothing: what they say is for the next one."""
_TAKES = frozenset(("xargs", "tape-run", "browser-run", "testling"))
_INTERPRETERS = frozenset(("node", "sh", "bash"))
_HAS_ITS_PROGRAM = frozenset(("-e", "--eval", "-p", "--print", "-c"))
_FILE = ("{}", "'{}'")
_ENDS = {"+": (), "\\;": ("-n", "1"), "';'": ("-n", "1")}
"""Of what ``find`` starts -> what xargs, which starts it so too, is told."""
_OPTION = re.compile(r"(?P<name>-[nLIP]|--max-(?:args|lines|procs)|--replace)=?(?P<value>.*)")
_OF_EACH = frozenset(("-n", "-L", "--max-args", "--max-lines"))
_MARKS = frozenset(("-I", "--replace"))
_FLAGS = frozenset(("-r", "-t", "-0", "--null", "--no-run-if-empty", "--verbose"))
"""https://www.gnu.org/software/findutils/manual/html_node/find_html/xargs-options.html"""
_LISTS = re.compile(r"ls(?: [^\s|-][^\s|]*)+")
_WITH_NULLS = frozenset(("-0", "--null"))
_TAKE_NO_PATTERNS = (("jest",), ("vitest",))


def that_count(commands: tuple[Command, ...]) -> tuple[Command, ...]:
    """Of the commands of ``a | b | c`` those up to the last one that works on what it is given: mostly the first alone,
    whose results the others show."""
    takers = [index for index, command in enumerate(commands) if index and _takes(_words(command))]
    others = [len(commands) - 1] if _words(commands[0])[:1] in _SAYS else [0]
    return commands[: max(takers or others) + 1]


@lru_cache(maxsize=1_000)  # as `words_in`
def taken_from_pipe(part: str) -> str:
    """The command that a pipe is for; with the files that it is given in their place, where it is given files
    (``find test -name '*.js' | xargs mocha`` as ``mocha $(find test -name '*.js')``). What is no pipe stays as it
    is."""
    pipeline = only_pipeline(part)
    if pipeline is None:
        return part
    *earlier, last = pipeline.commands
    words = _words(last)
    if not earlier:
        return _by_find(words) or part
    told = " | ".join(map(of_command, earlier))
    return (_by_xargs(told, words[1:]) if words[:1] == ["xargs"] else "") or of_command(last)


def is_given_input(part: str, words: tuple[str, ...]) -> bool:
    """Whether the program of node that a pipe ends with reads what it works on: without that it may test nothing."""
    return words[:1] == ("node",) and (taken := taken_from_pipe(part)) != part and part.endswith(f"| {taken}")


def _words(command: Command) -> list[str]:
    if not isinstance(command, Simple):
        return []
    return [*(each.text for each in command.assignments), *(word.text for word in command.words)]


def _takes(words: list[str]) -> bool:
    """Whether it carries out what it is given, rather than shows it."""
    inside = without_wrappers(tuple(words))[1]
    if not inside or inside[0] not in _INTERPRETERS:
        return inside[:1] != () and inside[0] in _TAKES
    options, operands = split_operands(inside[1:], NODE_WITH_VALUE)
    return not operands and _HAS_ITS_PROGRAM.isdisjoint(options)


def _by_find(words: list[str]) -> str:
    """What ``find … -exec`` starts; empty where it starts nothing, or only so much can be told."""
    *told, mark, end = words if len(words) > 2 else ["", "", ""]
    if told[:1] != ["find"] or told.count("-exec") != 1 or mark not in _FILE or end not in _ENDS:
        return ""
    at = told.index("-exec")
    return _by_xargs(" ".join(told[:at]), [*_ENDS[end], *told[at + 1 :]])


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
    return " ".join((files if word == mark else word for word in started) if mark else (*started, files))
