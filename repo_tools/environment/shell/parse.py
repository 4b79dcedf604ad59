"""A shell script as a tree. Nothing is run. Pure.

By hand, not by tree-sitter's grammar of bash: that one takes more than any memory for 200 kB of ``a|``, minutes for as
many ``<``, and gives up what follows an error in places of its own choice. Here each character is read a bounded number
of times, what is no shell (a line for PowerShell, an apostrophe on its own) costs its own line, and a block that does
not end costs what may be inside it.
"""

import re
from collections.abc import Iterator

from repo_tools.environment.shell.simple import read_operand, read_operands, read_redirections, read_simple
from repo_tools.environment.shell.source import EndlessError, NotShellError, Source
from repo_tools.environment.shell.syntax import (
    AndOr,
    Body,
    Case,
    Command,
    Function,
    Group,
    If,
    Loop,
    Other,
    Pipeline,
    Redirection,
    Script,
    Simple,
    Subshell,
    Unreadable,
    Word,
)  # fmt: skip
from repo_tools.environment.shell.words import read_word

MAX_CHARACTERS = 100_000
"""What is longer is read up to there."""

_END_OF_WORD = r"(?=[ \t\n;&|()<>]|\Z|\\\n)"
_KEYWORD = re.compile(
    rf"(?:if|then|elif|else|fi|for|select|while|until|do|done|case|esac|function|[{{}}]){_END_OF_WORD}"
)
_TIMES_BLOCK = re.compile(rf"time[ \t]+(?:-p[ \t]+)?(?=\(|(?:if|case|for|select|while|until|\{{){_END_OF_WORD})")
_NEGATION = re.compile(rf"!{_END_OF_WORD}")
_IN = re.compile(rf"in{_END_OF_WORD}")
_NAMES_FUNCTION = re.compile(r"""(?!\d*[<>])([^\s'"\\$`|&;<>()=]+)[ \t]*\([ \t]*\)""")
_FUNCTION = re.compile(r"""[ \t]*([^\s'"\\$`|&;<>()]+)(?:[ \t]*\([ \t]*\))?""")
_AND_OR = re.compile(r"&&|\|\|")
_PIPE = re.compile(r"\|&?(?!\|)")
_ENDS_COMMAND = re.compile(r";(?![;&])|&(?!&)")
_ENDS_BRANCH = re.compile(r";;&?|;&")
_SEPARATOR = re.compile(r"[;&|\n]|\Z")
_BRACKET = frozenset((")",))
"""A line that is left would have it, most of the time."""


def parse(text: str, line: int = 0) -> Script:
    """`line`: the number of its first one."""
    source = _source(text, line)
    return Script(source.text, tuple(_lists(source)), source.problem)


def lists_of(text: str, line: int = 0) -> Iterator[AndOr]:
    """Those of `parse`, each read when it is asked for: a long script may be left after the first."""
    return _lists(_source(text, line))


def _source(text: str, line: int) -> Source:
    text = text.replace("\r\n", "\n")
    source = Source(text[:MAX_CHARACTERS], line)
    source.problem = "it is too long" if len(text) > MAX_CHARACTERS else ""
    return source


def _lists(source: Source) -> Iterator[AndOr]:
    source.pass_lines()
    while not source.is_over:
        start = source.at
        try:
            yield _list(source)
        except EndlessError as error:
            source.at = len(source.text)
            yield _unreadable(source, start, str(error))
        source.pass_lines()


def _list(source: Source) -> AndOr:
    """With what is no shell: a word that ends what never began, else all up to the end of the line."""
    start = source.at
    try:
        return _and_or(source)
    except EndlessError:
        raise
    except NotShellError as error:
        stray = _next(source) if source.at == start else ""
        source.leave_line(start)
        source.at = start + len(stray) if stray else source.at
        found = _unreadable(source, start, str(error))
        source.pass_blanks()
        source.take(_ENDS_COMMAND)
        return found


def _unreadable(source: Source, start: int, why: str) -> AndOr:
    source.problem = source.problem or why
    text, line = source.since(start), source.line(start)
    return AndOr(text, line, (("", Pipeline(text, line, (Unreadable(text, line, why),))),))


def _nested(source: Source) -> Script:
    """Of a ``$(``, with the bracket that ends it."""
    start = source.at
    body = _body(source, _BRACKET)
    text = source.since(start)
    source.at += 1
    return Script(text, body)


def _body(source: Source, ends: frozenset[str]) -> Body:
    """The lists before one of these words or signs, which is next then."""
    found: list[AndOr] = []
    source.pass_lines()
    while _next(source) not in ends:
        if source.is_over:
            raise NotShellError(f"nothing ends it with `{min(ends)}`")
        found.append(_and_or(source) if ends is _BRACKET else _list(source))
        source.pass_lines()
    return tuple(found)


def _next(source: Source) -> str:
    """The word of the shell's own, or the sign, that is next; empty where a command is."""
    if found := _KEYWORD.match(source.text, source.at) or _ENDS_BRANCH.match(source.text, source.at):
        return found[0]
    return ")" if source.starts(")") else ""


def _and_or(source: Source) -> AndOr:
    start, line = source.at, source.line()
    items = [("", _pipeline(source))]
    while found := source.take(_AND_OR):
        source.pass_lines()
        items.append((found[0], _pipeline(source)))
    text = source.since(start)
    end = source.take(_ENDS_COMMAND)
    is_block = not isinstance(items[-1][1].commands[-1], Simple)
    follows = _next(source) if is_block or source.deep else ""
    if not (end or _SEPARATOR.match(source.text, source.at) or follows == ")" or (is_block and follows)):
        raise NotShellError(f"`{source.text[source.at]}` stands where a command ends")
    return AndOr(text, line, tuple(items), end[0] if end else "")


