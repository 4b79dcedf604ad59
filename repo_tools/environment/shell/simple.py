"""A program with its words, what is set for it, and where it reads and writes. Pure."""

import re
from collections.abc import Iterator

from repo_tools.environment.shell.source import NotShellError, Source
from repo_tools.environment.shell.syntax import Assignment, Other, Plain, Redirection, Simple, Word
from repo_tools.environment.shell.words import Nested, read_word

_REDIRECTION = re.compile(r"(?:(\d{1,9}|\{[A-Za-z_]\w*\})?(<<<|<<-?|<>|<&|>&|>>|>\||<(?!\()|>(?!\())|()(&>>?))")
_PROCESS = re.compile(r"[<>]\(")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]\n]*\])?(\+?)=")
_OF_TEST = re.compile(r"&&|\|\||[()<>|&;]")
_AFTER_COMMAND = frozenset(("", *"\n;|()"))
_REDIRECTS = frozenset("<>&{0123456789")


def read_simple(source: Source, nested: Nested) -> Simple:
    start, line = source.at, source.line()
    assignments, words, redirections = list[Assignment](), list[Word](), list[Redirection]()
    while source.next() not in _AFTER_COMMAND:
        if not words and (assignment := _assignment(source, nested)):
            assignments.append(assignment)
        elif redirection := _redirection(source, nested):
            redirections.append(redirection)
        elif word := read_operand(source, nested):
            words.append(_with_list(word, source))
            if len(words) == 1 and word.text == "[[":
                words += _test(source, nested)
        else:
            break
        source.pass_blanks()
    if not (assignments or words or redirections):
        raise NotShellError("nothing stands where a command is to be")
    return Simple(source.since(start), line, tuple(assignments), tuple(words), tuple(redirections))


def _assignment(source: Source, nested: Nested) -> Assignment | None:
    start = source.at
    found = source.take(_ASSIGNED)
    if not found:
        return None
    value: Word | None = read_word(source, nested) or Word("")
    if source.at == found.end() and source.starts("("):
        value = None
        if not source.pass_brackets():
            raise NotShellError("a list is not closed")
    return Assignment(source.text[start : source.at], found[1], value, bool(found[2]))


def _with_list(word: Word, source: Source) -> Word:
    """``declare names=(a b)``, whose list is a part of the word."""
    start = source.at - len(word.text)
    if not (source.starts("(") and _ASSIGNED.fullmatch(word.text) and source.pass_brackets()):
        return word
    text = source.text[start : source.at]
    return Word(text, (Other(text),))


def _test(source: Source, nested: Nested) -> Iterator[Word]:
    """What stands behind ``[[``, up to and with ``]]``."""
    while True:
        source.pass_lines()
        if found := source.take(_OF_TEST):
            word = Word(found[0], (Plain(found[0], found[0]),))
        elif read := read_word(source, nested):
            word = read
        else:
            raise NotShellError("`[[` is not closed")
        yield word
        if word.text == "]]":
            return


def read_redirections(source: Source, nested: Nested) -> tuple[Redirection, ...]:
    found = []
    source.pass_blanks()
    while redirection := _redirection(source, nested):
        found.append(redirection)
        source.pass_blanks()
    return tuple(found)


def _redirection(source: Source, nested: Nested) -> Redirection | None:
    start = source.at
    found = source.take(_REDIRECTION) if source.next() in _REDIRECTS else None
    if not found:
        return None
    operator = found[2] or found[4]
    source.pass_blanks()
    target = read_operand(source, nested)
    if target is None:
        raise NotShellError(f"nothing stands behind `{operator}`")
    text = source.text[start : source.at]
    document = source.document(target.value or target.text) if operator in ("<<", "<<-") else None
    return Redirection(text, operator, target, found[1] or "", document)


def read_operand(source: Source, nested: Nested) -> Word | None:
    """Of a command; a file that another command makes (``<(…)``) is one."""
    if not _PROCESS.match(source.text, source.at):
        return read_word(source, nested)
    start = source.at
    source.at += 1
    if not source.pass_brackets():
        raise NotShellError("a bracket is not closed")
    text = source.text[start : source.at]
    return Word(text, (Other(text),))


def read_operands(source: Source, nested: Nested) -> Iterator[Word]:
    source.pass_blanks()
    while word := read_operand(source, nested):
        yield word
        source.pass_blanks()
