"""One word of a shell script, with its quotes and what is put in for parts of it. Pure."""

import re
from collections.abc import Callable

from repo_tools.environment.shell.source import NotShellError, Source
from repo_tools.environment.shell.syntax import Other, Part, Plain, Script, Substitution, Variable, Word

Nested = Callable[[Source], Script]
"""Reads the script of a ``$(`` behind it, up to and with the bracket that ends it."""

_RUN = re.compile(r"""(?:[^ \t\n'"\\$`|&;<>()\0]++(?:(?<=[?*+@!])\([^()\s'"`$\\]*\))?)++""")
_BEGINS = frozenset("'\"\\$`\0")
_WITHIN_QUOTES = re.compile(r'[^"\\$`\0]++')
_WITHIN_BRACES = re.compile(r"""[^}'"\\$`\0]++""")
_WITHIN_BOTH = re.compile(r'[^}"\\$`\0]++')
_NAMED = re.compile(r"\$(?:([A-Za-z_]\w*|[\d@*#?$!-])|\{([A-Za-z_]\w*|\d+|[@*#?$!-])\})")
_DEFAULT = re.compile(r"\$\{([A-Za-z_]\w*|\d+|[@*]):?-")
_BRACE = re.compile(r"\$\{")
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*+)'", re.DOTALL)
_TICKS = re.compile(r"`((?:[^`\\]|\\.)*+)`", re.DOTALL)
_ESCAPED = re.compile(r"\\([^\0]?)")
_ESCAPED_IN_QUOTES = re.compile(r'\\([\\"$`\n]?)')
_ESCAPED_IN_TICKS = re.compile(r"\\([\\`$])"), re.compile(r'\\([\\`$"])')
"""Outside of double quotes, and within."""
_PUT_IN_BEFORE, _ENDS_IT = "${{", "}}"
"""By a CI, before a shell reads it: an expression of GitHub's."""
_NUL = re.compile("\0+")


def read_word(source: Source, nested: Nested) -> Word | None:
    """The word that is next; None where none is."""
    start = source.at
    parts: list[Part] = []
    while more := _parts(source, nested, _RUN):
        parts += more
    return Word(source.text[start : source.at], _joined(parts)) if source.at > start else None


def _parts(source: Source, nested: Nested, run: re.Pattern[str]) -> list[Part]:
    """What is next outside of quotes, where `run` matches what is plain there; empty where the word is over."""
    if found := source.take(run):
        return [Plain(found[0], found[0])]
    if source.next() not in _BEGINS:
        return []
    if source.starts("'"):
        return [_in_single_quotes(source)]
    if source.starts('"'):
        return _quoted(source, nested)
    if found := source.take(_ESCAPED):
        value = found[1].replace("\n", "") if found[1] else "\\"
        return [Plain(found[0], value, is_quoted=found[1] != "\n")]
    return [part] if (part := _put_in(source, nested, is_quoted=False)) else []


def _in_single_quotes(source: Source) -> Part:
    """A shell takes it as it is; what others have put in before is not known all the same."""
    start, end = source.at, source.find("'", source.at + 1)
    if end < 0:
        raise NotShellError("a quote is not closed")
    source.at = end + 1
    text = source.text[start : source.at]
    is_known = _PUT_IN_BEFORE not in text and "\0" not in text
    return Plain(text, text[1:-1], is_quoted=True) if is_known else Other(text, is_quoted=True)


def _quoted(source: Source, nested: Nested) -> list[Part]:
    """What is between double quotes; an empty text at least."""
    source.at += 1
    parts: list[Part] = [Plain("", "", is_quoted=True)]
    while not source.starts('"'):
        parts += _parts_in_quotes(source, nested, _WITHIN_QUOTES)
    source.at += 1
    return parts