def _pipeline(source: Source) -> Pipeline:
    start, line = source.at, source.line()
    source.take(_TIMES_BLOCK)
    is_negated = bool(source.take(_NEGATION))
    source.pass_blanks()
    commands = [_command(source)]
    while source.take(_PIPE):
        source.pass_lines()
        commands.append(_command(source))
    return Pipeline(source.since(start), line, tuple(commands), is_negated)


def _command(source: Source) -> Command:
    keyword = _next(source)
    start = source.at
    if not keyword and not source.starts("(") and not (named := source.take(_NAMES_FUNCTION)):
        return read_simple(source, _nested)
    with source.deeper():
        try:
            if not keyword and source.starts("("):
                return _brackets(source)
            if not keyword and named:
                return _function(source, start, named[1])
            if keyword in _BLOCKS:
                source.at += len(keyword)
                return _BLOCKS[keyword](source, start)
        except NotShellError as error:
            raise EndlessError(str(error)) from error
    raise NotShellError(f"`{keyword}` ends nothing")


def _brackets(source: Source) -> Command:
    start, line = source.at, source.line()
    if source.starts("((") and source.pass_brackets():
        if source.text[source.at - 2] == ")":
            text = source.since(start)
            return Simple(text, line, (), (Word(text, (Other(text),)),), read_redirections(source, _nested))
        source.at = start
    source.at += 1
    body = _body(source, _BRACKET)
    source.at += 1
    redirections = read_redirections(source, _nested)
    return Subshell(source.since(start), line, body, redirections)


def _group(source: Source, start: int) -> Command:
    line = source.line(start)
    body = _body(source, frozenset("}"))
    source.at += 1
    redirections = read_redirections(source, _nested)
    return Group(source.since(start), line, body, redirections)


def _if(source: Source, start: int) -> Command:
    line, branches, otherwise = source.line(start), list[tuple[Body, Body]](), Body()
    keyword = "if"
    while keyword != "fi":
        if keyword == "else":
            otherwise = _body(source, frozenset(("fi",)))
        else:
            condition = _body(source, frozenset(("then",)))
            source.at += len("then")
            branches.append((condition, _body(source, frozenset(("elif", "else", "fi")))))
        keyword = _next(source)
        source.at += len(keyword)
    redirections = read_redirections(source, _nested)
    return If(source.since(start), line, tuple(branches), otherwise, redirections)


def _while(source: Source, start: int) -> Command:
    keyword, line = source.text[start : source.at], source.line(start)
    condition = _body(source, frozenset(("do",)))
    body, redirections = _done(source)
    return Loop(source.since(start), line, keyword, body, condition=condition, redirections=redirections)


def _for(source: Source, start: int) -> Command:
    keyword, line, name = source.text[start : source.at], source.line(start), ""
    words: tuple[Word, ...] | None = None
    source.pass_blanks()
    if source.starts("(("):
        source.pass_brackets()
    else:
        variable = read_word(source, _nested)
        name = variable.text if variable else ""
        source.pass_lines()
        words = tuple(read_operands(source, _nested)) if source.take(_IN) else None
    source.take(_ENDS_COMMAND)
    source.pass_lines()
    body, redirections = _done(source)
    return Loop(source.since(start), line, keyword, body, name, words, redirections=redirections)


def _done(source: Source) -> tuple[Body, tuple[Redirection, ...]]:
    if _next(source) != "do":
        raise NotShellError("a loop has no `do`")
    source.at += len("do")
    body = _body(source, frozenset(("done",)))
    source.at += len("done")
    return body, read_redirections(source, _nested)


def _case(source: Source, start: int) -> Command:
    line = source.line(start)
    source.pass_blanks()
    word = read_operand(source, _nested)
    source.pass_lines()
    if not word or not source.take(_IN):
        raise NotShellError("a `case` has no `in`")
    branches = []
    source.pass_lines()
    while _next(source) != "esac":
        branches.append((tuple(_labels(source)), _body(source, frozenset((";;", ";&", ";;&", "esac")))))
        source.take(_ENDS_BRANCH)
        source.pass_lines()
    source.at += len("esac")
    redirections = read_redirections(source, _nested)
    return Case(source.since(start), line, word, tuple(branches), redirections)


def _labels(source: Source) -> Iterator[Word]:
    if source.starts("("):
        source.at += 1
    while not source.starts(")"):
        source.pass_blanks()
        label = read_operand(source, _nested)
        source.pass_blanks()
        if not label or not (source.take(_PIPE) or source.starts(")")):
            raise NotShellError("a branch of a `case` has no `)`")
        yield label
    source.at += 1


def _named_function(source: Source, start: int) -> Command:
    name = source.take(_FUNCTION)
    if name is None:
        raise NotShellError("a function has no name")
    return _function(source, start, name[1])


def _function(source: Source, start: int, name: str) -> Command:
    line = source.line(start)
    source.pass_lines()
    command = _command(source)
    text = source.since(start)
    pipeline = Pipeline(command.text, command.line, (command,))
    whole = (AndOr(command.text, command.line, (("", pipeline),)),)
    return Function(text, line, name, command.body if isinstance(command, Group) else whole)


_BLOCKS = {
    **{"{": _group, "if": _if, "case": _case, "function": _named_function},
    **{"while": _while, "until": _while, "for": _for, "select": _for},
}
