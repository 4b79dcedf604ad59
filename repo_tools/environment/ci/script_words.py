"""What the words of a script's commands come to, with the variables that are known. Nothing is run. Pure."""

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from operator import attrgetter

from repo_tools.environment.ci.values import MAX_CHARACTERS
from repo_tools.environment.shell.syntax import Other, Part, Plain, Substitution, Variable, Word

NOT_KNOWN = "?"
"""Stands in a command for a word that is not known."""

_FINDS = re.compile(r"(?:which|command -v) ([\w.-]+)")
_TAKES_A_RUN = re.compile(r"[$`\0]")
_OF_PIPES = re.compile(r"[|<>]")
_NOTHING_BESIDE = re.compile(r"^:+|:+$|(?<==):+")


def words_in(words: Iterable[Word], known: Mapping[str, str]) -> tuple[str, ...] | None:
    """What a shell makes of `words`; None where that is not known, or more than anybody would write: variables that
    double one another line by line have no end."""
    found: list[str] = []
    left = MAX_CHARACTERS
    for word in words:
        text = _text(word, known, _in_parts)
        left -= max(len(text or "") - len(word.text), 0)
        if text is None or left < 0:
            return None
        found += text.split("\0") if text or _is_word_for_nothing(word) else ()
    return tuple(found)


def value_of(word: Word | None, known: Mapping[str, str]) -> str | None:
    """What a variable is set to by `word`; None where that is not known."""
    text = _text(word, known, lambda value: value) if word else None
    return text if text is None or len(text) <= max(MAX_CHARACTERS, len(word.text if word else "")) else None


def words_in_part(words: Iterable[Word], known: Mapping[str, str]) -> tuple[str, ...]:
    """As `words_in`, with what is not known `in_part`."""
    found: list[str] = []
    for word in words:
        whole = words_in([word], known)
        found += [in_part(word, known)] if whole is None or _OF_PIPES.search("".join(whole)) else whole
    return tuple(found)


def in_part(word: Word, known: Mapping[str, str]) -> str:
    """With `NOT_KNOWN` for what only a shell, or a run, makes a word of; and for what must not be taken for a pipe."""
    found: list[str] = []
    for is_quoted, parts in groupby(word.parts, attrgetter("is_quoted")):
        if is_quoted:
            values = [_value(part, known) for part in parts]
            value = "".join(filter(None, values))
            found.append(NOT_KNOWN if None in values or _OF_PIPES.search(value) else value)
            continue
        for part in parts:
            told = _value(part, known)
            found.append(NOT_KNOWN if told is None else told)
            if told is None and not isinstance(part, Substitution) and part.text.startswith("$"):
                return "".join(found)  # what is beside it may be a part of the same name
    return "".join(found)


def _is_word_for_nothing(word: Word) -> bool:
    """Whether it is an empty word where nothing is in it, rather than none: in quotes, and not all arguments."""
    are_arguments = any(isinstance(part, Variable) and part.name == "@" and not part.default for part in word.parts)
    return any(part.is_quoted for part in word.parts) and not are_arguments


def _in_parts(value: str) -> str:
    return "\0".join(value.split())


def _text(word: Word, known: Mapping[str, str], split: Callable[[str], str]) -> str | None:
    def put_in(part: Part) -> str | None:
        value = _value(part, known)
        return value if value is None or part.is_quoted else split(value)

    text = word.with_values(put_in)
    is_path = any(isinstance(part, Variable) and part.name == "PYTHONPATH" for part in word.parts)
    return _NOTHING_BESIDE.sub("", text) if text and is_path else text


def _value(part: Part, known: Mapping[str, str]) -> str | None:
    match part:
        case Plain(value=value):
            return value
        case Variable(name=name, default=default):
            told = known.get(name)
            if told is None or (not told and part.text.startswith(f"${{{name}:-")):
                return value_of(default, known)
            return None if _TAKES_A_RUN.search(told) else told
        case Substitution(script=script):
            found = _FINDS.fullmatch(script.text)
            return found[1] if found else known.get(script.text)
        case Other():
            return None
