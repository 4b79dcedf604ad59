"""What a shell script does that its first word tells what to do: ``case "$1" in test) …``. Nothing is run. Pure."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fnmatch import fnmatchcase
from itertools import islice
from typing import NamedTuple

from repo_tools.environment.shell.parse import parse
from repo_tools.environment.shell.syntax import AndOr, Body, Case, Command, Function, If, Plain, Simple, Variable, Word
from repo_tools.environment.shell.walk import bodies_of, commands_in

_MOST_LISTS = 600
_MOST_BRANCHES = 200
_MOST_DEEP = 2
"""Functions that call functions."""
_MOST_PASSED = 4
"""Times that one list of commands passes the words on."""
_ASKS = frozenset(("[", "[[", "test"))
_ENDS = frozenset(("exec", "exit", "return"))
_ALL_WORDS = re.compile(r"""(?P<quote>["']?)\$(?:[@*]|\{[@*](?P<from>:[12])?\})(?P=quote)""")


class Branch(NamedTuple):
    """`line`: where it begins in the script, from 1."""

    text: str = ""
    line: int = 1


class _Chosen(NamedTuple):
    """What is done, and by which list of the script's own that is chosen; `is_within`: by something in a block of it.
    `by_name`: the word names a function."""

    body: Body
    by: int
    is_within: bool
    by_name: bool = False


def branch_for(script: str, words: Sequence[str]) -> Branch:
    """What it does for these, with what it does for all before and behind that: with the lists of its functions in the
    place of their calls, and the words themselves where it passes them on. Empty where it has nothing for the first of
    them alone."""
    body = parse(script).body[:_MOST_LISTS]
    functions = dict(islice(_functions(body), _MOST_BRANCHES))
    chosen = _chosen(body, next(iter(words), ""), functions)
    done = [*islice(_with_functions(chosen.body, functions, _MOST_DEEP), _MOST_LISTS)] if chosen else []
    if chosen is None or not any(map(_unshifted, done)):
        return Branch()
    before = [each for each in (body if chosen.is_within else body[: chosen.by]) if not _is_function(each)]
    before = [*filter(_sets, before)] if chosen.is_within else before
    behind = [each for each in body[chosen.by + 1 :] if not _is_function(each)]
    shifted = chosen.by_name or any(_unshifted(each) != _written(each) for each in (*before, *chosen.body))

    def passed_on(found: re.Match[str]) -> str:
        return shlex.join(words[1:] if shifted or found["from"] == ":2" else words)

    is_last = chosen.by_name or any(map(_is_end, done))
    said = (_ALL_WORDS.sub(passed_on, text, _MOST_PASSED) for text in _texts((*done, *([] if is_last else behind))))
    return Branch("\n".join((*_texts(before), *said)), next(each for each in done if _unshifted(each)).line + 1)


def _chosen(body: Body, first: str, functions: Mapping[str, Body]) -> _Chosen | None:
    names = {name for placed in commands_in(body) for name in _names_of_first(placed.command)}
    choices = ((i, *each) for i, of_list in enumerate(body) for each in _choices(of_list, names))
    for i, labels, inside, is_within in islice(choices, _MOST_BRANCHES):
        if _is_chosen(first, labels):
            return _Chosen(inside, i, is_within)
    called = (
        _Chosen(functions[first], i, is_within, by_name=True)
        for i, each in enumerate(body)
        for command, is_within in _commands(each)
        if first in functions and _calls_it(command, names)
    )
    return next(called, None)


def _is_chosen(word: str, labels: Iterable[str]) -> bool:
    """What is for every word is no branch of its own."""
    return any(word and label.strip("*") and fnmatchcase(word, label) for label in labels)


def _commands(each: AndOr, *, is_within: bool = False) -> Iterator[tuple[Command, bool]]:
    """Those of a list, and those within them; whether one is."""
    for _, pipeline in each.items:
        for command in pipeline.commands:
            yield command, is_within
            for inner in (inner for body in bodies_of(command) for inner in body):
                yield from _commands(inner, is_within=True)


def _choices(each: AndOr, names: Set[str]) -> Iterator[tuple[list[str], Body, bool]]:
    """(labels, what is done, whether it is within) where the first word chooses; `names`: variables that hold it."""
    for command, is_within in _commands(each):
        if isinstance(command, Case) and _is_first(command.word, names):
            for labels, body in command.branches:
                yield [label.value or "" for label in labels], body, is_within
        elif isinstance(command, If):
            for condition, body in command.branches:
                yield [*_compared(condition, names)], body, is_within


def _compared(condition: Body, names: Set[str]) -> Iterator[str]:
    """With what it compares the first word: ``[ "$1" = a ] || [ "$1" = b ]``, or before anything else it asks."""
    for operator, pipeline in condition[0].items if len(condition) == 1 else ():
        words = pipeline.commands[0].words if isinstance(pipeline.commands[0], Simple) else ()
        if operator == "&&" or len(words) < 4:
            return
        if words[0].text in _ASKS and _is_first(words[1], names) and words[2].text in ("=", "=="):
            yield words[3].value or ""


def _is_first(word: Word, names: Set[str] = frozenset()) -> bool:
    parts = [part for part in word.parts if part.text]
    return len(parts) == 1 and isinstance(parts[0], Variable) and parts[0].name in {"1", *names}


def _names_of_first(command: Command) -> Iterator[str]:
    """Variables that are set to it: ``what=$1``, ``local what="$1"``."""
    if isinstance(command, Simple):
        yield from (each.name for each in command.assignments if each.value and _is_first(each.value))
        for word in command.words[1:2] if command.words and command.words[0].text in ("local", "export") else ():
            name = word.parts[0]
            if isinstance(name, Plain) and name.text.endswith("=") and _is_first(Word("", word.parts[1:])):
                yield name.text[:-1]


def _calls_it(command: Command, names: Set[str]) -> bool:
    """Whether it starts what its first word names."""
    words = command.words if isinstance(command, Simple) else ()
    word = next(iter(words[1:] if words and words[0].text == "time" else words), None)
    return bool(word and _is_first(word, {"@", "*", *names}))


def _functions(body: Body) -> Iterator[tuple[str, Body]]:
    for each in body:
        command = each.items[0][1].commands[0]
        if isinstance(command, Function):
            yield command.name, command.body


def _is_function(each: AndOr) -> bool:
    return isinstance(each.items[0][1].commands[0], Function)


def _with_functions(body: Body, functions: Mapping[str, Body], deep: int) -> Iterator[AndOr]:
    for each in body:
        name = _name(each)
        if deep and name in functions:
            yield from _with_functions(functions[name], functions, deep - 1)
        else:
            yield each


def _name(each: AndOr, index: int = 0) -> str:
    """Of the program that it starts first; empty for a block."""
    command = each.items[index][1].commands[0]
    return command.words[0].text if isinstance(command, Simple) and command.words else ""


def _sets(each: AndOr) -> bool:
    """Variables, for all branches."""
    command = each.items[0][1].commands[0]
    return _name(each) == "export" or (isinstance(command, Simple) and bool(command.assignments))


def _is_end(each: AndOr) -> bool:
    """Whether it ends the script, whatever happens."""
    return any(operator != "||" and _name(each, i) in _ENDS for i, (operator, _) in enumerate(each.items))


def _texts(body: Iterable[AndOr]) -> Iterator[str]:
    """What is written in one line stays in one: it may be all that the script has."""
    text, line = "", -1
    for each in body:
        if not (written := _unshifted(each)):
            continue
        if text and each.line != line:
            yield text
            text = ""
        text += (" " if text.endswith("&") else "; " if text else "") + written
        line = each.line + each.text.count("\n") if "\n" not in written[len(each.text) :] else -1
    yield from filter(None, [text])


def _written(each: AndOr) -> str:
    """With the here-documents that follow its last line."""
    simple = (placed.command for placed in commands_in((each,)))
    read = (one for command in simple if isinstance(command, Simple) for one in command.redirections if one.document)
    documents = (f"\n{one.document}{one.target.value}" for one in read if f"\n{one.document}" not in each.text)
    return each.text + (" &" if each.is_beside else "") + "".join(documents)


def _unshifted(each: AndOr) -> str:
    """Without a ``shift``, by which the words are what is passed on."""
    if _name(each) != "shift":
        return _written(each)
    operator = each.items[1][0] if len(each.items) > 1 else ""
    return each.text.partition("&&")[2].strip() if operator == "&&" else _written(each) if operator else ""