def _parts_in_quotes(source: Source, nested: Nested, run: re.Pattern[str]) -> list[Part]:
    if source.is_over:
        raise NotShellError("a quote is not closed")
    if found := source.take(run):
        return [Plain(found[0], found[0], is_quoted=True)]
    if found := source.take(_ESCAPED_IN_QUOTES):
        return [Plain(found[0], found[1].replace("\n", "") if found[1] else "\\", is_quoted=True)]
    part = _put_in(source, nested, is_quoted=True)
    if part is None:
        raise NotShellError("a quote is not closed")
    return [part]


def _put_in(source: Source, nested: Nested, *, is_quoted: bool) -> Part | None:
    """What begins with ``$`` or a backtick; None where nothing of that is next."""
    start = source.at
    if source.take(_NUL):
        return Other(source.text[start : source.at], is_quoted)
    if source.starts("`"):
        return _ticked(source, nested, is_quoted=is_quoted)
    if not source.starts("$"):
        return None
    if found := source.take(_NAMED):
        return Variable(found[0], found[1] or found[2], None, is_quoted)
    if source.starts(_PUT_IN_BEFORE):
        end = source.find(_ENDS_IT, start)
        if end < 0:
            raise NotShellError("an expression is not closed")
        source.at = end + 2
        return Other(source.text[start : source.at], is_quoted)
    if source.starts("${"):
        return _in_braces(source, nested, is_quoted=is_quoted)
    if source.starts("$("):
        return _substitution(source, nested, is_quoted=is_quoted)
    if not is_quoted and (found := source.take(_ANSI)):
        return Other(found[0], True) if "\\" in found[1] else Plain(found[0], found[1], is_quoted=True)
    source.at += 1
    return Plain("$", "$", is_quoted)


def _ticked(source: Source, nested: Nested, *, is_quoted: bool) -> Part:
    start = source.at
    found = source.take(_TICKS)
    if found is None:
        raise NotShellError("a backtick is not closed")
    with source.deeper():
        inner = Source(_ESCAPED_IN_TICKS[is_quoted].sub(r"\1", found[1]) + "\n)", source.line(start), source.deep)
        return Substitution(found[0], nested(inner), is_quoted)


def _substitution(source: Source, nested: Nested, *, is_quoted: bool) -> Part:
    """``$((`` begins a sum, where brackets end two by two, or a shell in a shell."""
    start = source.at
    if source.starts("$(("):
        source.at += 1
        if source.pass_brackets() and source.text[source.at - 2] == ")":
            return Other(source.text[start : source.at], is_quoted)
    source.at = start + 2
    with source.deeper():
        script = nested(source)
    return Substitution(source.text[start : source.at], script, is_quoted)


def _in_braces(source: Source, nested: Nested, *, is_quoted: bool) -> Part:
    start = source.at
    default = source.take(_DEFAULT)
    if not default:
        source.take(_BRACE)
    inside = source.at
    parts: list[Part] = []
    with source.deeper():
        while not source.starts("}"):
            if is_quoted:
                parts += _parts_in_braces_in_quotes(source, nested)
            elif more := _parts(source, nested, _WITHIN_BRACES):
                parts += more
            else:
                raise NotShellError("a brace is not closed")
    word = Word(source.text[inside : source.at], _joined(parts))
    source.at += 1
    text = source.text[start : source.at]
    return Variable(text, default[1], word, is_quoted) if default else Other(text, is_quoted)


def _parts_in_braces_in_quotes(source: Source, nested: Nested) -> list[Part]:
    return _quoted(source, nested) if source.starts('"') else _parts_in_quotes(source, nested, _WITHIN_BOTH)


def _joined(parts: list[Part]) -> tuple[Part, ...]:
    """Plain ones side by side as one, where both are quoted or neither is."""
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, Plain) and isinstance(last, Plain) and last.is_quoted == part.is_quoted:
            joined[-1] = Plain(last.text + part.text, last.value + part.value, part.is_quoted)
        else:
            joined.append(part)
    return tuple(joined)
