"""The words of a script's command, as its program has them. Pure."""

import re
import shlex
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from repo_tools.environment.runners.javascript_command import RUN_BY_NODE
from repo_tools.environment.shell.syntax import Part, Plain, Simple, Substitution, Word
from repo_tools.environment.shell.text import only_command

_TAKES_NO_PATTERNS = re.compile(r"\b(?:jest|vitest)\b")
_OF_FIND = re.compile(r"-o|-or|-type|f|\(|\)|-name")
_PLACES = {"bin": "node_modules/.bin", "root": "node_modules", "prefix": "."}
"""https://docs.npmjs.com/cli/v8/commands/npm-bin, npm-root, npm-prefix"""
_TELLS = re.compile(
    r"(?:npm|yarn|pnpm)(?: -s| --silent)? (?P<place>bin|root|prefix)(?: -s| --silent)?(?: (?P<program>[\w.-]+))?"
    rf"|(?:which|command -v) (?P<found>{'|'.join((*RUN_BY_NODE, 'istanbul'))})"
)


@lru_cache(maxsize=1_000)  # scripts say the same over and over, and are walked through more than once
def words_in(part: str) -> tuple[str, ...]:
    """Without redirections: who hears the results decides where they go. ``$(find test -name '*.test.js')`` is the
    pattern ``test/**/*.test.js``; the names that another command tells (``$(grep -l it test/*)``) are one word, of
    which they are made when the tests are run. What is no program is one word as a whole."""
    command = only_command(part)
    if not isinstance(command, Simple):
        return (part,) if command else _without_shell(part)
    if not command.words and any(map(_is_told, (each.value for each in command.assignments))):
        return ("export", part)  # what is after it may use what a command tells
    takes_patterns = not _TAKES_NO_PATTERNS.search(part)
    said = (_said(word, takes_patterns=takes_patterns) or [word_value(word)] for word in command.words)
    assigned = (f"{each.name}={word_value(each.value)}" for each in command.assignments if each.value)
    return (*assigned, *(word for words in said for word in words))


def _is_told(word: Word | None) -> bool:
    """Whether another command says a part of it."""
    return word is not None and any(isinstance(part, Substitution) for part in word.parts)


def word_value(word: Word) -> str:
    """Without quotes; what takes a run to know stands as it is written."""
    return "".join(map(_part_value, word.parts))


def _part_value(part: Part) -> str:
    match part:
        case Plain(value=value):
            return value
        case Substitution(script=script):
            return _told_place(script.text) or part.text
    return part.text


def quoted_words(words: Iterable[Word]) -> str:
    """As a shell has them, with patterns for what ``find`` would say."""
    return " ".join(shlex.join(_said(word, takes_patterns=True)) or word.text for word in words)


def _without_shell(part: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(part))
    except ValueError:
        return ()


def _said(word: Word, *, takes_patterns: bool) -> list[str]:
    """What a command says in its place, which is all of it; empty where there is none."""
    parts = [part for part in word.parts if part != Plain("", "", is_quoted=True)]
    if len(parts) != 1 or not isinstance(parts[0], Substitution):
        return []
    told = parts[0].script.text
    if _told_place(told):
        return []
    return (list(_patterns(only_command(told))) if takes_patterns else []) or [f"$({told})"]


def _patterns(command: object) -> Iterator[str]:
    """What ``find`` looks for; nothing where it is another program, or asks for more."""
    values = [word.value or "$" for word in command.words] if isinstance(command, Simple) else []
    if values[:1] != ["find"]:
        return
    first = next((index for index, word in enumerate(values) if word.startswith(("-", "("))), len(values))
    folders, conditions = values[1:first] or ["."], values[first:]
    others = (word for before, word in pairwise(["", *conditions]) if before != "-name")
    names = [name for option, name in pairwise(conditions) if option == "-name"]
    if all(map(_OF_FIND.fullmatch, others)):
        yield from (f"{folder.rstrip('/')}/**/{name}" for folder in folders for name in names)


def _told_place(command: str) -> str:
    """What ``npm bin``, ``yarn bin mocha`` and ``which mocha`` say (``node_modules/.bin/mocha``); empty where it is
    another command."""
    told = _TELLS.fullmatch(command)
    if told is None:
        return ""
    program = told["found"] or told["program"]
    place = _PLACES[told["place"] or "bin"]
    return f"{place}/{program}" if program else place
